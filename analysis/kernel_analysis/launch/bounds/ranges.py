"""What single operations make of ranges: the value of each result. Touches no memory (``effects`` does) and knows
nothing of control flow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kernel_analysis.ir import Op
from kernel_analysis.launch.bounds import printed_types
from kernel_analysis.launch.bounds.integers import (
    Arithmetic,
    Pointer,
    Truth,
    Value,
    compared,
    logical,
    made,
    moved,
    unknown,
)
from kernel_analysis.launch.bounds.linear_forms import Bounds, Form, Number, atom
from kernel_analysis.launch.bounds.touched import AXES

_SAME = {
    "arith.extsi", "arith.extui", "arith.trunci", "arith.bitcast", "arith.index_cast", "tt.splat", "tt.broadcast",
    "arith.index_castui",
}  # fmt: skip
_REARRANGED = ("tt.reshape", "tt.split", "tt.join", "tt.cat", "tt.gather", "ttg.convert_layout", "tt.trans")


class Values:
    """For one grid. ``loads``: the range of the integers in a buffer, by base; None for one whose content can't be
    known. ``arithmetic`` gives the same atom for the same operation on the same operands."""

    def __init__(self, grid: tuple[int, int, int], loads: Mapping[str, tuple[int, int] | None]) -> None:
        self._grid, self._loads = grid, loads
        self._programs = [atom(0, size - 1, f"program {axis}") for axis, size in enumerate(grid)]
        self.arithmetic = Arithmetic()

    def of(self, op: Op, index: int, given: Sequence[Value], types: Mapping[str, str]) -> Value:
        """The result number ``index``. ``given``: the operands' values; ``types``: the function's."""
        name, attributes = op.name, op.attributes
        first = given[0] if given else None
        if name == "arith.constant":
            return _constant(op, index)
        if name in _SAME:
            return _same(op, first)
        if name == "tt.get_program_id":
            return self._programs[AXES[attributes["axis"]]]
        if name == "tt.get_num_programs":
            return Form(self._grid[AXES[attributes["axis"]]])
        if name == "tt.make_range":
            return self._range(int(attributes["start"]), int(attributes["end"]))
        if name == "tt.expand_dims":
            axis = int(attributes.get("axis", "0"))
            return moved(first, lambda axes: tuple(a + 1 if isinstance(a, int) and a >= axis else a for a in axes))
        if name == "tt.trans" and "order" in attributes:
            order = [int(number) for number in attributes["order"].split(",")]
            return moved(first, lambda axes: tuple(order.index(a) if isinstance(a, int) else a for a in axes))
        if name in _REARRANGED:
            return self._rearranged(op, index, given)
        if name == "tt.addptr":
            return _advanced(op, given)
        if name in ("tt.bitcast", "tt.ptr_to_int"):
            return first if isinstance(first, tuple) else _opaque(op, index)
        if name == "tt.int_to_ptr":
            return first if isinstance(first, tuple) else _from_table(first)
        if name in ("arith.addi", "arith.subi") and isinstance(first, tuple) and isinstance(given[1], Form):
            sign = 1 if name == "arith.addi" else -1  # an address as a number counts bytes
            return tuple(Pointer(pointer.base, pointer.offset.plus(given[1], sign)) for pointer in first)
        if name == "arith.addi" and isinstance(first, Form) and isinstance(given[1], tuple):
            return tuple(Pointer(pointer.base, pointer.offset + first) for pointer in given[1])
        if name == "tt.load":
            return self._loaded(op, given)
        if name in ("tt.make_tensor_descriptor", "tt.make_tensor_ptr", "tt.advance"):
            return first
        if name == "arith.select":
            truth = first if isinstance(first, Truth) else Truth()
            if truth.value is not None:
                return given[1] if truth.value else given[2]
            return self.arithmetic.either(given[1], given[2], truth)
        if name == "arith.cmpi":
            if isinstance(first, Form) and isinstance(given[1], Form):
                return compared(attributes["predicate"], first, given[1])
            return Truth()
        if name in ("tt.reduce", "tt.scan"):
            return _reduced(op, index, first, types)
        if len(given) == 2 and isinstance(first, Truth) and isinstance(given[1], Truth):
            return logical(name, first, given[1])
        if len(given) == 2 and isinstance(first, Form) and isinstance(given[1], Form):
            result = self.arithmetic.integer(name, first, given[1])
            if result is not None:
                return result
        return _opaque(op, index)

    def _range(self, start: int, end: int) -> Form:
        memory = self.arithmetic.ranges
        if (start, end) not in memory:
            memory[start, end] = atom(start, end - 1, "range", axes=(0,))
        return memory[start, end]

    def _rearranged(self, op: Op, index: int, given: Sequence[Value]) -> Value:
        value = given[0] if given else None
        for other in given[1:]:
            if op.name in ("tt.join", "tt.cat"):
                value = self.arithmetic.either(value, other)
        shape = (op.name, index, tuple(printed_types.shape(op.types[index])))
        return moved(value, lambda axes: (*axes, shape))

    def _loaded(self, op: Op, given: Sequence[Value]) -> Value:
        kind = op.types[0]
        pointers = given[0] if isinstance(given[0], tuple) else ()
        bases = {pointer.base for pointer in pointers}
        if "!tt.ptr" in kind:
            return tuple(Pointer(f"*{base}", Form()) for base in sorted(bases))
        if not printed_types.is_integer(kind):
            return None
        if printed_types.is_truth(kind):
            return Truth()
        rank = tuple(range(len(printed_types.shape(kind))))
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
        return self.arithmetic.either(loaded, other, truth)


def _constant(op: Op, index: int) -> Value:
    attributes = op.attributes
    if "truth" in attributes:
        known = attributes["truth"] == "true"
        return Truth(() if known else (Form(1),), (Form(1),) if known else (), known)
    return Form(int(attributes["value"])) if "value" in attributes else _opaque(op, index)


def _same(op: Op, first: Value) -> Value:
    """The operand in another type or shape."""
    if op.name in ("arith.extui", "arith.extsi") and isinstance(first, Truth):
        return Form(int(first.value)) if first.value is not None else atom(0, 1, axes=("any",))
    if op.name == "arith.trunci" and printed_types.is_truth(op.types[0]):
        return Truth()
    return first if not isinstance(first, Form) or printed_types.is_integer(op.types[0]) else None


def _opaque(op: Op, index: int) -> Value:
    """What may be anything of its type."""
    kind = op.types[index] if index < len(op.types) else ""
    rank = len(printed_types.shape(kind))
    if printed_types.is_truth(kind):
        return Truth()
    return unknown(tuple(range(rank))) if printed_types.is_integer(kind) else None


def _advanced(op: Op, given: Sequence[Value]) -> Value:
    pointers, offset = given
    size = printed_types.pointee_bytes(op.types[0])
    if not isinstance(pointers, tuple):
        return None
    by = offset if isinstance(offset, Form) else unknown()
    return tuple(Pointer(pointer.base, pointer.offset.plus(by, size)) for pointer in pointers)


def _from_table(value: Value) -> Value:
    """The pointer that a number is, where it was loaded from a table of addresses."""
    if isinstance(value, Form):
        labels = {a.label.removeprefix("loaded ") for a in value.terms if a.label.startswith("loaded ")}
        if labels:
            return tuple(Pointer(f"*{base}", Form()) for base in sorted(labels))
    return None


def _reduced(op: Op, index: int, first: Value, types: Mapping[str, str]) -> Value:
    """A sum, least, most, count or position of the elements; not a product."""
    inside = [inner for region in op.regions for block in region for inner in block.ops]
    if isinstance(first, Form) and not any(inner.name == "arith.muli" for inner in inside):
        count = max(1, math.prod(printed_types.shape(types[op.operands[0]]) or [1]))

        def rule(bounds: Bounds, parts: tuple[Form, ...]) -> tuple[Number, Number]:
            low, high = bounds.range(parts[0])
            return min(low, low * count if low else 0, 0), max(high, high * count if high else 0, count)

        value = made(rule, Form(first.constant, first.terms))
        return moved(value, lambda axes: (*axes, (op.name, id(op), index)))
    return _opaque(op, index)
