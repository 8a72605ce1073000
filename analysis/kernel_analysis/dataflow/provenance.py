"""Pointer provenance: from which arguments of its function the address in a value comes. Asked for on demand, so that
only address arithmetic is walked; a worklist over a finite lattice, so that the cost is linear in what is walked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernel_analysis.dataflow.asm import AsmEffects
from kernel_analysis.dataflow.graph import Graph
from kernel_analysis.dataflow.operations import ROWS
from kernel_analysis.dataflow.origin import NOTHING, Fields, Origin, bits
from kernel_analysis.dataflow.sources import argument_sources, region_sources, split_sources
from kernel_analysis.ir import Argument, Op

_REMAINDERS = ("arith.remsi", "arith.remui")
_ONE_BASE = frozenset({"tt.addptr", "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans"})
"""Their results are based on their first operand."""
_SMALL = 4096
"""What remains of an address below this says where in a page it points, not to what."""


class Provenance:
    """``returned(op, index)``: the origin of a call's result in the callee's own terms. ``assembly(op)``: what an
    inline assembly does.

    ``reason(text, op)`` numbers a reason. ``offsets``: whether offsets must be looked at too (some pointer is turned
    into a number somewhere)."""

    def __init__(
        self,
        graph: Graph,
        fields: Fields,
        returned: Callable[[Op, int], Origin],
        assembly: Callable[[Op], AsmEffects],
        reason: Callable[[str, Op], int],
        offsets: bool,
    ) -> None:
        self._graph, self._fields = graph, fields
        self._returned, self._assembly, self._reason = returned, assembly, reason
        self._offsets = offsets
        self._known: dict[str, Origin] = {}
        self._function = graph.function
        self._arguments = {argument: index for index, argument in enumerate(graph.function.arguments)}
        self._one_base = _ONE_BASE - {"tt.addptr"} if offsets else _ONE_BASE
        self._may_hold_address = graph.function.may_hold_address

    def of(self, value: str) -> Origin:
        """The origin of a value."""
        known = self._known
        if value in known:
            return known[value]
        # Most of an address is a base with offsets added to it, made wider step by step.
        chain = self._function.follow(value, self._one_base)
        base = chain[-1]
        if base not in known:
            index = self._arguments.get(base)
            if index is None:
                self._solve(base)
            else:
                known[base] = self._argument(index)
        origin = known[base]
        for value in chain:
            known[value] = origin
        return origin

    def _argument(self, index: int) -> Origin:
        kind = self._function.argument_types[index]
        if "!tt." in kind:
            return self._fields.base(index)
        return self._fields.integer(index) if "i64" in kind else NOTHING

    def _solve(self, root: str) -> None:
        known = self._known
        made: dict[str, Origin] = {}
        sources = {root: self._sources(root)}
        stack = [(root, iter(sources[root]))]
        early: list[str] = []  # looked at before all that they come from, as the first of a loop always is
        while stack:
            value, rest = stack[-1]
            for source in rest:
                if source in known or source in made:
                    continue
                if source in sources:
                    early.append(value)
                    continue
                inner = sources[source] = self._sources(source)
                stack.append((source, iter(inner)))
                break
            else:
                stack.pop()
                made[value] = self._transfer(value, [known.get(s) or made.get(s, NOTHING) for s in sources[value]])
        known.update(made)
        if early:
            self._settle(early, sources)

    def _settle(self, changed: list[str], sources: dict[str, Sequence[str]]) -> None:
        """Go round the loops until nothing changes; ``sources`` are those of all values in question."""
        known = self._known
        users: dict[str, list[str]] = {}
        for value, inner in sources.items():
            for source in inner:
                users.setdefault(source, []).append(value)
        queue = dict.fromkeys(changed)
        while queue:
            value = next(iter(queue))
            del queue[value]
            made = self._transfer(value, [known[source] for source in sources[value]])
            if made != known[value]:
                known[value] = made
                queue.update(dict.fromkeys(users.get(value, ())))

    def _sources(self, value: str) -> Sequence[str]:
        definition = self._function.definitions[value]
        if isinstance(definition, Argument):
            return argument_sources(self._graph, definition)
        op, index = definition
        row = ROWS[op.name]
        kind = "unknown" if row is None else row.result
        if kind == "sum":
            return op.operands if self._offsets or op.name != "tt.addptr" else op.operands[:1]
        if kind == "pass" and row is not None:
            if op.name == "tt.split":
                return split_sources(self._graph, op, index)
            if op.name == "arith.andi" and any(map(self._small, op.operands)):
                return []  # a few low bits of an address lead nowhere
            return [op.operands[i] for i in row.passes if i < len(op.operands)] if row.passes else op.operands
        if kind == "call":
            return [op.operands[i] for i in bits(self._fields.anything(self._returned(op, index)))]
        if op.name in _REMAINDERS and any(map(self._small, op.operands)):
            return []
        if kind == "load":
            address = row.reads[0] if row is not None else 0
            return [op.operands[address]] if self._may_hold_address(value) else []
        if kind == "region":
            return region_sources(self._graph, op, index)
        if kind == "none":
            return []
        return op.operands

    def _transfer(self, value: str, origins: list[Origin]) -> Origin:
        fields = self._fields
        definition = self._function.definitions[value]
        union = NOTHING
        for origin in origins:
            union |= origin
        if isinstance(definition, Argument):
            if definition.owner is None and definition.block == 0:
                return self._argument(definition.index)
            return union
        op, index = definition
        row = ROWS[op.name]
        kind = "unknown" if row is None else row.result
        if kind == "pass" or kind == "region":
            if op.name in ("arith.extsi", "arith.extui") and not self._may_hold_address(op.operands[0]):
                return fields.as_number(union)  # 32 bits hold no address
            return union
        if kind == "sum":
            return self._sum(op, origins)
        if kind == "load":
            text = self._function.types[value]
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
            origin = self._returned(op, index)
            arguments = dict(zip(bits(fields.anything(origin)), origins, strict=True))
            return fields.substitute(origin, arguments)
        if kind == "asm":
            return self._assembled(op, index, origins)
        if kind == "extern":
            return fields.as_number(union)
        if kind == "none":
            return NOTHING
        if not self._may_hold_address(value) and "memdesc" not in self._function.types[value]:
            return fields.as_number(union)
        known = (
            "is kept in shared memory"
            if row is not None
            else f"comes out of the operation `{op.name}`, which triton-ls does not know"
        )
        return fields.as_number(union) | fields.reason(self._reason(f"the address {known}", op))

    def _small(self, value: str) -> bool:
        definition = self._function.definitions[value]
        while not isinstance(definition, Argument) and definition[0].name in ("tt.splat", "arith.extsi", "arith.extui"):
            definition = self._function.definitions[definition[0].operands[0]]
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
            made |= fields.loaded(origins[operand], "!tt.ptr" in self._function.types[op.results[index]], True)
        if result.unknown is not None and self._may_hold_address(op.results[index]):
            union = NOTHING
            for origin in origins:
                union |= origin
            made |= fields.as_number(union) | fields.reason(self._reason(result.unknown, op))
        return made
