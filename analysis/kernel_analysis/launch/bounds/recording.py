"""What single operations do to memory, written down in a ``Touched``: accesses with their bounds, the grid's dimensions
that are asked for, floating-point operations. Knows nothing of control flow; where no bound can be had it says why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kernel_analysis.dataflow.memory.operations import ROWS
from kernel_analysis.ir import Op
from kernel_analysis.launch.bounds import asm_bytes, printed_types
from kernel_analysis.launch.bounds.integers import Arithmetic, Truth, Value, unknown
from kernel_analysis.launch.bounds.linear_forms import Bounds, Form
from kernel_analysis.launch.bounds.touched import AXES, Path, TooHard, Touch, Touched


def record(
    found: Touched, op: Op, given: Sequence[Value], types: Mapping[str, str], path: Path, programs: int,
    arithmetic: Arithmetic,
) -> None:  # fmt: skip
    """Adds what an operation does. ``given``: its operands' values; ``types``: the function's; ``programs``: of the
    grid. Raises TooHard."""
    name, row = op.name, ROWS[op.name]
    if name == "tt.get_program_id":
        found.axes.add(AXES[op.attributes["axis"]])
    if path.quiet:
        return
    if row is None:
        raise TooHard(f"what the operation `{name}` does to memory is not known")
    if row.result == "asm":
        _assembly(found, op, given, types, path)
    elif row.result == "extern" and op.attributes.get("pure") != "True":
        raise TooHard(f"what the external function `{op.attributes.get('symbol', '')}` does to memory is not known")
    elif row.describes:
        _descriptor(found, op, given, row.describes, path, arithmetic)
    elif name == "tt.dot":
        _dot(found, op, types, path, programs)
    accessed = dict.fromkeys((*row.reads, *row.writes))
    if accessed and row.reaches is None:
        raise TooHard(f"how far the operation `{name}` reaches is not computed")
    if row.reaches == "elements":
        mask = given[row.mask_from] if row.mask_from is not None and row.mask_from < len(given) else None
        for position in accessed:
            _access(found, op, position, given, mask, types, path)


def _access(
    found: Touched, op: Op, position: int, given: Sequence[Value], mask: Value, types: Mapping[str, str], path: Path
) -> None:
    pointers = given[position]
    if not isinstance(pointers, tuple):
        raise TooHard(f"`{op.name}` uses an address that does not come from a parameter")
    truth = mask if isinstance(mask, Truth) else Truth()
    if truth.value is False:
        return
    bounds = Bounds([*path.holds, *truth.yes])
    if not bounds.possible:
        return
    _learn(found, [*truth.yes, *path.holds])
    for pointer in pointers:
        low, high = bounds.range(pointer.offset)
        if low <= high:
            size = printed_types.pointee_bytes(types[op.operands[position]])
            loaded = _misaligned(pointer.offset, size)
            if loaded:
                raise TooHard(
                    f"an address is as many bytes behind `{pointer.base.lstrip('*')}` as `{loaded}` says, which "
                    f"has to be a multiple of {size}"
                )
            cause = "" if math.isfinite(low) and math.isfinite(high) else _cause(pointer.offset, bounds)
            found.touches.append(Touch(pointer.base, low, high + size, op.name, path.at, cause))


def _descriptor(found: Touched, op: Op, given: Sequence[Value], each: int, path: Path, arithmetic: Arithmetic) -> None:
    """A descriptor or block pointer made in the kernel: it may touch its whole shape, and nothing else where the
    hardware or a boundary check sees to that. ``each``: operands for each dimension."""
    rank = (len(given) - 1) // each
    shape, strides = given[1 : 1 + rank], given[1 + rank : 1 + 2 * rank]
    pointers = given[0]
    if not isinstance(pointers, tuple):
        raise TooHard(f"`{op.name}` uses an address that does not come from a parameter")
    last = Form()
    for extent, stride in zip(shape, strides, strict=True):
        if not isinstance(extent, Form) or not isinstance(stride, Form):
            raise TooHard("the shape of a tensor descriptor is not known")
        product = arithmetic.integer("arith.muli", extent.shifted(-1), stride)
        last = last + (product or unknown())
    for pointer in pointers:
        size = printed_types.described_bytes(op.types[0])
        bounds = Bounds(path.holds)
        low, _ = bounds.range(pointer.offset)
        high = bounds.upper(pointer.offset.plus(last, size))
        if op.name == "tt.make_tensor_ptr":  # without a boundary check it goes on to the end of a block
            high += size * math.prod(printed_types.shape(op.types[0]) or [1])
        found.touches.append(Touch(pointer.base, low, high + size, op.name, path.at))


def _assembly(found: Touched, op: Op, given: Sequence[Value], types: Mapping[str, str], path: Path) -> None:
    pointers = frozenset(number for number, value in enumerate(given) if isinstance(value, tuple))
    bounds = Bounds(path.holds)
    try:
        accesses = asm_bytes.accesses(op, types, pointers)
    except asm_bytes.NotBounded as error:
        raise TooHard(str(error)) from error
    for access in accesses:
        value = given[access.operand]
        if not isinstance(value, tuple):
            raise TooHard("its inline assembly uses an address that does not come from a parameter")
        for pointer in value:
            low, high = bounds.range(pointer.offset.shifted(access.offset))
            cause = "" if math.isfinite(low) and math.isfinite(high) else _cause(pointer.offset, bounds)
            found.touches.append(Touch(pointer.base, low, high + access.size, op.name, path.at, cause))


def _dot(found: Touched, op: Op, types: Mapping[str, str], path: Path, programs: int) -> None:
    left, right = (printed_types.shape(types[name]) for name in op.operands[:2])
    if found.flops is None or not path.exact or len(left) < 2 or len(right) < 2:
        found.flops = None
        return
    batch = math.prod(left[:-2])
    found.flops += 2.0 * batch * left[-2] * left[-1] * right[-1] * path.often * programs


def _learn(found: Touched, conditions: Sequence[Form]) -> None:
    """What masks tell of sizes: how far a block reaches in an extent, or how many programs the extent takes."""
    for form in conditions:
        named = [a for a in form.terms if a.low == a.high and a.label]
        others = [a for a in form.terms if a.low != a.high]
        if len(named) == 1 and form.terms[named[0]] == -1 and others:
            blocks = [a for a in others if a.label == "range"]
            programs = [a for a in others if a.label.startswith("program")]
            if len(blocks) == len(others):
                reach = int(sum(form.terms[a] * a.high for a in blocks)) + 1
                known = found.extents.get(named[0].label, reach)
                found.extents[named[0].label] = min(known, reach)
            elif len(programs) == 1 and not any(a.label == "turn" for a in others):
                axis, slope = int(programs[0].label[-1]), form.terms[programs[0]]
                need = -(-(int(named[0].low)) // max(1, int(slope)))
                found.tiles[axis] = max(found.tiles.get(axis, 1), need)


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
