"""What is set of what stands somewhere in host code, however deep: ``inspect.Signature.bind = mine``,
``kernel.params[2]._param = other``, under further names, by functions in sight and by texts that are written down.

Follows what is spelled; evaluates nothing. What code does that is not in sight is not told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from kernel_analysis.host.changes.made.gone_through import each, each_held
from kernel_analysis.host.changes.module_names.handed_modules import alias_of
from kernel_analysis.host.changes.uses import CHANGES, Occurrence, occurrences
from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.names.naming import Bound, meanings
from kernel_analysis.record import record
from kernel_analysis.source.tree.forms import last_name

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
    """``texts``: what parameters are that are given texts, of the functions that are followed now."""

    seen: set[object] = field(default_factory=set[object])
    texts: dict[str, str] = field(default_factory=dict[str, str])


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
            steps += [] if deeper else [_text(above.args[1:2], way.texts)]
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
        for one in _by_method(above, named, top.attr, deeper, line, way.texts):
            yield replace(one, file=other.file, at=taken)
        return
    if isinstance(above, ast.Call) and top in above.args:
        yield from (replace(one, file=other.file) for one in _by_call(above, top, steps, deeper, line, way.texts))
    taken = Occurrence(at.chain[place:], at.statement, at.around)
    for name, inner, around, texts in _further(resolver, other, taken, way.texts):
        key = id(inner), name, tuple(texts.items())
        if key in way.seen or len(way.seen) > _MOST:
            continue
        way.seen.add(key)
        further = replace(way, texts=texts)
        for use in occurrences(inner, name):
            named = use.chain[0]
            if use.around[: len(around)] == around and isinstance(named, ast.Name) and isinstance(named.ctx, ast.Load):
                made = _of(resolver, inner, use, steps, further)
                yield from (replace(one, deeper=one.deeper or deeper) for one in made)


def _by_method(
    call: ast.Call, steps: _Steps, method: str, deeper: bool, line: int, texts: Mapping[str, str]
) -> Iterator[Stored]:
    """What a method that is called sets: ``inspect.__dict__.update(...)``, ``tl.dtype.SINT_TYPES.append(...)``."""
    if method in ("__setattr__", "__delattr__"):
        own = len(call.args) == (2 if method == "__setattr__" else 1)
        if own and steps:
            yield Stored(line, [*steps, _text(call.args[:1], texts)], deeper)
    elif method == "_unsafe_update_src":
        yield Stored(line, [*steps, "_src"], deeper)
    elif method in CHANGES and len(steps) > 1 and not _is_unbound(call, steps, method):
        if steps[-1] != "__dict__" or deeper:
            yield Stored(line, steps, True)
            return
        named = [keyword.arg for keyword in call.keywords]
        keys = [k for given in call.args[:1] for k in (given.keys if isinstance(given, ast.Dict) else [None])]
        for name in (*named, *(_text([k], texts) if k is not None else None for k in keys)):
            yield Stored(line, [*steps[:-1], name or ANY], False)


def _is_unbound(call: ast.Call, steps: _Steps, method: str) -> bool:
    """Whether a class's method is called with the object: ``OrderedDict.__setitem__(found, "x", 1)``."""
    of_class = steps[-1][:1].isupper() and not steps[-1].isupper()
    more = {"__setitem__": 3, "__delitem__": 2}.get(method)
    return of_class and (not method.startswith("__") or more is not None and len(call.args) == more)


def _by_call(
    call: ast.Call, top: ast.AST, steps: _Steps, deeper: bool, line: int, texts: Mapping[str, str]
) -> Iterator[Stored]:
    """What a function that sets attributes sets of what it is given."""
    name, place = last_name(call.func) or "", call.args.index(top) if isinstance(top, ast.expr) else 0
    after = call.args[place + 1 : place + 2]
    if name == "wraps" and place == 0:
        return
    if name in ("setattr", "delattr", "__setattr__", "__delattr__", "object", "multiple", "curse", "update_wrapper"):
        if place == 0 and (after or call.keywords or name == "delattr"):
            yield Stored(line, [*steps, _text(after, texts)], deeper)
    elif any(word in name for word in ("patch", "wrap")) and after and name not in ("wraps", "wrap"):
        if (text := _text(after, texts)) != ANY:
            yield Stored(line, [*steps, *text.split(".")], deeper)


def _further(
    resolver: ResolverView, other: Module, at: Occurrence, texts: dict[str, str]
) -> Iterator[tuple[str, Module, tuple[ast.AST, ...], dict[str, str]]]:
    """Other names of what stands there: in the same code, and the parameter of a function in sight; with what of its
    parameters are texts."""
    alias = alias_of(at) or each(at)
    for name in [alias] if alias is not None else each_held(other, at):
        yield name, other, at.around, texts
    above = zip(at.chain, at.chain[1:], strict=False)
    below, call = next(((b, c) for b, c in above if isinstance(c, ast.Call) and b is not c.func), (None, None))
    if call is None or below is not at.chain[0] and not isinstance(below, ast.keyword):
        return
    for found in meanings(resolver, resolver.scope(other, at.around), call.func):
        node = found.event.node if isinstance(found, Bound) else None
        if not isinstance(found, Bound) or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        inner = found.scope.module
        around, given = (*_around(found), node), _texts_given(resolver, found.scope, node, call)
        if isinstance(below, ast.keyword):
            yield from [(below.arg, inner, around, given)] if below.arg is not None else []
        elif isinstance(below, ast.expr):
            positional, at_place = [*node.args.posonlyargs, *node.args.args], call.args.index(below)
            if at_place < len(positional):
                yield positional[at_place].arg, inner, around, given


def _around(found: Bound) -> list[ast.AST]:
    """The functions and classes that a name stands in, outermost first."""
    around: list[ast.AST] = []
    scope: Scope | None = found.scope
    while scope is not None and not isinstance(scope.node, ast.Module):
        around.insert(0, scope.node)
        scope = scope.parent
    return around


def _texts_given(
    resolver: ResolverView, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call
) -> dict[str, str]:
    """The parameters that a call gives texts that are written down, if nothing else is bound to them."""
    positional = [*node.args.posonlyargs, *node.args.args]
    pairs = [(p.arg, a) for p, a in zip(positional, call.args, strict=False)]
    pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None]
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return {}
    given = {name: a.value for name, a in pairs if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    events = resolver.inner(scope, node).table.events
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {a.arg for n in ast.walk(node) if isinstance(n, ast.arguments) and n is not node.args for a in _all(n)}
    return {n: text for n, text in given.items() if n not in bound and len(events.get(n, ())) == 1}


def _all(arguments: ast.arguments) -> list[ast.arg]:
    more = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more]


def _text(args: Sequence[ast.expr], texts: Mapping[str, str]) -> str:
    """What is written down there, or where the function is called."""
    node = args[0] if args else None
    if isinstance(node, ast.Name):
        return texts.get(node.id, ANY)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ANY
