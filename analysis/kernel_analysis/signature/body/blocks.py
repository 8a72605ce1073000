"""What Triton's functions that make, reshape and reduce blocks give, and what they demand of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernel_analysis.signature.body import pointers
from kernel_analysis.signature.body.elementwise import result_dtype
from kernel_analysis.signature.body.operators import index, needs_rank
from kernel_analysis.signature.evident_values import (
    NAMES,
    NOTHING,
    SCALED_FORMATS,
    UNKNOWN,
    EvidentValue,
    Shape,
    broadcast,
    direct,
    join_origins,
)
from kernel_analysis.source.slice import FunctionRef

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

Arguments = dict[str, EvidentValue]


def arange(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    start, end = bound.get("start", NOTHING), bound.get("end", NOTHING)
    if isinstance(start.const, int) and isinstance(end.const, int):
        return EvidentValue(levels=0, dtype="i32", shape=(end.const - start.const,))
    walk.vote(end, "static", 5, "it bounds tl.arange")
    walk.vote(start, "static", 5, "it bounds tl.arange")
    extent = walk.extent(end, "it bounds tl.arange")
    return EvidentValue(levels=0, dtype="i32", shape=(extent if start.const == 0 else None,))


def full(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    shape = bound.get("shape")
    if shape is not None and shape.items is None:
        walk.vote(shape, "tuple", 5, "it is a block's shape")
    if shape is not None and not shape.static:
        walk.vote(shape, "static", 5, "it is a block's extent")
    walk.vote(direct(bound.get("value", NOTHING)), "number", 2, "a block is filled with it")
    return EvidentValue(levels=0, dtype=result_dtype(walk, bound.get("dtype")), shape=walk.extents(shape))


def like(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source = bound.get("input", NOTHING)
    return EvidentValue(levels=0, dtype=result_dtype(walk, bound.get("dtype")) or source.dtype, shape=source.shape)


def dot(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    scaled = name == "dot_scaled"
    a, b = (bound.get(k, NOTHING) for k in (("lhs", "rhs") if scaled else ("input", "other")))
    for side in (a, b):
        # Of a sum or product that is multiplied, nothing is known.
        walk.vote(direct(side), "dot", 2, "it is multiplied by tl.dot")
        if side.shape is None:
            needs_rank(walk, side, 2)
        other = b if side is a else a
        if not scaled and other.dtype in pointers.NARROW:
            walk.vote(direct(side), other.dtype, 1, f"it is multiplied with {other.dtype} by tl.dot")
        for part in side.shape or ():
            if isinstance(part, str):
                walk.clue(part).vote(0, "dot", 2, None, "it is an extent of a tl.dot")
    if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape) == 2:
        pointers.shaped(walk, a, (a.shape[0], b.shape[0]))
        pointers.shaped(walk, b, (a.shape[1], b.shape[1]))
        if not scaled or _scaled(walk, bound, a, b):
            walk.equal(a.shape[1:], b.shape[:1])
    elif scaled:
        _scaled(walk, bound, a, b)
    acc = bound.get("acc")
    if acc is not None and acc.shape is None and acc.const is UNKNOWN:
        needs_rank(walk, acc, 2)
    shape = (*a.shape[:-1], b.shape[-1]) if a.shape and b.shape else None
    dtype = result_dtype(walk, bound.get("out_dtype")) or ("i32" if a.dtype == "i8" else "fp32")
    return EvidentValue(levels=0, dtype=dtype, shape=shape)


def _scaled(walk: BodyView, bound: Arguments, a: EvidentValue, b: EvidentValue) -> bool:
    """What the formats of a ``tl.dot_scaled`` say of its operands; whether both hold as many numbers in an element."""
    formats = [bound.get(f"{side}_format", NOTHING).const for side in ("lhs", "rhs")]
    for operand, format in ((a, formats[0]), (b, formats[1])):
        dtype = SCALED_FORMATS.get(format) if isinstance(format, str) else None
        if dtype is not None:
            walk.vote(direct(operand), dtype, 3, f"it is an {format} operand of tl.dot_scaled")
    for side in ("lhs_scale", "rhs_scale"):
        walk.vote(direct(bound.get(side, NOTHING)), "u8", 3, "it is a scale of tl.dot_scaled")
    return formats[0] == formats[1] or "e2m1" not in formats


def reduce(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source = bound.get("input", NOTHING)
    if source.items is not None:
        combine(walk, bound, source.items)
        alone = {k: v for k, v in bound.items() if k != "combine_fn"}
        parts = [reduce(walk, name, {**alone, "input": item}, args) for item in source.items]
        return EvidentValue(items=parts)
    axis = bound["axis"].const if "axis" in bound else None
    combine(walk, bound, [source])
    if source.shape is None and source.const is UNKNOWN:
        needs_rank(walk, source, (axis if axis >= 0 else -axis - 1) + 1 if isinstance(axis, int) else 1)
    keep = bound.get("keep_dims", NOTHING).const is True
    shape: Shape | None = ()
    if axis is not None and source.shape is not None and isinstance(axis, int):
        at = axis % len(source.shape) if source.shape else 0
        shape = (*source.shape[:at], *((1,) if keep else ()), *source.shape[at + 1 :])
    elif axis is not None:
        shape = None
    dtype = "i32" if name.startswith("arg") else source.dtype
    result = EvidentValue(levels=0, dtype=dtype, shape=shape, origins=join_origins(source.origins, (), False))
    if bound.get("return_indices", NOTHING).const is True:
        return EvidentValue(items=[result, EvidentValue(levels=0, dtype="i32", shape=shape)])
    return result


def scan(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source = bound.get("input", NOTHING)
    combine(walk, bound, source.items or [source])
    if source.shape is None and source.items is None:
        needs_rank(walk, source, 1)
    return source


def combine(walk: BodyView, bound: Arguments, sources: list[EvidentValue]) -> None:
    """The function that a reduction or scan combines elements with is called with scalars."""
    function = bound.get("combine_fn", NOTHING).callee
    if isinstance(function, FunctionRef):
        scalars = [EvidentValue(levels=0, dtype=s.dtype, shape=()) for s in sources]
        walk.call(function.index, scalars * 2, {})


def same_of(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    return args[0] if args else NOTHING


def permuted(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source = args[0] if args else NOTHING
    order = [a.const for a in (args[1].items or [] if len(args) == 2 else args[1:])]
    if source.shape is None:
        needs_rank(walk, source, len(order) or 2)
        return EvidentValue(levels=source.levels, dtype=source.dtype, origins=source.origins)
    shape: Shape | None = source.shape[::-1] if not order else None
    axes = [i for i in order if isinstance(i, int) and -len(source.shape) <= i < len(source.shape)]
    if order and len(axes) == len(order):
        shape = tuple(source.shape[i] for i in axes)
    return EvidentValue(levels=source.levels, dtype=source.dtype, shape=shape, origins=source.origins)


def shaped(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source = args[0] if args else NOTHING
    wanted = args[1] if len(args) == 2 else bound.get("shape") if "shape" in bound and len(args) < 2 else None
    if wanted is None and len(args) > 2:
        wanted = EvidentValue(items=args[1:])
    shape = walk.extents(wanted)
    if name != "broadcast_to":
        walk.same_size(source.shape, shape)
        pointers.shaped(walk, source, shape)
        if source.shape is None:
            needs_rank(walk, source, 1)
            walk.reshaped.append((source.origins, shape))
    else:
        walk.equal(source.shape, shape)
    return EvidentValue(levels=source.levels, dtype=source.dtype, shape=shape, origins=source.origins)


def expand(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source, axis = bound.get("input", NOTHING), bound.get("axis", NOTHING).const
    if source.shape is None or not isinstance(axis, int):
        needs_rank(walk, source, 1)
        return EvidentValue(levels=source.levels, dtype=source.dtype, origins=source.origins)
    at = axis if axis >= 0 else len(source.shape) + 1 + axis
    return EvidentValue(
        levels=source.levels,
        dtype=source.dtype,
        shape=(*source.shape[:at], 1, *source.shape[at:]),
        origins=source.origins,
    )


def pair(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    a, b = ([*args, NOTHING, NOTHING])[:2]
    if name == "split":
        needs_rank(walk, a, 2)
        half = EvidentValue(levels=a.levels, dtype=a.dtype, shape=a.shape[:-1] if a.shape else None, origins=a.origins)
        return EvidentValue(items=[half, half])
    for side, other in ((a, b), (b, a)):
        if side.dtype in (None, "int") and other.dtype in NAMES:
            walk.vote(side, other.dtype, 2, f"it becomes one block with {other.dtype}")
    shape = broadcast(a.shape, b.shape)
    if name == "join":
        shape = None if shape is None else (*shape, 2)
    elif shape:
        shape = (*shape[:-1], shape[-1] * 2 if isinstance(shape[-1], int) else None)
    return EvidentValue(levels=a.levels, dtype=a.dtype, shape=shape, origins=join_origins(a.origins, b.origins, True))


def histogram(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source = bound.get("input", NOTHING)
    walk.vote(source, "int", 3, "a histogram is made of it")
    return EvidentValue(levels=0, dtype="i32", shape=walk.extents(bound.get("num_bins")))


def gather(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    source, at = bound.get("src", NOTHING), bound.get("index", NOTHING)
    index(walk, at, "it is an index")
    return EvidentValue(levels=source.levels, dtype=source.dtype, shape=at.shape, origins=source.origins)
