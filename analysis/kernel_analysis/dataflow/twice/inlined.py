"""A kernel with the helpers that it calls written into it: for whoever asks what comes before what, and where a value
came from, in all that one run of the kernel does.

Nothing is decided here, and nothing left out: what can't be written in is said by None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from kernel_analysis.dataflow.memory.control_flow import reachable
from kernel_analysis.ir import Argument, At, Block, Function, Ir, Op

_MOST: Final = 4000
"""Operations; a kernel with more of them written out is not looked at."""
_DEEPEST: Final = 16

_Names = dict[str, str]


class InlinedOp:
    """An operation as it stands in its function, under names of its own. ``calls``: those that lead to it."""

    def __init__(self, source: Op, operands: list[str], results: list[str], at: At, calls: tuple[At, ...]) -> None:
        self._source = source
        self.operands, self.results, self.at, self.calls = operands, results, at, calls
        self.regions: list[list[InlinedBlock]] = []
        self.successors: list[tuple[int, list[str]]] = []

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def types(self) -> Sequence[str]:
        return self._source.types

    @property
    def attributes(self) -> Mapping[str, str]:
        return self._source.attributes


class InlinedBlock:
    """See ``ir.Block``."""

    def __init__(self, arguments: list[str]) -> None:
        self.arguments = arguments
        self.ops: list[InlinedOp] = []

    @property
    def last(self) -> InlinedOp | None:
        return self.ops[-1] if self.ops else None

    def select(self, wanted: Mapping[str, bool]) -> list[InlinedOp]:
        return [op for op in self.ops if wanted[op.name]]


class Inlined:
    """The function as ``Graph`` and the rules of provenance read one."""

    def __init__(self, function: Function) -> None:
        self.parameters, self.arguments = function.parameters, function.arguments
        self.blocks: list[InlinedBlock] = []
        self.definitions: dict[str, tuple[InlinedOp, int] | Argument] = {}

    def follow(self, value: str, names: AbstractSet[str]) -> list[str]:
        """See ``ir.Function``."""
        chain = [value]
        while not isinstance(made := self.definitions[value], Argument) and made[0].name in names and made[0].operands:
            value = made[0].operands[0]
            chain.append(value)
        return chain


class _TooMuch(Exception):
    """Something can't be written in."""


def inlined(ir: Ir, stays: Callable[[Op], bool]) -> Inlined | None:
    """The kernel with all calls written in but those that may stay; None where a helper has several ends, calls itself
    or the whole grows too large."""
    function = ir.functions[ir.entry]
    writer = _Writer(ir, stays, Inlined(function))
    try:
        writer.function.blocks = writer.region(function.blocks, None, 0, _Place({}, "", None, ()))
    except _TooMuch:
        return None
    return writer.function


class _Place:
    """Where is written: what values are called here and what is put before all others, and the calls that lead here.
    ``at``: what stands in the place of operations that are Triton's own."""

    def __init__(self, names: _Names, prefix: str, at: At | None, calls: tuple[At, ...]) -> None:
        self.names, self.prefix, self.at, self.calls = names, prefix, at, calls

    def named(self, values: Sequence[str]) -> list[str]:
        return [self.names.get(value) or self.prefix + value for value in values]


class _Writer:
    def __init__(self, ir: Ir, stays: Callable[[Op], bool], function: Inlined) -> None:
        self._ir, self._stays, self.function = ir, stays, function
        self._calls = self._ops = 0

    def region(
        self, blocks: Sequence[Block], owner: InlinedOp | None, region: int, place: _Place
    ) -> list[InlinedBlock]:
        made: list[InlinedBlock] = []
        for number, block in enumerate(blocks):
            arguments = place.named(block.arguments)
            for index, argument in enumerate(arguments):
                self.function.definitions[argument] = Argument(owner, region, number, index)
            made.append(InlinedBlock(arguments))
            for op in block.ops:
                self._write(op, made[-1], place)
        return made

    def _write(self, op: Op, block: InlinedBlock, place: _Place) -> None:
        if op.name == "tt.call" and not self._stays(op):
            self._call(op, block, place)
            return
        self._ops += 1
        if self._ops > _MOST:
            raise _TooMuch
        at = op.at if place.at is None else place.at
        written = InlinedOp(op, place.named(op.operands), place.named(op.results), at, place.calls)
        for index, result in enumerate(written.results):
            self.function.definitions[result] = written, index
        written.regions = [self.region(blocks, written, n, place) for n, blocks in enumerate(op.regions)]
        written.successors = [(target, place.named(passed)) for target, passed in op.successors]
        block.ops.append(written)

    def _call(self, op: Op, block: InlinedBlock, place: _Place) -> None:
        callee = self._ir.functions[op.attributes["callee"]]
        if len(reachable(callee.blocks)) != 1 or len(place.calls) > _DEEPEST:
            raise _TooMuch  # a `return` under a condition, or a circle
        self._calls += 1
        names = dict(zip(callee.arguments, place.named(op.operands), strict=True))
        own = callee.index >= 0 and place.at is None
        at = None if own else place.at or op.at
        inside = _Place(names, f"{self._calls}:", at, (*place.calls, op.at) if own else place.calls)
        returned: Sequence[str] = ()
        for each in callee.blocks[0].ops:
            if each.name == "tt.return":
                returned = inside.named(each.operands)
            else:
                self._write(each, block, inside)
        if len(returned) != len(op.results):
            raise _TooMuch
        place.names.update(zip(op.results, returned, strict=True))
