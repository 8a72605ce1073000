"""Pointer provenance: from which arguments of its function the address in a value comes. Asked for on demand, so that
only address arithmetic is walked; a worklist over a finite lattice, so that the cost is linear in what is walked.
"""

from __future__ import annotations

from collections.abc import Callable

from kernel_analysis.dataflow.asm import AsmEffects
from kernel_analysis.dataflow.graph import Argument, Graph
from kernel_analysis.dataflow.operations import operation
from kernel_analysis.dataflow.origin import NOTHING, Fields, Origin
from kernel_analysis.dataflow.sources import argument_sources, region_sources, split_sources
from kernel_analysis.ir import Op

_REMAINDERS = ("arith.andi", "arith.remsi", "arith.remui")
_SMALL = 4096
"""What remains of an address below this says where in a page it points, not to what."""


class Provenance:
    """``returned(op)``: the origins of a call's results, given those of its operands. ``assembly(op)``: what an
    inline assembly does.

    ``reason(text, op)`` numbers a reason. ``offsets``: whether offsets must be looked at too (some pointer is turned
    into a number somewhere)."""

    def __init__(
        self,
        graph: Graph,
        fields: Fields,
        returned: Callable[[Op, list[Origin]], list[Origin]],
        assembly: Callable[[Op], AsmEffects],
        reason: Callable[[str, Op], int],
        offsets: bool,
    ) -> None:
        self._graph, self._fields = graph, fields
        self._returned, self._assembly, self._reason = returned, assembly, reason
        self._offsets = offsets
        self._known: dict[int, Origin] = {}

    def of(self, value: int) -> Origin:
        """The origin of a value."""
        known = self._known.get(value)
        if known is None:
            self._solve(value)
            known = self._known[value]
        return known

    def _solve(self, root: int) -> None:
        order: list[int] = []
        users: dict[int, list[int]] = {}
        sources: dict[int, list[int]] = {}
        stack: list[tuple[int, int]] = [(root, 0)]
        sources[root] = self._sources(root)
        while stack:
            value, position = stack.pop()
            inner = sources[value]
            while position < len(inner):
                source = inner[position]
                position += 1
                users.setdefault(source, []).append(value)
                if source not in self._known and source not in sources:
                    sources[source] = self._sources(source)
                    stack.append((value, position))
                    stack.append((source, 0))
                    break
            else:
                order.append(value)
        current = dict.fromkeys(order, NOTHING)
        queue, queued = order, set(order)
        while queue:
            again: list[int] = []
            for value in queue:
                queued.discard(value)
                made = self._transfer(value, [self._known.get(s, current.get(s, NOTHING)) for s in sources[value]])
                if made != current[value]:
                    current[value] = made
                    for user in users.get(value, ()):
                        if user not in queued:
                            queued.add(user)
                            again.append(user)
            # What changed before its users were visited in this round needs no second one.
            queue = again
        self._known.update(current)

    def _sources(self, value: int) -> list[int]:
        definition = self._graph.definitions[value]
        if isinstance(definition, Argument):
            return argument_sources(self._graph, definition)
        op, index = definition
        row = operation(op.name)
        kind = "unknown" if row is None else row.result
        if op.name == "tt.split":
            return split_sources(self._graph, op, index)
        if op.name in _REMAINDERS and any(self._small(operand) for operand in op.operands[1:] + op.operands[:1]):
            return []  # a few low bits of an address lead nowhere
        if kind == "pass" and row is not None:
            return [op.operands[i] for i in row.passes if i < len(op.operands)] if row.passes else op.operands
        if kind == "sum":
            return op.operands if self._offsets or not op.name.startswith("tt.") else op.operands[:1]
        if kind == "load":
            address = row.reads[0] if row is not None else 0
            return [op.operands[address]] if _may_hold_address(self._graph.types[value]) else []
        if kind == "region":
            return region_sources(self._graph, op, index)
        if kind == "none":
            return []
        return op.operands

    def _transfer(self, value: int, origins: list[Origin]) -> Origin:
        fields = self._fields
        definition = self._graph.definitions[value]
        union = NOTHING
        for origin in origins:
            union |= origin
        if isinstance(definition, Argument):
            if definition.owner is None and definition.block == 0:
                kind = self._graph.types[value]
                if "!tt." in kind:
                    return fields.base(definition.index)
                return fields.integer(definition.index) if _may_hold_address(kind) else NOTHING
            return union
        op, index = definition
        row = operation(op.name)
        kind = "unknown" if row is None else row.result
        if kind == "pass" or kind == "region":
            if op.name in ("arith.extsi", "arith.extui") and not _may_hold_address(self._graph.types[op.operands[0]]):
                return fields.as_number(union)  # 32 bits hold no address
            return union
        if kind == "sum":
            return self._sum(op, origins)
        if kind == "load":
            text = self._graph.types[value]
            return fields.loaded(union, "!tt.ptr" in text, True) if origins else NOTHING
        if kind == "from_integer":
            made, unsure = fields.address_of_integer(union)
            if unsure:
                made |= fields.reason(
                    self._reason(
                        "the address is computed from integers in a way that does not tell its base from an offset", op
                    )
                )
            return made
        if kind == "numeric":
            return fields.as_number(union)
        if kind == "call":
            return self._returned(op, origins)[index]
        if kind == "asm":
            return self._assembled(op, index, origins)
        if kind == "extern":
            return fields.as_number(union)
        if kind == "none":
            return NOTHING
        if not _may_hold_address(self._graph.types[value]) and "memdesc" not in self._graph.types[value]:
            return fields.as_number(union)
        known = (
            "is kept in shared memory"
            if row is not None
            else f"comes out of the operation `{op.name}`, which triton-ls does not know"
        )
        return fields.as_number(union) | fields.reason(self._reason(f"the address {known}", op))

    def _small(self, value: int) -> bool:
        definition = self._graph.definitions[value]
        while not isinstance(definition, Argument) and definition[0].name in ("tt.splat", "arith.extsi", "arith.extui"):
            definition = self._graph.definitions[definition[0].operands[0]]
        if isinstance(definition, Argument) or definition[0].name != "arith.constant":
            return False
        return 0 <= int(definition[0].attributes.get("value", "-1")) < _SMALL

    def _sum(self, op: Op, origins: list[Origin]) -> Origin:
        """``base + offset``: of a pointer the first operand; of integers whichever holds an address for certain."""
        fields = self._fields
        base = origins[0]
        others = NOTHING
        for origin in origins[1:]:
            others |= origin
        if op.name == "tt.addptr":
            held = fields.bases(others) | fields.numbers(others)
            return base | fields.as_number(others) if held & ~fields.bases(base) else base
        sure, other_sure = fields.bases(base) | fields.tables(base), fields.bases(others) | fields.tables(others)
        if op.name == "arith.subi":
            if sure and other_sure:
                return fields.as_number(base | others)  # the distance between two pointers
            return base | fields.as_number(others)
        if sure and not other_sure:
            return base | fields.as_number(others)
        if other_sure and not sure:
            return others | fields.as_number(base)
        return base | others

    def _assembled(self, op: Op, index: int, origins: list[Origin]) -> Origin:
        fields = self._fields
        result = self._assembly(op).results[index]
        made = NOTHING
        for operand in result.operands:
            made |= origins[operand]
        for operand in result.loaded:
            made |= fields.loaded(origins[operand], "!tt.ptr" in self._graph.types[op.results[index].id], True)
        if result.unknown is not None and _may_hold_address(self._graph.types[op.results[index].id]):
            union = NOTHING
            for origin in origins:
                union |= origin
            made |= fields.as_number(union) | fields.reason(self._reason(result.unknown, op))
        return made


def _may_hold_address(kind: str) -> bool:
    """Whether a value of this MLIR type has room for an address: a pointer, a descriptor or a 64-bit integer."""
    return "!tt." in kind or "i64" in kind
