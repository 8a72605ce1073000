"""Which of Triton's modules and classes an expression may give: by its name, out of what holds it, by a text.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.values import Scope, TritonObject
from kernel_analysis.host.names.naming import Bound, binding, meanings
from kernel_analysis.host.names.packages import is_of_triton
from kernel_analysis.source.forms import last_name
from kernel_analysis.source.syntax import children
from kernel_analysis.source.words import has_text

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_MOST: Final = 20_000
"""Names to follow. What is made of more may be anything of Triton's."""
_BY_TEXT: Final = ("import_module", "resolve_name")


def may_give(found: Iterable[str], owner: str) -> bool:
    """Whether what ``given`` says may be that very thing."""
    return any(one == owner or one.endswith(".") and f"{owner}.".startswith(one) for one in found)


@dataclass(frozen=True, slots=True)
class _Way:
    """``todo``: what is to be followed yet, ``seen``: what was by now, or will be; with whether what is in it counts,
    too, as ``within`` says of what is followed now."""

    todo: list[tuple[Scope, ast.expr, bool]] = field(default_factory=list["tuple[Scope, ast.expr, bool]"])
    seen: set[tuple[object, bool]] = field(default_factory=set["tuple[object, bool]"])
    within: bool = False

    def inside(self, within: bool = True) -> _Way:
        return _Way(self.todo, self.seen, within)

    def follow(self, scope: Scope, node: ast.expr) -> None:
        key = (id(scope.node), node.id if isinstance(node, ast.Name) else id(node)), self.within
        if key not in self.seen:
            self.seen.add(key)
            self.todo.append((scope, node, self.within))


def given(resolver: ResolverView, scope: Scope, node: ast.expr) -> Iterator[str]:
    """Dotted paths of what of Triton an expression may give; with a dot at the end: that, or anything in it."""
    way = _Way()
    way.follow(scope, node)
    left = _MOST
    while way.todo:
        if not left:
            yield "triton."
            return
        left -= 1
        scope, node, within = way.todo.pop()
        found = _named if isinstance(node, (ast.Name, ast.Attribute)) else _inside
        given_here = found(resolver, scope, node, way.inside(within))
        yield from _within(given_here) if within else given_here


def _named(resolver: ResolverView, scope: Scope, node: ast.expr, way: _Way) -> Iterator[str]:
    if isinstance(node, ast.Name) and (found := binding(scope, node.id)) is not None:
        # Of what is bound several times, or changed, all that it was bound to counts.
        for event in found[1]:
            value = event.value or getattr(event.node, "value", None)
            if isinstance(value, ast.expr):
                yield from _inside(resolver, found[0], value, way)
    for one in meanings(resolver, scope, node):
        if isinstance(one, TritonObject):
            parts = one.path.split(".")
            plain = [part for part in parts if not part.startswith("__")]
            yield ".".join(plain) + ("." if plain != parts else "")
        elif isinstance(one, Bound):
            yield from _bound(resolver, one, way)
        elif isinstance(node, ast.Attribute):
            yield from _within(_inside(resolver, scope, node.value, way.inside()))


def _bound(resolver: ResolverView, one: Bound, way: _Way) -> Iterator[str]:
    if _of_others(resolver, one.scope.module):
        return
    made = one.event.node
    value = one.event.value or getattr(made, "iter", None)
    if one.event.how == "parameter":
        _handed(resolver, one, way)
    elif isinstance(made, (ast.FunctionDef, ast.Lambda)) and one.event.how == "define":
        inner = resolver.inner(one.scope, made)
        for part in ast.walk(made):
            if isinstance(part, (ast.Return, ast.Yield)) and part.value is not None:
                yield from _inside(resolver, inner, part.value, way)
    elif isinstance(made, ast.ClassDef):
        inner = resolver.inner(one.scope, made)
        for part in made.body:
            if isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value is not None:
                yield from _inside(resolver, inner, part.value, way)
    elif isinstance(value, ast.expr):
        yield from _inside(resolver, one.scope, value, way)


def _of_others(resolver: ResolverView, module: Module) -> bool:
    """Whether a file is a library's that does not speak of Triton: what its functions give of it they were given."""
    project = resolver.project
    if project.elsewhere.has_read(module.file) or is_of_triton(resolver, module.file):
        return False
    return not project.says(module.file, has_text, "triton")


def _handed(resolver: ResolverView, one: Bound, way: _Way) -> None:
    """What a function is handed, for whichever parameter, where its file calls it."""
    module, name = one.scope.module, getattr(one.scope.node, "name", None)
    for at in occurrences(module, name) if name is not None else ():
        call = at.chain[1] if len(at.chain) > 1 else None
        scope = resolver.scope(module, at.around)
        for argument in (*call.args, *(k.value for k in call.keywords)) if isinstance(call, ast.Call) else ():
            way.follow(scope, argument)


def _inside(resolver: ResolverView, scope: Scope, node: ast.AST, way: _Way) -> Iterator[str]:
    """What an expression may give of all that it names."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        way.follow(scope, node)
    elif isinstance(node, ast.Call):
        yield from _inside(resolver, scope, node.func, way)
        if last_name(node.func) in _BY_TEXT and node.args and isinstance(node.args[0], ast.Constant):
            yield str(node.args[0].value)
            return
        # What is called may give anything that is in what it is given.
        yield from _within(
            one for child in (*node.args, *node.keywords) for one in _inside(resolver, scope, child, way.inside())
        )
    elif isinstance(node, ast.Subscript):
        # Of a dict of names, or of a container.
        yield from (
            _within(_inside(resolver, scope, node.value, way.inside()))
            if _of_names(node.value)
            else _inside(resolver, scope, node.value, way)
        )
        whole = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(whole, str) and whole.partition(".")[0] == "triton":
            yield whole
        else:
            yield from _inside(resolver, scope, node.slice, way)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value.partition(".")[0] == "triton":
            yield "triton."  # a part of it, or more, may be what is looked up
        elif node.value.isidentifier() and node.value in scope.module.table.events:
            way.follow(scope, ast.Name(node.value, ast.Load()))
    else:
        for child in children(node):
            yield from _inside(resolver, scope, child, way)


def _within(found: Iterable[str]) -> Iterator[str]:
    return (f"{one.rstrip('.')}." for one in found)


def _of_names(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return last_name(called) in ("vars", "__dict__")
