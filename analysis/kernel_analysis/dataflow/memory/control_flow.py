"""What runs in a function and how control reaches it, in one pass over the operations that matter; only what can be
reached counts.

Decides nothing about memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from kernel_analysis.dataflow.memory.operations import ROWS, STEPS
from kernel_analysis.ir import Block, Body, Op

B_co = TypeVar("B_co", bound=Body, covariant=True)


class _Wanted(dict[str, bool]):
    """Operation as printed -> whether the pass must see it: it is a step, has regions, or is not known."""

    def __missing__(self, printed: str) -> bool:
        name = printed.strip('"')
        row = ROWS[name]
        made = self[printed] = STEPS[name] or row is not None and row.result == "region"
        return made


_WANTED = _Wanted()


class OrderedOp(NamedTuple):
    """An operation in the order in which the program runs it. ``sure``: it runs whenever the function runs;
    ``straight``: under no condition but a loop's. ``deciders``: the values that say whether, and how often."""

    op: Op
    sure: bool
    straight: bool
    deciders: Sequence[str]


class Graph(Generic[B_co]):
    """``steps``: the operations with effects, calls, assembly and unknown ones. ``returns``: the operands of every
    reachable return.

    ``incoming`` holds what each jump passes to a block, ``terminators`` the operands that end a region, ``branches``
    the values by which its jumps go one way or the other (all by owner and region)."""

    def __init__(self, function: B_co) -> None:
        self.function = function
        self.steps: list[OrderedOp] = []
        self.returns: list[Sequence[str]] = []
        self.incoming: dict[tuple[int, int, int], list[Sequence[str]]] = {}
        self.terminators: dict[tuple[int, int], list[Sequence[str]]] = {}
        self.branches: dict[tuple[int, int], tuple[str, ...]] = {}
        self._region(function.blocks, None, 0, True, True, ())

    def _region(
        self,
        blocks: Sequence[Block],
        owner: Op | None,
        region: int,
        sure: bool,
        straight: bool,
        around: Sequence[str],
    ) -> None:
        key = id(owner), region
        ends = self.terminators.setdefault(key, [])
        numbers = reachable(blocks)
        branches = self.branches[key] = _branches(blocks, numbers) if len(numbers) > 1 else ()
        for number in numbers:
            block = blocks[number]
            deciders = (*around, *branches) if number and branches else around
            for op in block.select(_WANTED):
                self._op(op, sure and number == 0, straight and number == 0, deciders)
            last = block.last
            if last is None:
                continue
            if last.name == "tt.return":
                self.returns.append(last.operands)
            elif last.successors:
                for target, passed in last.successors:
                    self.incoming.setdefault((*key, target), []).append(passed)
            else:
                ends.append(last.operands)

    def _op(self, op: Op, sure: bool, straight: bool, deciders: Sequence[str]) -> None:
        if STEPS[op.name]:
            self.steps.append(OrderedOp(op, sure, straight, deciders))
            if ROWS[op.name] is not None:
                return
        if op.regions:
            deciders = (*deciders, *deciders_of(op))
        for number, blocks in enumerate(op.regions):
            always = op.name in ("scf.execute_region", "ttg.warp_specialize") or op.name == "scf.while" and number == 0
            self._region(blocks, op, number, sure and always, straight and (always or op.name == "scf.for"), deciders)


def deciders_of(op: Op) -> Sequence[str]:
    """The values that say which of an operation's regions runs, and how often."""
    if op.name in ("scf.if", "scf.index_switch"):
        return op.operands[:1]
    if op.name == "scf.for":
        return op.operands[:3]
    if op.name == "scf.while":
        ends = [block.last for block in op.regions[0]]
        return [end.operands[0] for end in ends if end is not None and end.name == "scf.condition"]
    return ()


def _branches(blocks: Sequence[Block], numbers: Sequence[int]) -> tuple[str, ...]:
    lasts = [blocks[number].last for number in numbers]
    return tuple([last.operands[0] for last in lasts if last is not None and last.name in ("cf.cond_br", "cf.switch")])


def reachable(blocks: Sequence[Block]) -> Sequence[int]:
    """The blocks that control can reach from the first, in order."""
    if len(blocks) < 2:
        return range(len(blocks))
    queue, seen = [0], {0}
    while queue:
        last = blocks[queue.pop()].last
        targets = {target for target, _ in last.successors} if last is not None else set[int]()
        queue.extend(targets - seen)
        seen |= targets
    return sorted(seen)
