"""Which addresses a kernel may touch: its functions, branches and loops followed once, with every value a range.

Where a bound can't be given, the access says so with its place. What single operations make and do is elsewhere.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kernel_analysis.dataflow.memory.operations import ROWS
from kernel_analysis.ir import Block, Function, Ir, Op
from kernel_analysis.launch.bounds import loop_ranges, weight
from kernel_analysis.launch.bounds.integers import Truth, Value, unknown
from kernel_analysis.launch.bounds.linear_forms import Bounds, Form, Number, atom
from kernel_analysis.launch.bounds.ranges import Values
from kernel_analysis.launch.bounds.recording import record
from kernel_analysis.launch.bounds.touched import Path, TooHard, TooLong, Touched

_SECONDS = 2.0
_OFTEN = 4
"""How many times a loop turns of which nothing says it, as a guess for the time that it takes."""


def bounded(
    ir: Ir, arguments: Sequence[Value], grid: tuple[int, int, int], loads: Mapping[str, tuple[int, int] | None]
) -> Touched:
    """All that one launch may touch. ``arguments``: the value of each argument of the entry function. ``loads``: the
    range of the integers in a buffer, by base; None for one whose content can't be known. Raises TooHard, TooLong."""
    evaluation = _Evaluation(ir, Values(grid, loads), math.prod(grid))
    evaluation.function(ir.functions[ir.entry], list(arguments), Path())
    return evaluation.found


class _Evaluation:
    def __init__(self, ir: Ir, values: Values, programs: int) -> None:
        self._ir, self._values, self._programs = ir, values, programs
        self._either = values.arithmetic.either
        self._depth = 0
        self._looked_at: set[str] = set()
        self._until = time.process_time() + _SECONDS
        self.found = Touched()

    def function(self, function: Function, arguments: list[Value], path: Path) -> list[Value]:
        """What a call returns. Its blocks are taken in order, each once."""
        if self._depth > weight.DEPTH:
            raise TooHard(f"`{function.name}` calls itself too deeply to be followed")
        self._depth += 1
        values = dict(zip(function.arguments, arguments, strict=False))
        incoming: dict[int, list[tuple[list[Value], Path]]] = {0: [([], path)]}
        results: list[Value] = []
        for number, block in enumerate(function.blocks):
            ways = incoming.get(number)
            if not ways:
                continue
            inner = _joined(path, [way for _, way in ways])
            if number:
                passed = ways[0][0]
                for other, _ in ways[1:]:
                    passed = [self._either(a, b) for a, b in zip(passed, other, strict=True)]
                values.update(zip(block.arguments, passed, strict=True))
            last = self._block(function, block, values, inner)
            if last is None:
                continue
            if last.name == "tt.return":
                given = [values.get(name) for name in last.operands]
                results = [self._either(a, b) for a, b in zip(results, given, strict=True)] if results else given
            for target, passed, way in _branches(last, values, inner):
                if target <= number:
                    raise TooHard("it jumps back")
                incoming.setdefault(target, []).append((passed, way))
        self._depth -= 1
        return results

    def _block(self, function: Function, block: Block, values: dict[str, Value], path: Path) -> Op | None:
        """Evaluates the operations of a block; gives its terminator."""
        op: Op | None = None
        for op in block.ops:
            inner = path if op.at.function < 0 else replace(path, at=op.at)
            for name, value in zip(op.results, self._operation(function, op, values, inner), strict=False):
                values[name] = value
        if not path.quiet:
            self.found.steps += path.often * len(block.ops)
            self.found.work += path.often * weight.elements(block, function.types)
        if time.process_time() > self._until:
            raise TooLong
        return op

    def _operation(self, function: Function, op: Op, values: dict[str, Value], path: Path) -> list[Value]:
        if op.name == "scf.if":
            return self._if(function, op, values, path)
        if op.name == "scf.for":
            return self._for(function, op, values, path)
        if op.name == "scf.while":
            return self._while(function, op, values, path)
        if any(map(self._touches, (block for region in op.regions for block in region))):
            raise TooHard(f"what it does to memory inside `{op.name}` is not followed")
        given = [values.get(operand) for operand in op.operands]
        if op.name == "tt.call":
            callee = self._ir.functions.get(op.attributes["callee"])
            if callee is None or not callee.blocks:
                raise TooHard(f"`{op.attributes['callee']}` has no body")
            return self.function(callee, given, path)
        record(self.found, op, given, function.types, path, self._programs, self._values.arithmetic)
        return [self._values.of(op, index, given, function.types) for index in range(len(op.results))]

    def _touches(self, block: Block) -> bool:
        """Whether anything in a block, or called by it, may access memory."""
        for op in block.ops:
            row = ROWS[op.name]
            if row is None or row.reads or row.writes or row.result == "asm":
                return True
            if row.result == "extern" and op.attributes.get("pure") != "True":
                return True
            inner = [block for region in op.regions for block in region]
            callee = self._ir.functions.get(op.attributes["callee"]) if op.name == "tt.call" else None
            if callee is not None and callee.name not in self._looked_at:
                self._looked_at.add(callee.name)  # once is enough: if it does, nothing is evaluated any more
                inner += callee.blocks
            if any(map(self._touches, inner)):
                return True
        return False

    def _if(self, function: Function, op: Op, values: dict[str, Value], path: Path) -> list[Value]:
        truth = _truth(values.get(op.operands[0]))
        ends: list[list[Value]] = []
        for taken, condition, region in zip((True, False), (truth.yes, truth.no), op.regions, strict=False):
            if truth.value is not None and truth.value is not taken:
                continue
            inner = replace(path.under(condition), exact=path.exact and truth.value is not None)
            if not Bounds(inner.holds).possible or not region:
                continue
            ends.append(self._end(function, region[0], dict(values), inner, bool(op.results)))
        if len(ends) == 2 and op.results:
            return [self._either(a, b, truth) for a, b in zip(*ends, strict=True)]
        return ends[0] if ends else [None] * len(op.results)

    def _end(self, function: Function, block: Block, values: dict[str, Value], path: Path, wanted: bool) -> list[Value]:
        """What a block hands on at its end, where that is ``wanted``."""
        last = self._block(function, block, values, path)
        return [values.get(name) for name in last.operands] if last is not None and wanted else []

    def _for(self, function: Function, op: Op, values: dict[str, Value], path: Path) -> list[Value]:
        low, high, step = (values.get(name) for name in op.operands[:3])
        starts = [values.get(name) for name in op.operands[3:]]
        body = op.regions[0][0]
        if not isinstance(low, Form) or not isinstance(high, Form) or not isinstance(step, Form):
            low, high, step = unknown(), unknown(), unknown()
        stride = step.fixed
        if stride is None or stride <= 0:
            turns, induction, condition = unknown(), unknown(), ()
            count: Number = math.inf
        else:
            span = Bounds(path.holds).upper(high - low)
            count = math.inf if math.isinf(span) else max(0, -(-int(span) // stride))
            if not count:
                return list(starts)
            turns = atom(0, count - 1, "turn")
            induction = low.plus(turns, stride)
            condition = ((induction - high).shifted(1),)
        exact = (high - low).fixed is not None
        often = path.often * (count if math.isfinite(count) else _OFTEN)
        inner = replace(path.under(condition), often=float(often), exact=path.exact and exact)

        def turn(given: list[Value], path: Path, wanted: bool) -> list[Value]:
            scope = {**values, **dict(zip(body.arguments, [induction, *given], strict=True))}
            return self._end(function, body, scope, path, wanted)

        carried = loop_ranges.settled(
            starts, turns, lambda given: turn(given, inner.silently(), bool(starts)), inner.holds
        )
        ends = turn(carried, inner, bool(op.results))
        return loop_ranges.left(starts, ends, carried, turns, count if exact else None, self._values.arithmetic)

    def _while(self, function: Function, op: Op, values: dict[str, Value], path: Path) -> list[Value]:
        starts = [values.get(name) for name in op.operands]
        before, after = op.regions[0][0], op.regions[1][0]
        loop = replace(path, often=path.often * _OFTEN, exact=False)

        def turn(given: list[Value], path: Path) -> tuple[list[Value], list[Value]]:
            """What is passed on, and what comes back."""
            scope = {**values, **dict(zip(before.arguments, given, strict=True))}
            last = self._block(function, before, scope, path)
            if last is None:
                raise TooHard("a loop ends in an unknown way")
            passed = [scope.get(name) for name in last.operands[1:]]
            inner = {**scope, **dict(zip(after.arguments, passed, strict=True))}
            condition = _truth(scope.get(last.operands[0])).yes
            return passed, self._end(function, after, inner, path.under(condition), bool(starts))

        turns = atom(0, math.inf, "turn")
        carried = loop_ranges.settled(starts, turns, lambda given: turn(given, loop.silently())[1], loop.holds)
        return turn(carried, loop)[0]


def _truth(value: Value) -> Truth:
    return value if isinstance(value, Truth) else Truth()


def _joined(entered: Path, ways: list[Path]) -> Path:
    """Where several ways meet, what holds on all of them."""
    if len(ways) == 1:
        return ways[0]
    return replace(entered, holds=tuple(c for c in ways[0].holds if all(c in way.holds for way in ways[1:])))


def _branches(op: Op, values: dict[str, Value], path: Path) -> list[tuple[int, list[Value], Path]]:
    """Where a block's end leads, with what it passes there."""
    ways = [(target, [values.get(name) for name in passed]) for target, passed in op.successors]
    if op.name != "cf.cond_br":
        return [(target, passed, path) for target, passed in ways]
    truth = _truth(values.get(op.operands[0]))
    (yes, first), (no, second) = ways
    out = [] if truth.value is False else [(yes, first, path.under(truth.yes))]
    return out if truth.value is True else [*out, (no, second, path.under(truth.no))]
