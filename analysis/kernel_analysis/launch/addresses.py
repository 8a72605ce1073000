"""Which addresses a kernel may touch, for given scalars and grid: the Ir evaluated once, with every value a range.

Loops are evaluated a bounded number of times. Where a bound can't be given, the access says so with its place.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kernel_analysis.ir import NOWHERE, At, Block, Function, Ir, Op
from kernel_analysis.launch import assembly, kinds, weight
from kernel_analysis.launch.forms import Bounds, Form, Number, atom
from kernel_analysis.launch.integers import (
    Arithmetic,
    Condition,
    Pointer,
    Truth,
    Value,
    compared,
    logical,
    made,
    moved,
    unknown,
)

_AXES = {"x": 0, "y": 1, "z": 2}
_SAME = {
    "arith.extsi", "arith.extui", "arith.trunci", "arith.bitcast", "arith.index_cast", "tt.splat", "tt.broadcast",
    "arith.index_castui",
}  # fmt: skip
_BYTES = re.compile(r"(?:!tt\.ptr<)?(?:bf|f|i|ui|si)(\d+)")
_ATOMICS = ("tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_load", "tt.atomic_store", "tt.atomic_poll")
_TURNS = 6
_SECONDS = 2.0


class TooHard(Exception):
    """The kernel can't be followed; the message says why, in plain words."""


class TooLong(Exception):
    """Following it takes too long; a launch with smaller blocks, which are often unrolled, may not."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A stretch of a buffer that one operation may touch, in bytes from its start, the end exclusive. ``cause``: of one
    without a bound, what it depends on."""

    base: str
    low: Number
    high: Number
    op: str
    at: At
    cause: str = ""


@dataclass(slots=True)
class Touched:
    """``flops``: those of every ``tl.dot``, None where loops go round differently often. ``axes``: the dimensions of
    the grid that are asked for. ``steps``: operations that one program executes, roughly; ``work``: the elements that
    they make. ``extents``: for a scalar parameter, the number of block elements that it is compared with and nothing
    else; ``tiles``: the programs that such an extent takes along each dimension."""

    touches: list[Touch] = field(default_factory=list[Touch])
    flops: float | None = 0.0
    axes: set[int] = field(default_factory=set[int])
    steps: float = 0.0
    work: float = 0.0
    extents: dict[str, int] = field(default_factory=dict[str, int])
    tiles: dict[int, int] = field(default_factory=dict[int, int])


@dataclass(slots=True)
class _Path:
    """What holds where the evaluation is. ``often``: how many times it comes here; ``exact``: whether that is known."""

    holds: Condition = ()
    often: float = 1.0
    exact: bool = True
    quiet: bool = False
    at: At = NOWHERE

    def under(self, condition: Condition) -> _Path:
        return _Path(self.holds + condition, self.often, self.exact, self.quiet, self.at)


class Addresses:
    """``arguments``: the value of each argument of the entry function. ``loads``: the range of the integers in a
    buffer, by base; None for one whose content can't be known."""

    def __init__(
        self,
        ir: Ir,
        arguments: Sequence[Value],
        grid: tuple[int, int, int],
        loads: Mapping[str, tuple[int, int] | None],
    ) -> None:
        self._ir, self._grid, self._loads = ir, grid, loads
        self._arithmetic = Arithmetic()
        self._programs = [atom(0, size - 1, f"program {axis}") for axis, size in enumerate(grid)]
        self._depth = 0
        self._until = time.process_time() + _SECONDS
        self._types: Mapping[str, str] = {}
        self.found = Touched()
        entry = ir.functions[ir.entry]
        self._function(entry, list(arguments), _Path())

    # Control flow -----------------------------------------------------------------------------------------------------

    def _function(self, function: Function, arguments: list[Value], path: _Path) -> list[Value]:
        if self._depth > weight.DEPTH:
            raise TooHard(f"`{function.name}` calls itself too deeply to be followed")
        self._depth += 1
        values = dict(zip(function.arguments, arguments, strict=False))
        blocks = function.blocks
        incoming: dict[int, list[tuple[list[Value], _Path]]] = {0: [([], path)]}
        results: list[Value] = []
        for number, block in enumerate(blocks):
            ways = incoming.get(number)
            if not ways:
                continue
            inner = (
                ways[0][1]
                if len(ways) == 1
                else _Path(
                    tuple(c for c in ways[0][1].holds if all(c in way.holds for _, way in ways[1:])),
                    path.often,
                    path.exact,
                    path.quiet,
                    path.at,
                )
            )
            if number:
                passed = ways[0][0]
                for other, _ in ways[1:]:
                    passed = [self._arithmetic.either(a, b) for a, b in zip(passed, other, strict=True)]
                values.update(zip(block.arguments, passed, strict=True))
            last = self._block(function, block, values, inner)
            if last is None:
                continue
            if last.name == "tt.return":
                given = [values.get(name) for name in last.operands]
                results = (
                    [self._arithmetic.either(a, b) for a, b in zip(results, given, strict=True)] if results else given
                )
            for target, passed, way in self._branches(last, values, inner):
                if target <= number:
                    raise TooHard("it jumps back")
                incoming.setdefault(target, []).append((passed, way))
        self._depth -= 1
        return results

    def _branches(self, op: Op, values: dict[str, Value], path: _Path) -> list[tuple[int, list[Value], _Path]]:
        ways = [(target, [values.get(name) for name in passed]) for target, passed in op.successors]
        if op.name != "cf.cond_br":
            return [(target, passed, path) for target, passed in ways]
        truth = values.get(op.operands[0])
        if not isinstance(truth, Truth):
            truth = Truth()
        (yes, first), (no, second) = ways
        out = [] if truth.value is False else [(yes, first, path.under(truth.yes))]
        return out if truth.value is True else [*out, (no, second, path.under(truth.no))]

    def _block(self, function: Function, block: Block, values: dict[str, Value], path: _Path) -> Op | None:
        """Evaluates the operations of a block; gives its terminator."""
        op: Op | None = None
        for op in block.ops:
            place = op.at
            inner = path if place.function < 0 else _Path(path.holds, path.often, path.exact, path.quiet, place)
            for name, value in zip(op.results, self._operation(function, op, values, inner), strict=False):
                values[name] = value
        if not path.quiet:
            self.found.steps += path.often * len(block.ops)
            self.found.work += path.often * weight.elements(block, function.types)
        if time.process_time() > self._until:
            raise TooLong
        return op

    def _operation(self, function: Function, op: Op, values: dict[str, Value], path: _Path) -> list[Value]:
        name = op.name
        if name == "scf.if":
            return self._if(function, op, values, path)
        if name == "scf.for":
            return self._for(function, op, values, path)
        if name == "scf.while":
            return self._while(function, op, values, path)
        given = [values.get(operand) for operand in op.operands]
        if name == "tt.call":
            callee = self._ir.functions.get(op.attributes["callee"])
            if callee is None or not callee.blocks:
                raise TooHard(f"`{op.attributes['callee']}` has no body")
            return self._function(callee, given, path)
        self._types = function.types
        if not op.results or name in _ATOMICS:
            self._effect(op, given, path)
        if name in assembly.NAMES:
            self._assembly(op, given, path)
        if name == "tt.dot" and not path.quiet:
            self._dot(function, op, path)
        return [self._value(function, op, index, given, path) for index in range(len(op.results))]

    def _if(self, function: Function, op: Op, values: dict[str, Value], path: _Path) -> list[Value]:
        truth = values.get(op.operands[0])
        truth = truth if isinstance(truth, Truth) else Truth()
        ends: list[list[Value]] = []
        for taken, condition, region in zip((True, False), (truth.yes, truth.no), op.regions, strict=False):
            if truth.value is not None and truth.value is not taken:
                continue
            inner = path.under(condition)
            if truth.value is None:
                inner.exact = False
            if not Bounds(inner.holds).possible or not region:
                continue
            scope = dict(values)
            last = self._block(function, region[0], scope, inner)
            ends.append([scope.get(name) for name in last.operands] if last is not None and op.results else [])
        if len(ends) == 2 and op.results:
            return [self._arithmetic.either(a, b, truth) for a, b in zip(*ends, strict=True)]
        return ends[0] if ends else [None] * len(op.results)

    def _for(self, function: Function, op: Op, values: dict[str, Value], path: _Path) -> list[Value]:
        low, high, step = (values.get(name) for name in op.operands[:3])
        starts = [values.get(name) for name in op.operands[3:]]
        body = op.regions[0][0]
        if not isinstance(low, Form) or not isinstance(high, Form) or not isinstance(step, Form):
            low, high, step = unknown(), unknown(), unknown()
        stride = step.fixed
        bounds = Bounds(path.holds)
        if stride is None or stride <= 0:
            turns, induction, condition = unknown(), unknown(), ()
            count: Number = math.inf
        else:
            span = bounds.upper(high - low)
            count = math.inf if math.isinf(span) else max(0, -(-int(span) // stride))
            if not count:
                return list(starts)
            turns = atom(0, count - 1, "turn")
            induction = low.plus(turns, stride)
            condition = ((induction - high).shifted(1),)
        exact = (high - low).fixed is not None
        often = path.often * (count if math.isfinite(count) else 4)
        inner = _Path(path.holds + condition, often, path.exact and exact, path.quiet, path.at)
        arguments = self._carried(function, body, values, starts, inner, turns, [induction])
        scope = {**values, **dict(zip(body.arguments, [induction, *arguments], strict=True))}
        last = self._block(function, body, scope, inner)
        ends = [scope.get(name) for name in last.operands] if last is not None and op.results else []
        return self._after(starts, ends, arguments, turns, count, exact)

    def _after(
        self, starts: list[Value], ends: list[Value], arguments: list[Value], turns: Form, count: Number, exact: bool
    ) -> list[Value]:
        """What the loop leaves: after its last turn, or the start where it may not turn at all."""
        out: list[Value] = []
        for start, end, argument in zip(starts, ends, arguments, strict=False):
            if exact and isinstance(start, Form) and isinstance(argument, Form) and len(turns.terms) == 1:
                (turn,) = turns.terms
                slope = argument.terms.get(turn)
                if slope is not None and math.isfinite(count) and argument.plus(turns, -slope).key() == start.key():
                    out.append(start.shifted(slope * count))
                    continue
            out.append(self._arithmetic.either(start, end))
        return out

    def _while(self, function: Function, op: Op, values: dict[str, Value], path: _Path) -> list[Value]:
        starts = [values.get(name) for name in op.operands]
        before, after = op.regions[0][0], op.regions[1][0]
        turns = atom(0, math.inf, "turn")
        loop = _Path(path.holds, path.often * 4, False, path.quiet, path.at)

        def turn(arguments: list[Value], quiet: bool) -> tuple[list[Value], list[Value]]:
            """What is passed on, and what comes back."""
            here = _Path(loop.holds, loop.often, False, quiet or loop.quiet, loop.at)
            scope = {**values, **dict(zip(before.arguments, arguments, strict=True))}
            last = self._block(function, before, scope, here)
            if last is None:
                raise TooHard("a loop ends in an unknown way")
            truth = scope.get(last.operands[0])
            passed = [scope.get(name) for name in last.operands[1:]]
            inner = {**scope, **dict(zip(after.arguments, passed, strict=True))}
            end = self._block(function, after, inner, here.under(truth.yes if isinstance(truth, Truth) else ()))
            return passed, [inner.get(name) for name in end.operands] if end is not None and starts else []

        arguments = self._settle(starts, turns, lambda given: turn(given, True)[1], loop)
        return turn(arguments, False)[0]

    def _carried(
        self, function: Function, body: Block, values: dict[str, Value], starts: list[Value], path: _Path,
        turns: Form, ahead: list[Value],
    ) -> list[Value]:  # fmt: skip
        """What a loop's arguments are in any turn."""
        quiet = _Path(path.holds, path.often, path.exact, True, path.at)

        def turn(given: list[Value]) -> list[Value]:
            scope = {**values, **dict(zip(body.arguments, [*ahead, *given], strict=True))}
            last = self._block(function, body, scope, quiet)
            return [scope.get(name) for name in last.operands] if last is not None and starts else []

        return self._settle(starts, turns, turn, path)

    def _settle(
        self, starts: list[Value], turns: Form, turn: Callable[[list[Value]], list[Value]], path: _Path
    ) -> list[Value]:
        """The arguments of a loop as forms of the number of turns where they grow evenly, else as ranges."""
        if not any(isinstance(start, Form | tuple) for start in starts):
            return [Truth() if isinstance(start, Truth) else None for start in starts]
        probes = [_probe(start) for start in starts]
        ends = turn(probes)
        grown: list[Value | Literal["?"]] = []
        for start, probe, end in zip(starts, probes, ends, strict=True):
            grown.append(_grown(start, probe, end, turns))
        if "?" not in grown:
            return [value for value in grown if value != "?"]
        # The others: what they may be after a few turns, where that holds them; else anything.
        guess = [start if value == "?" else value for value, start in zip(grown, starts, strict=True)]
        for _ in range(_TURNS):
            ends = turn(guess)
            held = all(v != "?" or _inside(e, g, path) for v, e, g in zip(grown, ends, guess, strict=True))
            if held:
                return guess
            guess = [
                _hull(now, end, path) if value == "?" else value
                for value, now, end in zip(grown, guess, ends, strict=True)
            ]
        return [_anything(value) if how == "?" else value for how, value in zip(grown, guess, strict=True)]

    # Effects ----------------------------------------------------------------------------------------------------------

    def _effect(self, op: Op, given: list[Value], path: _Path) -> None:
        if path.quiet or not given:
            return
        if op.name in ("tt.store", *_ATOMICS):
            position = 2 if op.name in ("tt.store", "tt.atomic_rmw") else 99
            self._touch(op, given[0], given[position] if len(given) > position else None, path)

    def _touch(self, op: Op, pointers: Value, mask: Value, path: _Path) -> None:
        if path.quiet:
            return
        if not isinstance(pointers, tuple):
            raise TooHard(f"`{op.name}` uses an address that does not come from a parameter")
        truth = mask if isinstance(mask, Truth) else Truth()
        if truth.value is False:
            return
        bounds = Bounds([*path.holds, *truth.yes])
        if not bounds.possible:
            return
        self._hint([*truth.yes, *path.holds])
        for pointer in pointers:
            low, high = bounds.range(pointer.offset)
            if low <= high:
                size = kinds.pointee_bytes(self._types[op.operands[0]])
                loaded = _misaligned(pointer.offset, size)
                if loaded:
                    raise TooHard(
                        f"an address is as many bytes behind `{pointer.base.lstrip('*')}` as `{loaded}` says, which "
                        f"has to be a multiple of {size}"
                    )
                cause = "" if math.isfinite(low) and math.isfinite(high) else _cause(pointer.offset, bounds)
                self.found.touches.append(Touch(pointer.base, low, high + size, op.name, path.at, cause))

    def _assembly(self, op: Op, given: list[Value], path: _Path) -> None:
        if path.quiet:
            return
        pointers = frozenset(number for number, value in enumerate(given) if isinstance(value, tuple))
        bounds = Bounds(path.holds)
        try:
            accesses = assembly.accesses(op, self._types, pointers)
        except assembly.NotBounded as error:
            raise TooHard(str(error)) from error
        for access in accesses:
            value = given[access.operand]
            if not isinstance(value, tuple):
                raise TooHard("its inline assembly uses an address that does not come from a parameter")
            for pointer in value:
                low, high = bounds.range(pointer.offset.shifted(access.offset))
                cause = "" if math.isfinite(low) and math.isfinite(high) else _cause(pointer.offset, bounds)
                self.found.touches.append(Touch(pointer.base, low, high + access.size, op.name, path.at, cause))

    def _hint(self, conditions: Sequence[Form]) -> None:
        for form in conditions:
            named = [a for a in form.terms if a.low == a.high and a.label]
            others = [a for a in form.terms if a.low != a.high]
            if len(named) == 1 and form.terms[named[0]] == -1 and others:
                blocks = [a for a in others if a.label == "range"]
                programs = [a for a in others if a.label.startswith("program")]
                if len(blocks) == len(others):
                    reach = int(sum(form.terms[a] * a.high for a in blocks)) + 1
                    known = self.found.extents.get(named[0].label, reach)
                    self.found.extents[named[0].label] = min(known, reach)
                elif len(programs) == 1 and not any(a.label == "turn" for a in others):
                    axis, slope = int(programs[0].label[-1]), form.terms[programs[0]]
                    need = -(-(int(named[0].low)) // max(1, int(slope)))
                    self.found.tiles[axis] = max(self.found.tiles.get(axis, 1), need)

    def _dot(self, function: Function, op: Op, path: _Path) -> None:
        left, right = (kinds.shape(function.types[name]) for name in op.operands[:2])
        if self.found.flops is None or not path.exact or len(left) < 2 or len(right) < 2:
            self.found.flops = None
            return
        programs = self._grid[0] * self._grid[1] * self._grid[2]
        batch = math.prod(left[:-2])
        self.found.flops += 2.0 * batch * left[-2] * left[-1] * right[-1] * path.often * programs

    # Values -----------------------------------------------------------------------------------------------------------

    def _value(self, function: Function, op: Op, index: int, given: list[Value], path: _Path) -> Value:
        name, attributes = op.name, op.attributes
        first = given[0] if given else None
        if name == "arith.constant":
            if "truth" in attributes:
                known = attributes["truth"] == "true"
                return Truth(() if known else (Form(1),), (Form(1),) if known else (), known)
            return Form(int(attributes["value"])) if "value" in attributes else self._opaque(op, index)
        if name in _SAME:
            if name in ("arith.extui", "arith.extsi") and isinstance(first, Truth):
                return self._of_truth(first)
            if name == "arith.trunci" and kinds.is_truth(op.types[0]):
                return Truth()
            return first if not isinstance(first, Form) or kinds.is_integer(op.types[0]) else None
        if name == "tt.get_program_id":
            axis = _AXES[attributes["axis"]]
            self.found.axes.add(axis)
            return self._programs[axis]
        if name == "tt.get_num_programs":
            axis = _AXES[attributes["axis"]]
            return Form(self._grid[axis])
        if name == "tt.make_range":
            return self._range(function, op, int(attributes["start"]), int(attributes["end"]))
        if name == "tt.expand_dims":
            axis = int(attributes.get("axis", "0"))
            return moved(first, lambda axes: tuple(a + 1 if isinstance(a, int) and a >= axis else a for a in axes))
        if name == "tt.trans" and "order" in attributes:
            order = [int(number) for number in attributes["order"].split(",")]
            return moved(first, lambda axes: tuple(order.index(a) if isinstance(a, int) else a for a in axes))
        if name in ("tt.reshape", "tt.split", "tt.join", "tt.cat", "tt.gather", "ttg.convert_layout", "tt.trans"):
            return self._rearranged(op, index, given)
        if name == "tt.addptr":
            return self._addptr(function, op, given)
        if name in ("tt.bitcast", "tt.ptr_to_int"):
            return first if isinstance(first, tuple) else self._opaque(op, index)
        if name == "tt.int_to_ptr":
            return first if isinstance(first, tuple) else self._from_table(first)
        if name in ("arith.addi", "arith.subi") and isinstance(first, tuple) and isinstance(given[1], Form):
            sign = 1 if name == "arith.addi" else -1  # an address as a number counts bytes
            return tuple(Pointer(pointer.base, pointer.offset.plus(given[1], sign)) for pointer in first)
        if name == "arith.addi" and isinstance(first, Form) and isinstance(given[1], tuple):
            return tuple(Pointer(pointer.base, pointer.offset + first) for pointer in given[1])
        if name == "tt.load":
            self._touch(op, first, given[1] if len(given) > 1 else None, path)
            return self._loaded(op, given)
        if name in ("tt.make_tensor_descriptor", "tt.make_tensor_ptr"):
            return self._described(op, given, path)
        if name == "tt.advance":
            return first
        if name == "arith.select":
            truth = first if isinstance(first, Truth) else Truth()
            if truth.value is not None:
                return given[1] if truth.value else given[2]
            return self._arithmetic.either(given[1], given[2], truth)
        if name == "arith.cmpi":
            if isinstance(first, Form) and isinstance(given[1], Form):
                return compared(attributes["predicate"], first, given[1])
            return Truth()
        if name in ("tt.reduce", "tt.scan"):
            return self._reduced(op, index, first)
        if len(given) == 2 and isinstance(first, Truth) and isinstance(given[1], Truth):
            return logical(name, first, given[1])
        if len(given) == 2 and isinstance(first, Form) and isinstance(given[1], Form):
            result = self._arithmetic.integer(name, first, given[1])
            if result is not None:
                return result
        return self._opaque(op, index)

    def _range(self, function: Function, op: Op, start: int, end: int) -> Form:
        memory = self._arithmetic.ranges
        if (start, end) not in memory:
            memory[start, end] = atom(start, end - 1, "range", axes=(0,))
        return memory[start, end]

    def _of_truth(self, truth: Truth) -> Form:
        return Form(int(truth.value)) if truth.value is not None else atom(0, 1, axes=("any",))

    def _opaque(self, op: Op, index: int) -> Value:
        """What may be anything of its type."""
        kind = op.types[index] if index < len(op.types) else ""
        rank = len(kinds.shape(kind))
        if kinds.is_truth(kind):
            return Truth()
        return unknown(tuple(range(rank))) if kinds.is_integer(kind) else None

    def _rearranged(self, op: Op, index: int, given: list[Value]) -> Value:
        value = given[0] if given else None
        for other in given[1:]:
            if op.name in ("tt.join", "tt.cat"):
                value = self._arithmetic.either(value, other)
        shape = (op.name, index, tuple(kinds.shape(op.types[index])))
        return moved(value, lambda axes: (*axes, shape))

    def _addptr(self, function: Function, op: Op, given: list[Value]) -> Value:
        pointers, offset = given
        size = kinds.pointee_bytes(op.types[0])
        if not isinstance(pointers, tuple):
            return None
        by = offset if isinstance(offset, Form) else unknown()
        return tuple(Pointer(pointer.base, pointer.offset.plus(by, size)) for pointer in pointers)

    def _loaded(self, op: Op, given: list[Value]) -> Value:
        kind = op.types[0]
        pointers = given[0] if isinstance(given[0], tuple) else ()
        bases = {pointer.base for pointer in pointers}
        if "!tt.ptr" in kind:
            return tuple(Pointer(f"*{base}", Form()) for base in sorted(bases))
        if not kinds.is_integer(kind):
            return None
        if kinds.is_truth(kind):
            return Truth()
        rank = tuple(range(len(kinds.shape(kind))))
        ranges = [self._loads.get(base) for base in bases]
        known = [r for r in ranges if r is not None]
        if len(known) < len(ranges) or not known:
            return atom(-math.inf, math.inf, f"loaded {min(bases, default='')}", axes=rank)
        low, high = min(r[0] for r in known), max(r[1] for r in known)
        label = f"loaded {min(bases)}"
        loaded = atom(low, high, label, axes=rank)
        if len(given) < 2:
            return loaded
        truth = given[1] if isinstance(given[1], Truth) else Truth()
        if truth.value is True:
            return loaded
        other = given[2] if len(given) > 2 and isinstance(given[2], Form) else Form()
        return self._arithmetic.either(loaded, other, truth)

    def _from_table(self, value: Value) -> Value:
        if isinstance(value, Form):
            labels = {a.label.removeprefix("loaded ") for a in value.terms if a.label.startswith("loaded ")}
            if labels:
                return tuple(Pointer(f"*{base}", Form()) for base in sorted(labels))
        return None

    def _described(self, op: Op, given: list[Value], path: _Path) -> Value:
        """A descriptor or block pointer made in the kernel: it may touch its whole shape, and nothing else where the
        hardware or a boundary check sees to that."""
        rank = (len(given) - 1) // (2 if op.name == "tt.make_tensor_descriptor" else 3)
        shape, strides = given[1 : 1 + rank], given[1 + rank : 1 + 2 * rank]
        pointers = given[0]
        if not isinstance(pointers, tuple) or path.quiet:
            return pointers
        last = Form()
        for extent, stride in zip(shape, strides, strict=True):
            if not isinstance(extent, Form) or not isinstance(stride, Form):
                raise TooHard("the shape of a tensor descriptor is not known")
            product = self._arithmetic.integer("arith.muli", extent.shifted(-1), stride)
            last = last + (product or unknown())
        for pointer in pointers:
            size = kinds.described_bytes(op.types[0])
            bounds = Bounds(path.holds)
            low, _ = bounds.range(pointer.offset)
            high = bounds.upper(pointer.offset.plus(last, size))
            if op.name == "tt.make_tensor_ptr":  # without a boundary check it goes on to the end of a block
                high += size * math.prod(kinds.shape(op.types[0]) or [1])
            self.found.touches.append(Touch(pointer.base, low, high + size, op.name, path.at))
        return pointers

    def _reduced(self, op: Op, index: int, first: Value) -> Value:
        """A sum, least, most, count or position of the elements; not a product."""
        if isinstance(first, Form) and not any(o.name == "arith.muli" for o in _inside_of(op)):
            count = max(1, math.prod(_shape_of_operand(op, self._types) or [1]))

            def rule(bounds: Bounds, parts: tuple[Form, ...]) -> tuple[Number, Number]:
                low, high = bounds.range(parts[0])
                return min(low, low * count if low else 0, 0), max(high, high * count if high else 0, count)

            value = made(rule, Form(first.constant, first.terms))
            return moved(value, lambda axes: (*axes, (op.name, id(op), index)))
        return self._opaque(op, index)


def _misaligned(offset: Form, size: int) -> str:
    """The buffer that holds distances in bytes which need not be multiples of ``size``."""
    for one, factor in offset.terms.items():
        if factor % size and one.low != one.high:
            inside = [one, *(atom for part in one.parts for atom in part.terms)]
            names = [a.label.removeprefix("loaded ") for a in inside if a.label.startswith("loaded ")]
            if names:
                return names[0].lstrip("*")
    return ""


def _cause(offset: Form, bounds: Bounds) -> str:
    """The label of something without a bound that an offset is made of."""
    for one in offset.terms:
        low, high = bounds.range(Form(0, {one: 1}))
        if math.isinf(low) or math.isinf(high):
            inner = [_cause(part, bounds) for part in one.parts]
            return one.label or next(filter(None, inner), "")
    return ""


def _probe(start: Value) -> Value:
    if isinstance(start, Form):
        return unknown(start.axes)
    if isinstance(start, tuple):
        return tuple(Pointer(pointer.base, unknown(pointer.offset.axes)) for pointer in start)
    return Truth() if isinstance(start, Truth) else None


def _anything(value: Value) -> Value:
    if isinstance(value, tuple):
        bases = dict.fromkeys(pointer.base for pointer in value)
        axes = next((pointer.offset.axes for pointer in value if pointer.offset.axes), ())
        return tuple(Pointer(base, atom(-math.inf, math.inf, "turn", axes)) for base in bases)
    return atom(-math.inf, math.inf, "turn", value.axes) if isinstance(value, Form) else value


def _grown(start: Value, probe: Value, end: Value, turns: Form) -> Value | Literal["?"]:
    """The value in any turn, where each adds the same to it."""
    if isinstance(start, Form) and isinstance(probe, Form) and isinstance(end, Form):
        added = end - probe
        step = added.fixed
        return "?" if step is None or not turns.terms else start.plus(turns, step)
    if isinstance(start, tuple) and isinstance(probe, tuple) and isinstance(end, tuple):
        if len(start) != len(end) or any(a.base != b.base for a, b in zip(start, end, strict=True)):
            return "?"
        out: list[Pointer] = []
        for one, middle, last in zip(start, probe, end, strict=True):
            offset = _grown(one.offset, middle.offset, last.offset, turns)
            if not isinstance(offset, Form):
                return "?"
            out.append(Pointer(one.base, offset))
        return tuple(out)
    return Truth() if isinstance(start, Truth) else None


def _hull(start: Value, end: Value, path: _Path) -> Value:
    if isinstance(start, Form) and isinstance(end, Form):
        bounds = Bounds(path.holds)
        (a, b), (c, d) = bounds.range(start), bounds.range(end)
        return atom(min(a, c), max(b, d), axes=start.axes or end.axes)
    if isinstance(start, tuple) and isinstance(end, tuple):
        bounds = Bounds(path.holds)
        out: list[Pointer] = []
        for base in dict.fromkeys(pointer.base for pointer in (*start, *end)):
            ranges = [bounds.range(pointer.offset) for pointer in (*start, *end) if pointer.base == base]
            axes = next((pointer.offset.axes for pointer in (*start, *end) if pointer.offset.axes), ())
            out.append(Pointer(base, atom(min(r[0] for r in ranges), max(r[1] for r in ranges), axes=axes)))
        return tuple(out)
    return start


def _inside(end: Value, guess: Value, path: _Path) -> bool:
    bounds = Bounds(path.holds)
    if isinstance(end, Form) and isinstance(guess, Form):
        (a, b), (c, d) = bounds.range(end), bounds.range(guess)
        return c <= a and b <= d
    if isinstance(end, tuple) and isinstance(guess, tuple):
        held = {pointer.base: bounds.range(pointer.offset) for pointer in guess}
        return all(
            p.base in held
            and held[p.base][0] <= bounds.range(p.offset)[0]
            and bounds.upper(p.offset) <= held[p.base][1]
            for p in end
        )
    return not isinstance(guess, Form | tuple)


def _shape_of_operand(op: Op, types: Mapping[str, str]) -> list[int]:
    return kinds.shape(types[op.operands[0]])


def _inside_of(op: Op) -> list[Op]:
    return [inner for region in op.regions for block in region for inner in block.ops]
