"""What is set of what stands somewhere in host code, however deep: ``inspect.Signature.bind = mine``,
``kernel.params[2]._param = other``, under further names, by functions in sight and by texts that are written down.

Follows what is spelled; evaluates nothing. What code does that is not in sight is not told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from kernel_analysis.host.changes.gone_through import each, each_held
from kernel_analysis.host.changes.handed_modules import alias_of
from kernel_analysis.host.changes.uses import CHANGES, Occurrence, occurrences
from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.names.naming import Bound, meanings
from kernel_analysis.record import record
from kernel_analysis.source.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_Steps: TypeAlias = "list[str]"
ANY: Final = "?"
"""A name that is not in sight."""
_MOST: Final = 50
"""Further names to follow."""


@record
class Stored:
    """``steps``: the path of what is set; ``deeper``: something in that is; ``at``: what a statement sets."""

    line: int
    steps: list[str]
    deeper: bool
    file: str = ""
    at: Occurrence | None = None


@record
class _Way:
    seen: set[tuple[int, str]] = field(default_factory=set["tuple[int, str]"])


def stores(resolver: ResolverView, other: Module, at: Occurrence, steps: _Steps) -> Iterator[Stored]:
    """Where what stands there, which goes by these names, is set, or something in it."""
    yield from _of(resolver, other, at, steps, _Way())


def _of(resolver: ResolverView, other: Module, at: Occurrence, steps: _Steps, way: _Way) -> Iterator[Stored]:
    """Where what stands there, which goes by these names, is set, or something in it."""
    place, steps, deeper = 0, list(steps), False
    while place + 1 < len(at.chain):
        below, above = at.chain[place], at.chain[place + 1]
        if isinstance(above, ast.Attribute):
            steps += [above.attr] if not deeper else []
        elif isinstance(above, ast.Subscript) and above.value is below:
            key = above.slice.value if isinstance(above.slice, ast.Constant) else None
            if steps[-1] == "__dict__" and not deeper:
                steps[-1] = key if isinstance(key, str) else ANY
            else:
                deeper = True
        elif isinstance(above, ast.Call) and above.args == [below] and last_name(above.func) == "vars":
            steps += [] if deeper else ["__dict__"]
        elif isinstance(above, ast.Call) and above.args[:1] == [below] and last_name(above.func) == "getattr":
            steps += [] if deeper else [_text(above.args[1:2])]
        else:
            break
        place += 1
    top, above = at.chain[place], at.chain[place + 1] if len(at.chain) > place + 1 else None
    line = getattr(top, "lineno", at.statement.lineno)
    if isinstance(top, (ast.Attribute, ast.Subscript)) and not isinstance(top.ctx, ast.Load):
        yield Stored(line, steps, deeper, other.file, Occurrence(at.chain[place:], at.statement, at.around))
        return
    if isinstance(above, ast.Call) and above.func is top and isinstance(top, ast.Attribute):
        named = steps if deeper else steps[:-1]
        taken = Occurrence(at.chain[place:], at.statement, at.around)
        for one in _by_method(above, named, top.attr, deeper, line):
            yield replace(one, file=other.file, at=taken)
        return
    if isinstance(above, ast.Call) and top in above.args:
        yield from (replace(one, file=other.file) for one in _by_call(above, top, steps, deeper, line))
    taken = Occurrence(at.chain[place:], at.statement, at.around)
    for name, inner, around in _further(resolver, other, taken):
        if (id(inner), name) in way.seen or len(way.seen) > _MOST:
            continue
        way.seen.add((id(inner), name))
        for use in occurrences(inner, name):
            named = use.chain[0]
            if use.around[: len(around)] == around and isinstance(named, ast.Name) and isinstance(named.ctx, ast.Load):
                made = _of(resolver, inner, use, steps, way)
                yield from (replace(one, deeper=one.deeper or deeper) for one in made)


def _by_method(call: ast.Call, steps: _Steps, method: str, deeper: bool, line: int) -> Iterator[Stored]:
    """What a method that is called sets: ``inspect.__dict__.update(...)``, ``tl.dtype.SINT_TYPES.append(...)``."""
    if method in ("__setattr__", "__delattr__"):
        own = len(call.args) == (2 if method == "__setattr__" else 1)
        if own and steps:
            yield Stored(line, [*steps, _text(call.args[:1])], deeper)
    elif method == "_unsafe_update_src":
        yield Stored(line, [*steps, "_src"], deeper)
    elif method in CHANGES and len(steps) > 1 and not _is_unbound(call, steps, method):
        if steps[-1] != "__dict__" or deeper:
            yield Stored(line, steps, True)
            return
        named = [keyword.arg for keyword in call.keywords]
        keys = [k for given in call.args[:1] for k in (given.keys if isinstance(given, ast.Dict) else [None])]
        for name in (*named, *(_text([k]) if k is not None else None for k in keys)):
            yield Stored(line, [*steps[:-1], name or ANY], False)


def _is_unbound(call: ast.Call, steps: _Steps, method: str) -> bool:
    """Whether a class's method is called with the object: ``OrderedDict.__setitem__(found, "x", 1)``."""
    of_class = steps[-1][:1].isupper() and not steps[-1].isupper()
    more = {"__setitem__": 3, "__delitem__": 2}.get(method)
    return of_class and (not method.startswith("__") or more is not None and len(call.args) == more)


def _by_call(call: ast.Call, top: ast.AST, steps: _Steps, deeper: bool, line: int) -> Iterator[Stored]:
    """What a function that sets attributes sets of what it is given."""
    name, place = last_name(call.func) or "", call.args.index(top) if isinstance(top, ast.expr) else 0
    after = call.args[place + 1 : place + 2]
    if name == "wraps" and place == 0:
        return
    if name in ("setattr", "delattr", "__setattr__", "__delattr__", "object", "multiple", "curse", "update_wrapper"):
        if place == 0 and (after or call.keywords or name == "delattr"):
            yield Stored(line, [*steps, _text(after)], deeper)
    elif any(word in name for word in ("patch", "wrap")) and after and name not in ("wraps", "wrap"):
        if (text := _text(after)) != ANY:
            yield Stored(line, [*steps, *text.split(".")], deeper)


def _further(
    resolver: ResolverView, other: Module, at: Occurrence
) -> Iterator[tuple[str, Module, tuple[ast.AST, ...]]]:
    """Other names of what stands there: in the same code, and the parameter of a function in sight."""
    alias = alias_of(at) or each(at)
    for name in [alias] if alias is not None else each_held(other, at):
        yield name, other, at.around
    above = zip(at.chain, at.chain[1:], strict=False)
    below, call = next(((b, c) for b, c in above if isinstance(c, ast.Call) and b is not c.func), (None, None))
    if call is None or below is not at.chain[0] and not isinstance(below, ast.keyword):
        return
    for found in meanings(resolver, resolver.scope(other, at.around), call.func):
        node = found.event.node if isinstance(found, Bound) else None
        if not isinstance(found, Bound) or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        inner = found.scope.module
        around = (*(one for one in _around(found)), node)
        if isinstance(below, ast.keyword):
            yield from [(below.arg, inner, around)] if below.arg is not None else []
        elif isinstance(below, ast.expr):
            positional, at_place = [*node.args.posonlyargs, *node.args.args], call.args.index(below)
            if at_place < len(positional):
                yield positional[at_place].arg, inner, around


def _around(found: Bound) -> list[ast.AST]:
    """The functions and classes that a name stands in, outermost first."""
    around: list[ast.AST] = []
    scope: Scope | None = found.scope
    while scope is not None and not isinstance(scope.node, ast.Module):
        around.insert(0, scope.node)
        scope = scope.parent
    return around


def _text(args: Sequence[ast.expr]) -> str:
    """What is written down there."""
    node = args[0] if args else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ANY
