"""What running a kernel a second time on the same memory makes of it: where it reads what it wrote the first time, and
something else comes of it. Certain or nothing: no verdict is drawn from its silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kernel_analysis.dataflow.memory.control_flow import Graph
from kernel_analysis.dataflow.memory.operations import ROWS
from kernel_analysis.dataflow.memory.summary import Summaries
from kernel_analysis.dataflow.twice.computed_again import Again
from kernel_analysis.dataflow.twice.inlined import InlinedOp, inlined
from kernel_analysis.facts import Site
from kernel_analysis.ir import Argument, Body, Op
from kernel_analysis.record import record

ADDS: Final = frozenset({"add", "fadd", "xor"})
"""The atomics that do more each time; of the others the second changes nothing."""
_PLAIN: Final = {"tt.load": "tt.store", "tt.descriptor_load": "tt.descriptor_store"}
_TO_BASE: Final = frozenset({"tt.addptr", "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.bitcast",
                             "tt.make_tensor_descriptor"})  # fmt: skip
_DEEPEST: Final = 40


@record
class _Memory:
    """An operation on memory: which of the function's arguments its address comes from (None: not known)."""

    op: Op
    place: int
    base: int | None
    address: str
    more: Sequence[str]
    mask: str | None
    value: str | None

    def site(self) -> Site:
        calls = self.op.calls if isinstance(self.op, InlinedOp) else ()
        return Site(self.op.name, self.op.at, calls, self.mask is not None)


def again(summaries: Summaries) -> dict[str, tuple[Site, Site]]:
    """Of each parameter of which it is certain: where it is read and where written; one place for an atomic."""
    return _Twice(summaries).found()


class _Twice:
    def __init__(self, summaries: Summaries) -> None:
        self._summaries = summaries
        self._function: Body = summaries.ir.functions[summaries.ir.entry]
        self._graph: Graph[Body] = Graph(self._function)
        if any(step.op.name == "tt.call" and not self._is_quiet(step.op) for step in self._graph.steps):
            whole = inlined(summaries.ir, self._is_quiet)
            if whole is not None:
                self._function, self._graph = whole, Graph(whole)
        self._same: dict[tuple[str, str], bool] = {}
        self._computed = Again(summaries)

    def found(self) -> dict[str, tuple[Site, Site]]:
        every: list[_Memory] = []
        for place, step in enumerate(self._graph.steps):
            row = ROWS[step.op.name]
            if row is not None and row.result == "call" and self._is_quiet(step.op):
                continue
            if row is None or row.result in ("call", "asm"):
                # Who knows what that wrote before.
                return {}
            if row.reads or row.writes:
                every.append(self._memory(step.op, place))
        made: dict[str, tuple[Site, Site]] = {}
        for read in every:
            if read.base is not None and self._function.parameters[read.base] not in made:
                pair = self._added(read, every) or self._rewritten(read, every)
                if pair is not None:
                    made[self._function.parameters[read.base]] = pair
        return made

    def _is_quiet(self, call: Op) -> bool:
        """Whether what it calls leaves memory alone."""
        return self._summaries.of(call.attributes["callee"]).quiet

    def _memory(self, op: Op, place: int) -> _Memory:
        row = ROWS[op.name]
        assert row is not None
        address = op.operands[(row.reads or row.writes)[0]]
        stored = row.stores if row.stores is None else row.stores % len(op.operands)
        value = None if stored is None else op.operands[stored]
        masked = row.mask_from is not None and len(op.operands) > row.mask_from
        # Behind the mask of a load stands what it gives elsewhere.
        mask = op.operands[row.mask_from] if masked and row.mask_from is not None else None
        more = [o for n, o in enumerate(op.operands) if o != address and n != stored] if row.indexed else []
        return _Memory(op, place, self._base(address), address, more, mask, value)

    def _base(self, address: str) -> int | None:
        """The argument that an address is based on, followed through the turns of loops."""
        for _ in range(_DEEPEST):
            address = self._function.follow(address, _TO_BASE)[-1]
            definition = self._function.definitions[address]
            if not isinstance(definition, Argument):
                return None
            if definition.owner is None:
                arguments = list(self._function.arguments)
                return arguments.index(address) if address in arguments else None
            if definition.owner.name != "scf.for" or definition.index == 0:
                return None
            address = definition.owner.operands[2 + definition.index]
        return None

    def _added(self, atomic: _Memory, every: list[_Memory]) -> tuple[Site, Site] | None:
        """An atomic that adds to what is there, where nothing else writes it."""
        if (
            atomic.op.name != "tt.atomic_rmw"
            or atomic.op.attributes.get("kind") not in ADDS
            or self._zero(atomic.value)
        ):
            return None
        writes = [m for m in every if self._writes(m) and m.base in (atomic.base, None)]
        if any(m.op.name != "tt.atomic_rmw" or m.base is None for m in writes):
            return None
        kinds = {m.op.attributes.get("kind") for m in writes}
        return (atomic.site(), atomic.site()) if kinds <= ADDS else None

    def _rewritten(self, read: _Memory, every: list[_Memory]) -> tuple[Site, Site] | None:
        """A load of what the same program writes afterwards, and did not write before."""
        stores = _PLAIN.get(read.op.name)
        if stores is None or len(read.op.results) != 1:
            return None
        if any(m.place < read.place and self._writes(m) and m.base in (read.base, None) for m in every):
            return None
        loaded = read.op.results[0]
        for write in every:
            if write.op.name != stores or write.base != read.base or write.value is None or not self._meet(read, write):
                continue
            reached = self._reaches(write.value, loaded)
            if reached == "changed":
                return read.site(), write.site()
            others = [m for m in every if self._writes(m) and m.base != read.base and m.value is not None]
            if reached is None and any(m.value and self._reaches(m.value, loaded) for m in others):
                # It is gone when the second run looks for it.
                return read.site(), write.site()
        return None

    @staticmethod
    def _writes(memory: _Memory) -> bool:
        row = ROWS[memory.op.name]
        return row is not None and bool(row.writes)

    def _meet(self, read: _Memory, write: _Memory) -> bool:
        """Whether both touch the same addresses for certain."""
        if not self._equal(read.address, write.address) or len(read.more) != len(write.more):
            return False
        if not all(self._equal(a, b) for a, b in zip(read.more, write.more, strict=True)):
            return False
        return read.mask is None or write.mask is None or self._equal(read.mask, write.mask)

    def _equal(self, a: str, b: str, depth: int = 0) -> bool:
        """Whether two values are computed in the same way of the same."""
        if a == b:
            return True
        if (a, b) in self._same or depth > _DEEPEST:
            return self._same.get((a, b), False)
        first, second = self._function.definitions[a], self._function.definitions[b]
        found = False
        if not isinstance(first, Argument) and not isinstance(second, Argument):
            (one, index), (other, position) = first, second
            found = (
                one.name == other.name
                and index == position
                and not one.regions
                and _pure(one.name)
                and len(one.operands) == len(other.operands)
                and (bool(one.operands) or bool(one.attributes))
                and dict(one.attributes) == dict(other.attributes)
                and list(one.types) == list(other.types)
                and all(self._equal(x, y, depth + 1) for x, y in zip(one.operands, other.operands, strict=True))
            )
        self._same[a, b] = found
        return found

    def _zero(self, value: str | None) -> bool:
        if value is None:
            return True
        value = self._function.follow(value, {"tt.splat", "tt.broadcast"})[-1]
        definition = self._function.definitions[value]
        if isinstance(definition, Argument) or definition[0].name != "arith.constant":
            return False
        said = definition[0].attributes
        return float(said.get("value", said.get("real", "nan"))) == 0

    def _reaches(self, value: str, loaded: str) -> str | None:
        """Whether a value is made of what was loaded: ``changed``, so that it is another where that is; ``kept``, where
        doing it twice may come to the same."""
        return self._computed.of(self._graph, value, loaded)


def _pure(name: str) -> bool:
    """Whether it gives the same for the same operands, and all else that it depends on is told of it."""
    row = ROWS[name]
    if row is None or row.reads or row.writes or name == "arith.cmpf":
        return False
    return row.result not in ("load", "call", "asm", "extern", "kept")
