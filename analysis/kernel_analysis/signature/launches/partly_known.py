"""What host code makes of parts of which not all are known: dicts with keys that are in sight and others, tensor
descriptors, conditions. Evaluates through the evaluator alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.evaluate import interpret, kinds, layouts
from kernel_analysis.host.evaluate.argument import BOOL, INT, NOT_KNOWN, HostArgument, either, merged, supposed, unsure
from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import Dict, Items, Scope, Unknown, Value
from kernel_analysis.host.tensors.library import NUMBERS
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.scopes import Guard

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import Frame, HostView

_NOWHERE: Final = Unknown("It is not known without running the code.")


def written(host: HostView, node: ast.Dict, scope: Scope, before: int | None) -> Value:
    """``{"a": x, **more}``."""
    parts = [
        kinds.of(host.value(ast.Dict([key], [value]) if key is not None else value, scope, before))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return kinds.known(merged(*parts), _NOWHERE)


def dict_of(args: list[Value], keywords: dict[str, Value]) -> Value:
    """``dict(*args, **keywords)``."""
    return kinds.known(merged(*map(kinds.of, args), kinds.of(Dict(tuple(keywords.items())))), _NOWHERE)


def changed(value: Value) -> Value:
    """A container that something else may change as well. One that is made empty is made to be filled: how many are in
    it is not known."""
    if isinstance(value, Items) and value.kind == "list" and not value.values:
        return Unknown("How many are put into it is not known.")
    if isinstance(value, Dict) and not all(isinstance(key, str) for key, _ in value.pairs):
        return value  # nobody spreads it out, and what has been found in it is in question as it is
    return merged(kinds.of(value), NOT_KNOWN) if kinds.of(value).kind == "dict" else value


def undecided(host: HostView, node: ast.If, local: Scope) -> bool:
    """Makes a container what it is likely to be after an ``if`` that may go either way; only where nothing else than
    one is built."""
    if local.locals is None or local.parent is None or local.parent.node is not local.node:
        return False
    before, ends = dict(local.locals), list[dict[str, Value]]()
    for body in (node.body, node.orelse):
        local.locals = dict(before)
        interpret.block(host, body, local)
        ends.append(local.locals)
    local.locals = {name: host.one_of([end.get(name, _NOWHERE) for end in ends], _NOWHERE) for name in before}
    return True


def holds(host: HostView, frame: Frame, guards: Sequence[Guard]) -> bool | None:
    """Whether the conditions around a statement hold for what host code passes; None: that is not told."""
    known = [_condition(host, frame, guard) for guard in guards]
    return False if False in known else None if None in known else True


def returned(host: HostView, ways: Iterable[tuple[Frame, ast.expr, tuple[Guard, ...]]]) -> HostArgument:
    """What a function gives: what it returns where the conditions for that hold for what host code passes, or one of
    all that it may return."""
    parts: list[HostArgument] = []
    left: list[HostArgument] = []
    ended = False
    for frame, value, guards in ways:
        part = frame.argument(value)
        parts.append(part)
        held = None if ended else holds(host, frame, guards)
        if not ended and held is not False:
            left.append(part)
        ended = ended or bool(guards) and held is True
    if len(parts) > len(left) == 1 and kinds.returned(parts, left[0]):
        host.resolver.note("it depends on what host code passes")
        return unsure(left[0])
    return either(parts) if parts else NOT_KNOWN


def _condition(host: HostView, frame: Frame, guard: Guard) -> bool | None:
    if not isinstance(guard.node, ast.If):
        return None
    node = guard.node
    test = host.once(frame, node, lambda: host.evaluate(node.test, frame, frame.table.orders.get(id(node))))
    held = test.likely if isinstance(test, HostArgument) and test.kind == "bool" else truth(test)
    return held == (guard.part == "body") if isinstance(held, bool) else None


def descriptor(host: HostView, node: ast.Call, name: str, scope: Scope, before: int | None) -> HostArgument:
    """A tensor descriptor, with its block shape: ``(base, shape, strides, block_shape)``; a layout may follow."""
    position = 1 if name == "from_tensor" else 3
    keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
    blocks = keywords.get("block_shape") or (node.args[position] if len(node.args) > position else None)
    shape = NOT_KNOWN if blocks is None else kinds.of(host.value(blocks, scope, before))
    base = node.args[0] if node.args else keywords.get("tensor" if name == "from_tensor" else "base")
    tensor = kinds.of(host.value(base, scope, before)) if base is not None else NOT_KNOWN
    block, around = tuple(map(supposed, shape.items or ())), host.around(scope)
    extents = around.written(blocks)[: len(block)] if around is not None else ()
    made = keywords.get("layout") or (node.args[position + 1] if len(node.args) > position + 1 else None)
    split = None if made is None else layouts.split(host.value(made, scope, before))
    return HostArgument("descriptor", dtype=tensor.dtype, block=block, extents=extents, split=split)


def layout(host: HostView, node: ast.Call, scope: Scope, before: int | None) -> HostArgument:
    """A layout of Gluon's, of which it is known how it divides a block among thread blocks, and no more."""
    function = host.value(node.func, scope, before)
    rows = next((k.value for k in node.keywords if k.arg == "cga_layout"), None)
    if rows is None or not isinstance(function, TritonObject) or not layouts.is_layout(function.path):
        return NOT_KNOWN
    split = layouts.rows_of(supposed(kinds.of(host.value(rows, scope, before))))
    return NOT_KNOWN if split is None else HostArgument("layout", split=split)


def replaced(host: HostView, node: ast.Call, scope: Scope, before: int | None) -> HostArgument:
    """A tensor descriptor of which ``dataclasses.replace`` makes another, of the same tensor."""
    found = kinds.of(host.value(node.args[0], scope, before)) if len(node.args) == 1 else NOT_KNOWN
    blocks = any(keyword.arg in (None, "base", "block_shape") for keyword in node.keywords)
    return NOT_KNOWN if blocks or found.kind != "descriptor" else found


PARTS: Final = {"replace": replaced, "get_default_for": layout, "NVMMASharedLayout": layout}
"""By the name that is called, what is known where not all that is given is."""


def called(host: HostView, node: ast.Call, name: str, found: Unknown, scope: Scope, before: int | None) -> Value:
    """What is known of the result of a call by the name that is called."""
    if name in PARTS:
        return kind_or(PARTS[name](host, node, scope, before), found)
    if isinstance(node.func, ast.Attribute):
        return BOOL if name.startswith("is_") else INT if name in NUMBERS else found
    return INT if name in ("cdiv", "next_power_of_2") else found


def kind_or(found: HostArgument, otherwise: Value) -> Value:
    """What is known of a kind, where nothing else is."""
    return found if isinstance(otherwise, Unknown) and found is not NOT_KNOWN else otherwise
