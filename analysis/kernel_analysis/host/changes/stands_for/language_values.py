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
from kernel_analysis.host.names.imports.packages import is_of_triton
from kernel_analysis.host.names.named_once import named_once
from kernel_analysis.host.names.naming import Bound, binding, meanings
from kernel_analysis.source.text_search.words import has_text
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import children

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module
    from kernel_analysis.source.tree.scopes import Event

_MOST: Final = 20_000
"""Names to follow. What is made of more may be anything of Triton's."""
_BY_TEXT: Final = ("import_module", "resolve_name")


def may_give(found: Iterable[str], owner: str) -> bool:
    """Whether what ``given`` says may be that very thing."""
    return any(one == owner or one.endswith(".") and f"{owner}.".startswith(one) for one in found)


@dataclass(slots=True)
class _Step:
    """What an expression gives by itself, and what else it may give whatever that gives: expressions, and steps that
    others have, too. Each with whether what is in it counts."""

    said: dict[str, None] = field(default_factory=dict[str, None])
    follows: list[tuple[Scope, ast.expr, bool]] = field(default_factory=list["tuple[Scope, ast.expr, bool]"])
    steps: list[_Step] = field(default_factory=list["_Step"])
    of: object = None
    """The tree that it was found for, which lives as long."""

    def say(self, path: str, within: bool) -> None:
        self.said[_anything(path) if within else path] = None


def given(resolver: ResolverView, scope: Scope, node: ast.expr) -> Iterator[str]:
    """Dotted paths of what of Triton an expression may give; with a dot at the end: that, or anything in it."""
    todo: list[tuple[Scope, ast.expr, bool]] = [(scope, node, False)]
    seen = {(*_key(scope, node), False)}
    gone = dict[tuple[int, bool], _Step]()
    left = _MOST
    while todo:
        if not left:
            yield "triton."
            return
        left -= 1
        scope, node, within = todo.pop()
        steps = [_step(resolver, scope, node)]
        while steps:
            step = steps.pop()
            if (id(step), within) in gone:
                continue
            gone[id(step), within] = step
            for path in step.said:
                yield _anything(path) if within else path
            for inner_scope, inner, inside in step.follows:
                key = (*_key(inner_scope, inner), inside or within)
                if key not in seen:
                    seen.add(key)
                    todo.append((inner_scope, inner, inside or within))
            steps += step.steps


def _key(scope: Scope, node: ast.expr) -> tuple[int, object]:
    return id(scope.node), node.id if isinstance(node, ast.Name) else id(node)


def _step(resolver: ResolverView, scope: Scope, node: ast.expr) -> _Step:
    def find() -> _Step:
        step = _Step(of=node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            _named(resolver, scope, node, step)
        else:
            _inside(resolver, scope, node, step)
        return step

    return named_once(resolver, scope, ("given", _key(scope, node)), find)


def _named(resolver: ResolverView, scope: Scope, node: ast.Name | ast.Attribute, step: _Step) -> None:
    if isinstance(node, ast.Name) and (found := binding(scope, node.id)) is not None:
        # Of what is bound several times, or changed, all that it was bound to counts.
        step.steps.append(_bindings(resolver, found[0], node.id, found[1]))
    for one in meanings(resolver, scope, node):
        if isinstance(one, TritonObject):
            parts = one.path.split(".")
            plain = [part for part in parts if not part.startswith("__")]
            step.say(".".join(plain) + ("." if plain != parts else ""), False)
        elif isinstance(one, Bound):
            step.steps.append(_bound(resolver, one))
        elif isinstance(node, ast.Attribute):
            _inside(resolver, scope, node.value, step, True)


def _bindings(resolver: ResolverView, scope: Scope, name: str, events: list[Event]) -> _Step:
    def find() -> _Step:
        step = _Step()
        for event in events:
            value = event.value or getattr(event.node, "value", None)
            if isinstance(value, ast.expr):
                _inside(resolver, scope, value, step)
        return step

    return named_once(resolver, scope, ("bindings", name), find)


def _bound(resolver: ResolverView, one: Bound) -> _Step:
    if one.event.how == "parameter":
        return named_once(resolver, one.scope, "handed", lambda: _handed(resolver, one))
    return named_once(resolver, one.scope, ("bound", id(one.event)), lambda: _made(resolver, one))


def _made(resolver: ResolverView, one: Bound) -> _Step:
    made, step = one.event.node, _Step(of=one.event)
    value = one.event.value or getattr(made, "iter", None)
    if _of_others(resolver, one.scope.module):
        return step
    if isinstance(made, (ast.FunctionDef, ast.Lambda)) and one.event.how == "define":
        inner = resolver.inner(one.scope, made)
        for part in ast.walk(made):
            if isinstance(part, (ast.Return, ast.Yield)) and part.value is not None:
                _inside(resolver, inner, part.value, step)
    elif isinstance(made, ast.ClassDef):
        inner = resolver.inner(one.scope, made)
        for part in made.body:
            if isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value is not None:
                _inside(resolver, inner, part.value, step)
    elif isinstance(value, ast.expr):
        _inside(resolver, one.scope, value, step)
    return step


def _of_others(resolver: ResolverView, module: Module) -> bool:
    """Whether a file is a library's that does not speak of Triton: what its functions give of it they were given."""
    project = resolver.project
    if project.elsewhere.has_read(module.file) or is_of_triton(resolver, module.file):
        return False
    return not project.says(module.file, has_text, "triton")


def _handed(resolver: ResolverView, one: Bound) -> _Step:
    """What a function is handed, for whichever parameter, where its file calls it."""
    module, name, step = one.scope.module, getattr(one.scope.node, "name", None), _Step()
    if _of_others(resolver, module):
        return step
    for at in occurrences(module, name) if name is not None else ():
        call = at.chain[1] if len(at.chain) > 1 else None
        scope = resolver.scope(module, at.around)
        for argument in (*call.args, *(k.value for k in call.keywords)) if isinstance(call, ast.Call) else ():
            step.follows.append((scope, argument, False))
    return step


def _inside(resolver: ResolverView, scope: Scope, node: ast.AST, step: _Step, within: bool = False) -> None:
    """What an expression may give of all that it names."""
    todo = [(node, within)]
    while todo:
        node, within = todo.pop()
        if isinstance(node, (ast.Name, ast.Attribute)):
            step.follows.append((scope, node, within))
        elif isinstance(node, ast.Call):
            todo.append((node.func, within))
            if last_name(node.func) in _BY_TEXT and node.args and isinstance(node.args[0], ast.Constant):
                step.say(str(node.args[0].value), within)
            else:
                # What is called may give anything that is in what it is given.
                todo += [(child, True) for child in (*node.args, *node.keywords)]
        elif isinstance(node, ast.Subscript):
            # Of a dict of names, or of a container.
            todo.append((node.value, within or _of_names(node.value)))
            whole = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(whole, str) and whole.partition(".")[0] == "triton":
                step.say(whole, within)
            else:
                todo.append((node.slice, within))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.partition(".")[0] == "triton":
                step.say("triton.", within)  # a part of it, or more, may be what is looked up
            elif node.value.isidentifier() and node.value in scope.module.table.events:
                step.follows.append((scope, ast.Name(node.value, ast.Load()), within))
        else:
            todo += [(child, within) for child in children(node)]


def _anything(path: str) -> str:
    """That, or anything in it."""
    return f"{path.rstrip('.')}."


def _of_names(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return last_name(called) in ("vars", "__dict__")
