"""What a call passes, ``*args`` and ``**keywords`` spread out as far as the text says what is in them.

Reads syntax only, through the ``Frame`` that knows the names around the call.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.evaluate.argument import INT, NOT_KNOWN, HostArgument, either, unknown_one
from kernel_analysis.signature.launches.asked import base
from kernel_analysis.signature.launches.declared import constant
from kernel_analysis.source import scopes
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import Frame

Entry: TypeAlias = "tuple[Frame, ast.Call, scopes.FunctionNode]"
"""A call of a host function, and what is around the call."""

_DEPTH = 5


@dataclass(slots=True)
class PassedArguments:
    """``more``: positional arguments may follow that are not known; ``open``: so may keywords. ``last``: those by
    position that come last for sure, behind what is not known; ``between``: what each of those not known is."""

    positional: list[HostArgument] = field(default_factory=list[HostArgument])
    last: list[HostArgument] = field(default_factory=list[HostArgument])
    between: HostArgument = NOT_KNOWN
    keywords: dict[str, HostArgument] = field(default_factory=dict[str, HostArgument])
    more: bool = False
    open: bool = False


def passed(host: Frame, call: ast.Call) -> PassedArguments:
    """The arguments of a call."""
    found = PassedArguments()
    into, lost = found.positional, list[HostArgument]()
    for node in call.args:
        if not isinstance(node, ast.Starred):
            into.append(_argument(host, node))
            continue
        given = host.argument(node.value)
        into += given.items or ()
        if given.items is None or not isinstance(node.value, (ast.Tuple, ast.List)):
            # A list may have grown since.
            found.more = True
            each = INT if given.kind == "tuple" and given.dtype == "int" else unknown_one(given)
            lost += [*found.last, each if given.items is None else NOT_KNOWN]
            found.last = list[HostArgument]()
        if given.items is None:
            # From here on, which argument goes where is only known counted from the end.
            into = found.last
    found.between = lost[0] if lost and all(one.kind == lost[0].kind for one in lost) else NOT_KNOWN
    for keyword in call.keywords:
        if keyword.arg is not None:
            found.keywords[keyword.arg] = _argument(host, keyword.value)
        else:
            values, more = mapping(host, keyword.value)
            found.keywords.update(values)
            found.open |= more
    return found


def _argument(host: Frame, node: ast.expr) -> HostArgument:
    found = host.argument(node)
    if found.kind not in ("tensor", "unknown"):
        return found
    name = base(node)
    return found if name is None else replace(found, name=name)


def mapping(host: Frame, node: ast.expr, depth: int = 0) -> tuple[dict[str, HostArgument], bool]:
    """What a dict holds, and whether it may hold more."""
    found: dict[str, HostArgument] = {}
    more = False
    parts: list[ast.expr] = []
    if depth > _DEPTH:
        return found, True
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found[key.value] = host.argument(value)
            elif key is None:
                values, unknown = mapping(host, value, depth + 1)
                found.update(values)
                more |= unknown
            else:
                more = True
        return found, more
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        inside = passed(host, ast.Call(node.func, [], node.keywords))
        parts, found, more = node.args, inside.keywords, inside.open
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = [node.left, node.right]
    elif isinstance(node, ast.IfExp):
        return _either([mapping(host, part, depth + 1) for part in (node.body, node.orelse)])
    elif isinstance(node, ast.Name):
        return _named(host, node.id, depth)
    else:
        return found, True
    for part in parts:
        values, unknown = mapping(host, part, depth + 1)
        found = {**values, **found} if node.__class__ is ast.Call else {**found, **values}
        more |= unknown
    return found, more


def given(entry: Entry, name: str) -> HostArgument | None:
    """What a call of a function passes for its parameter ``name``; None: nothing that is known."""
    caller, call, function = entry
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    found = caller.passed(call)
    if arguments.vararg is not None and name == arguments.vararg.arg:
        return HostArgument("tuple", items=tuple(found.positional[len(names) :]))
    if name in found.keywords:
        return found.keywords[name]
    if name in names and names.index(name) < len(found.positional):
        return found.positional[names.index(name)]
    if found.more or found.open:
        return None
    default = constant(scopes.defaults(arguments).get(name))
    return None if default is NOT_KNOWN else default


def _either(branches: list[tuple[dict[str, HostArgument], bool]]) -> tuple[dict[str, HostArgument], bool]:
    """One of several dicts."""
    names = dict.fromkeys(name for values, _ in branches for name in values)
    found = {name: either([values[name] for values, _ in branches if name in values]) for name in names}
    return found, any(more for _, more in branches)


def _named(host: Frame, name: str, depth: int) -> tuple[dict[str, HostArgument], bool]:
    """What the dict of that name holds by the line of the launch: as it was made, and what was set in it since."""
    events, function = host.binding(name)
    if function is not None and any(e.how == "parameter" for e in events):
        return _rest(host, name, function)
    start = max((i for i, e in enumerate(events) if not e.guards), default=0)
    made = [mapping(host, e.value, depth + 1) for e in events[start:] if e.how == "assign" and e.value is not None]
    found, more = _either(made)
    more |= not made or len(made) < len(events[start:])
    for node in descend(function) if function is not None else ():
        if getattr(node, "lineno", host.line) > host.line:
            continue
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and _is(target.value, name):
                    key = target.slice
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        value = host.argument(node.value)
                        found[key.value] = either([found[key.value], value]) if key.value in found else value
                    else:
                        more = True
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("update", "setdefault", "pop")
            and _is(node.func.value, name)
        ):
            values, unknown = mapping(host, ast.Call(ast.Name("dict", ast.Load()), node.args, node.keywords), depth + 1)
            found.update(values)
            more |= unknown or node.func.attr != "update"
    return found, more


def _rest(host: Frame, name: str, function: scopes.FunctionNode) -> tuple[dict[str, HostArgument], bool]:
    """What a parameter holds that is a dict or the ``**rest`` of the keywords."""
    if host.entry is None or host.entry[2] is not function:
        return {}, True
    caller, call, _ = host.entry
    arguments = function.args
    if arguments.kwarg is not None and name == arguments.kwarg.arg:
        own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        found = passed(caller, call)
        return {n: value for n, value in found.keywords.items() if n not in own}, found.open
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    node = next((k.value for k in call.keywords if k.arg == name), None)
    if node is None and name in names and names.index(name) < len(call.args):
        node = call.args[names.index(name)]
    return ({}, True) if node is None or isinstance(node, ast.Starred) else mapping(caller, node, 1)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
