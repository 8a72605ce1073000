"""A function's values and where each is defined, in one pass; only what can be reached counts.

Answers: what a value is computed from, in one step. Decides nothing about memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kernel_analysis.dataflow.operations import operation
from kernel_analysis.ir import Block, Function, Op


@dataclass(slots=True)
class Argument:
    """A block argument: of which operation's region (None: the function's own) and block, and the index."""

    owner: Op | None
    region: int
    block: int
    index: int


@dataclass(slots=True)
class Step:
    """An operation in the order in which the program runs it. ``sure``: it runs whenever the function runs;
    ``straight``: under no condition but a loop's."""

    op: Op
    sure: bool
    straight: bool


@dataclass(slots=True)
class Graph:
    """``names``: the operations that occur. ``steps``: the operations with effects, calls, assembly and unknown ones.
    ``returns``: the operands of every reachable return.

    ``incoming`` holds what each jump passes to a block, ``terminators`` the operands that end a region (both by owner
    and region), ``captures`` what a warp specialization hands to its partitions."""

    function: Function
    definitions: dict[int, tuple[Op, int] | Argument] = field(default_factory=dict[int, "tuple[Op, int] | Argument"])
    types: dict[int, str] = field(default_factory=dict[int, str])
    steps: list[Step] = field(default_factory=list[Step])
    returns: list[list[int]] = field(default_factory=list[list[int]])
    incoming: dict[tuple[int, int, int], list[list[int]]] = field(
        default_factory=dict[tuple[int, int, int], list[list[int]]]
    )
    terminators: dict[tuple[int, int], list[list[int]]] = field(default_factory=dict[tuple[int, int], list[list[int]]])
    names: set[str] = field(default_factory=set[str])
    captures: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    def __post_init__(self) -> None:
        self._region(self.function.blocks, None, 0, True, True)

    def _region(self, blocks: list[Block], owner: Op | None, region: int, sure: bool, straight: bool) -> None:
        key = id(owner), region
        ends = self.terminators.setdefault(key, [])
        for number in _reachable(blocks):
            block = blocks[number]
            for index, argument in enumerate(block.arguments):
                self.definitions[argument.id] = Argument(owner, region, number, index)
                self.types[argument.id] = argument.type
            for op in block.ops:
                self._op(op, sure and number == 0, straight and number == 0)
            last = block.ops[-1]
            for target, passed in last.successors:
                self.incoming.setdefault((*key, target), []).append(passed)
            if not last.successors:
                ends.append(last.operands)
                if last.name == "tt.return":
                    self.returns.append(last.operands)

    def _op(self, op: Op, sure: bool, straight: bool) -> None:
        for index, result in enumerate(op.results):
            self.definitions[result.id] = (op, index)
            self.types[result.id] = result.type
        self.names.add(op.name)
        row = operation(op.name)
        if row is None or row.reads or row.writes or row.result in ("call", "asm", "extern"):
            self.steps.append(Step(op, sure, straight))
        if op.regions:
            if op.name == "ttg.warp_specialize":
                self.captures.update(
                    {id(inner): op.operands for blocks in op.regions for block in blocks for inner in block.ops}
                )
            for number, blocks in enumerate(op.regions):
                always = (
                    op.name in ("scf.execute_region", "ttg.warp_specialize") or op.name == "scf.while" and number == 0
                )
                self._region(blocks, op, number, sure and always, straight and (always or op.name == "scf.for"))


def _reachable(blocks: list[Block]) -> list[int]:
    """The blocks that control can reach from the first, in order."""
    if not blocks:
        return []
    queue, seen = [0], {0}
    while queue:
        last = blocks[queue.pop()].ops[-1]
        targets = {target for target, _ in last.successors}
        if last.name == "cf.switch" and not targets:
            targets = set(range(1, len(blocks)))  # its targets are not read: any may be one
        queue.extend(targets - seen)
        seen |= targets
    return sorted(seen)
