"""What Triton's functions on numbers give, elementwise and scalar, and what they demand of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernel_analysis.signature.body.lengths import LENGTH, STEP, measured
from kernel_analysis.signature.body.operators import index
from kernel_analysis.signature.evident_values import (
    NOTHING,
    UNKNOWN,
    EvidentValue,
    Origin,
    broadcast,
    constant,
    direct,
    dtype_constant,
    join_origins,
    promote,
    scalar,
    width,
)
from kernel_analysis.source import arithmetic
from kernel_analysis.source.dtypes import is_float, is_int
from kernel_analysis.source.slice import FunctionRef

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

Arguments = dict[str, EvidentValue]

_MOST_STEPS = 16
"""Of ``static_range`` that are known one by one."""


def program(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    for value in args:
        walk.vote(direct(value), "small", 2, "it is an axis of the grid")
    return scalar("i32")


def elementwise(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    origins: tuple[Origin, ...] = ()
    dtype, shape = None, ()
    for i, value in enumerate(args):
        origins = join_origins(origins, value.origins, False)
        dtype = value.dtype if i == 0 else promote(dtype, value.dtype)
        shape = value.shape if i == 0 else broadcast(shape, value.shape)
    static = bool(args) and all(a.static for a in args)
    return EvidentValue(static=static, levels=0, dtype=dtype, shape=shape, origins=origins)


def where(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    condition, x, y = bound.get("condition", NOTHING), bound.get("x", NOTHING), bound.get("y", NOTHING)
    walk.vote(condition, "bool", 1, "it is a condition")
    if x.dtype == "float" or y.dtype == "float":
        walk.vote(y if x.dtype == "float" else x, "float", 0.5, "it stands beside a float")
    chosen = walk.join(x, y)
    return EvidentValue(
        levels=chosen.levels,
        dtype=promote(x.dtype, y.dtype) if not chosen.levels else chosen.dtype,
        shape=broadcast(broadcast(condition.shape, x.shape), y.shape),
        origins=chosen.origins,
    )


def number(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    known = [a.const for a in args]
    function = arithmetic.FUNCTIONS.get(name.removesuffix("imum"))
    if args and function is not None and all(isinstance(k, (int, float)) for k in known):
        try:
            return constant(function(*known))
        except arithmetic.FAILS:
            pass
    if name in ("cdiv", "next_power_of_2"):
        for value in args:
            index(walk, value, "it is divided with a rest")
    elif any(is_float(value.dtype) and value.const is UNKNOWN for value in args):
        for value in args:
            walk.vote(direct(value), "float", 2, "it is compared with a float")
    result = elementwise(walk, name, bound, args)
    if name == "cdiv" and result.dtype is None:
        result.dtype = "int"
    return result


def converted(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    value = args[0] if args else NOTHING
    if isinstance(value.const, (int, float)):
        try:
            return constant(arithmetic.converted(name, value.const))
        except arithmetic.FAILS:  # infinity is no integer
            pass
    return EvidentValue(static=value.static, levels=0, dtype=name, shape=(), origins=value.origins)


def to(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source, dtype = bound.get("input", NOTHING), bound.get("dtype")
    if dtype is not None and dtype.callee == "pointer_type":
        walk.vote(source, "i64", 6, "it is made a pointer")
        return EvidentValue(levels=1, dtype=dtype.dtype, shape=source.shape, origins=source.origins)
    wanted = result_dtype(walk, dtype)
    bitcast = bound.get("bitcast", NOTHING).const is True
    # An integer made of a float says nothing of what the float was made of.
    rounded = is_int(wanted) and is_float(source.dtype) and not bitcast
    if wanted == "i64" and not rounded:
        walk.vote(source, "int", 2, "it is made an int64")
    elif rounded:
        pass
    elif wanted is not None and wanted != "i1" and not bitcast:
        walk.vote(source, "int" if not is_float(wanted) else "float", 0.25, f"it is made {wanted}")
    elif bitcast and wanted is not None:
        walk.vote(direct(source), f"bits{width(wanted)}", 4, "its bits are taken")
    origins = source.origins if wanted in ("i64", "i32", None) else join_origins(source.origins, (), False)
    if rounded:
        origins = ()
    if source.const is not UNKNOWN and isinstance(source.const, (int, float)):
        return EvidentValue(levels=0, dtype=wanted, shape=(), origins=origins)
    made = source.dtype if dtype is None else wanted
    return EvidentValue(levels=source.levels, dtype=made, shape=source.shape, origins=origins)


def pointer_type(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    element = bound.get("element", NOTHING)
    return EvidentValue(static=True, callee="pointer_type", dtype=result_dtype(walk, element))


def random(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    for key in ("seed", "offset"):
        if key in bound:
            index(walk, bound[key], f"it is the {key} of a random number")
    one = EvidentValue(levels=0, dtype="i32" if "int" in name else "fp32", shape=bound.get("offset", NOTHING).shape)
    return EvidentValue(items=[one] * 4) if name.endswith("4x") else one


def range_of(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    static = name == "static_range"
    for value in args[:3]:
        if value.callee == LENGTH and value.self is not None:
            walk.vote(value.self, "each", 1, "a loop goes over it")
        if static:
            walk.vote(value, "static", 4, "it bounds tl.static_range")
            if len(args) < 3:
                # What is unrolled step by step has few steps.
                walk.vote(direct(value), "unrolled", 1, "it bounds tl.static_range")
        else:
            index(walk, value, "it bounds a loop")
    if not static:
        return EvidentValue(callee="range", self=scalar("i32"))
    bounds = [a.const for a in args[:3]]
    first = constant(bounds[0] if len(bounds) > 1 and isinstance(bounds[0], int) else 0)
    first.callee = STEP
    steps = range(*bounds) if bounds and all(type(b) is int for b in bounds) and bounds[2:] != [0] else range(0)
    return EvidentValue(callee="range", self=first, items=[constant(step) for step in steps[:_MOST_STEPS]] or None)


def len_of(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    value = args[0] if args else NOTHING
    if value.items is not None and not (walk.counting and measured(value)):
        return constant(len(value.items))
    if value.items is None and value.levels is None and value.shape is None:
        walk.vote(value, "tuple", 5, "its length is asked for")
    return EvidentValue(static=True, levels=0, dtype="int", shape=(), callee=LENGTH, self=value)


def asm(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    given = bound.get("args", NOTHING)
    inputs = given.items or []
    constraints = bound.get("constraints", NOTHING).const
    if given.items is None and isinstance(constraints, str):
        for path, depth, addend in given.origins:
            if depth == 0 and addend:
                clue = walk.clue(path)
                clue.vote(0, "tuple", 5, walk.line, "it is the operands of inline assembly")
                clue.arity = max(clue.arity, sum("=" not in c for c in constraints.split(",")))
    each = elementwise(walk, name, bound, inputs)
    dtype = bound.get("dtype", NOTHING)
    results = [
        EvidentValue(levels=0, dtype=result_dtype(walk, d), shape=each.shape, origins=each.origins)
        for d in (dtype.items if dtype.items is not None else [dtype])
    ]
    return EvidentValue(items=results) if dtype.items is not None else results[0]


def mapped(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    function = bound.get("fn", NOTHING)
    if isinstance(function.callee, FunctionRef):
        return walk.call(function.callee.index, args[1:], {})
    return NOTHING


def partitioned(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """Gluon's ``warp_specialize``: each partition is called with what stands beside it; the first gives the results."""
    results: list[EvidentValue] = []
    for pair in (args[0] if args else bound.get("functions_and_args", NOTHING)).items or ():
        function, given = pair.items if pair.items is not None and len(pair.items) == 2 else (NOTHING, NOTHING)
        callee, parts = function.callee, given.items
        if isinstance(callee, FunctionRef) and parts is not None:
            results.append(walk.call(callee.index, parts, {}))
        else:
            results.append(NOTHING)
    return results[0] if results else NOTHING


def isinstance_of(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    return EvidentValue(static=True, origins=join_origins(args[0].origins, (), False) if args else ())


def result_dtype(walk: BodyView, dtype: EvidentValue | None) -> str | None:
    """The dtype that an argument names."""
    if dtype is None:
        return None
    known = dtype_constant(dtype)
    if known is None and dtype.const is UNKNOWN and dtype.self is None:
        walk.vote(dtype, "dtype", 4, "it is a dtype")
    return known or dtype.dtype
