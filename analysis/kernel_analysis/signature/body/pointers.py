"""What loads, stores, atomics, block pointers and tensor descriptors give, and what they demand of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernel_analysis.signature.evident_values import NOTHING, UNKNOWN, Dim, EvidentValue, Origin, Shape, direct
from kernel_analysis.source.dtypes import is_float, is_int

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

Arguments = dict[str, EvidentValue]

NARROW: Final = ("i8", "u8", "i16", "u16", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e4b15", "fp8e5b16")
"""Dtypes that nobody computes in, so that a value has one of them for what it is stored to or multiplied with."""
DESCRIPTOR: Final = frozenset(
    (
        "load",
        "store",
        "gather",
        "scatter",
        "atomic_add",
        "atomic_max",
        "atomic_min",
        "atomic_and",
        "atomic_or",
        "atomic_xor",
    )
)

_OF_BITS: Final = frozenset(("atomic_and", "atomic_or", "atomic_xor"))


def loaded(pointer: EvidentValue) -> tuple[Origin, ...]:
    """The origins of what is loaded through a pointer: one load further from the base."""
    bases = [o for o in pointer.origins if o.addend]
    return tuple(Origin(o.path, o.depth + 1, True) for o in bases)


def content(pointer: EvidentValue) -> EvidentValue:
    """What is loaded through a pointer."""
    levels = None if pointer.levels is None else max(pointer.levels - 1, 0)
    shape = pointer.block if pointer.block is not None else pointer.shape
    return EvidentValue(levels=levels, dtype=pointer.dtype, shape=shape, origins=loaded(pointer))


def mask(walk: BodyView, bound: Arguments) -> None:
    """A mask must be a bool."""
    if "mask" in bound:
        value = bound["mask"]
        walk.vote(value, "bool", 4, "it is a mask")
        walk.vote(value, "none", 0.25, "it is a mask, which may be None")


def load(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """``tl.load``."""
    pointer = bound.get("pointer", NOTHING)
    if pointer.block is None:
        walk.pointer(pointer, "it is loaded from")
    mask(walk, bound)
    result = content(pointer)
    other = bound.get("other")
    if other is not None and other.const is not UNKNOWN and not isinstance(other.const, bool):
        if is_float(other.dtype):
            walk.vote(result, "float", 1, "a float fills it up")
        elif is_int(other.dtype) and other.const not in (0, 1):
            walk.vote(result, "int", 0.75, "an integer fills it up")
    if result.shape is None and "mask" in bound:
        result.shape = bound["mask"].shape
    return result


def store(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """``tl.store`` and the atomics, which give the old content."""
    pointer, value = bound.get("pointer", NOTHING), bound.get("value", NOTHING)
    if pointer.block is None:
        walk.pointer(pointer, "it is stored to" if name == "store" else f"{name} works on it")
    mask(walk, bound)
    walk.vote(direct(value), "number", 2, "it is stored")
    result = content(pointer)
    if name in ("atomic_and", "atomic_or", "atomic_xor", "atomic_cas"):
        walk.vote(result, "int", 3, f"{name} needs integers")
    elif name != "store":
        if is_int(value.dtype):
            walk.vote(result, "int", 2, f"{name} adds an integer")
    elif value.levels == 0 and value.dtype is not None and value.const is UNKNOWN:
        kind = "bool" if value.dtype == "i1" else "float" if is_float(value.dtype) else "int"
        walk.vote(result, kind, 0.4, f"{value.dtype} is stored in it")
        if value.dtype in NARROW and not value.origins:
            # What was not just moved was made so small on purpose.
            walk.vote(result, value.dtype, 0.4, f"{value.dtype} is stored in it")
    return result


def make_block_ptr(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """``tl.make_block_ptr``."""
    base = bound.get("base", NOTHING)
    walk.pointer(base, "it is the base of a block pointer")
    for key in ("shape", "strides", "offsets"):
        for part in bound.get(key, NOTHING).items or ():
            walk.vote(part, "int", 3, f"it is in the {key} of a block pointer")
    return EvidentValue(
        levels=1, dtype=base.dtype, origins=_bases(base), block=_extents(walk, bound.get("block_shape"))
    )


def make_descriptor(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """``tl.make_tensor_descriptor``."""
    base = bound.get("base", NOTHING)
    walk.pointer(base, "it is the base of a tensor descriptor")
    bound = _with_items(walk, bound)
    for key in ("shape", "strides"):
        for part in bound.get(key, NOTHING).items or ():
            walk.vote(part, "int", 3, f"it is in the {key} of a tensor descriptor")
    for last in (bound.get("strides", NOTHING).items or [])[-1:]:
        walk.vote(direct(last), "one", 5, "a tensor descriptor's last stride is 1")
    block = _extents(walk, bound.get("block_shape"))
    for part in block or ():
        if isinstance(part, str):
            walk.clue(part).vote(0, "tma", 1, None, "it is an extent of a tensor descriptor's block")
    return EvidentValue(levels=1, dtype=base.dtype, origins=_bases(base), block=block or ())


def _with_items(walk: BodyView, bound: Arguments) -> Arguments:
    """The arguments with as many elements of each as a descriptor has dimensions."""
    lists = {key: bound[key] for key in ("shape", "strides", "block_shape") if key in bound}
    rank = max((len(value.items) for value in lists.values() if value.items), default=2)
    for key, value in lists.items():
        if value.items is None and value.const is UNKNOWN and value.origins:
            walk.vote(value, "tuple", 5, f"it is the {key} of a tensor descriptor")
            for path, depth, addend in value.origins:
                if depth == 0 and addend:
                    walk.clue(path).arity = max(walk.clue(path).arity, rank)
            value = EvidentValue(items=[walk.element(value, i) for i in range(rank)], origins=value.origins)
        lists[key] = value
    return {**bound, **lists}


def advance(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """``tl.advance``."""
    for part in bound.get("offsets", NOTHING).items or ():
        walk.vote(part, "int", 3, "it advances a block pointer")
    return bound.get("base", NOTHING)


def descriptor(
    walk: BodyView, name: str, self: EvidentValue, args: list[EvidentValue], bound: Arguments
) -> EvidentValue:
    """A method of a tensor descriptor, which a parameter may be."""
    offsets = args[0].items if args else None
    block: Shape | None = self.block
    if block is None:
        value = args[1] if len(args) > 1 and name != "load" else bound.get("value")
        rank = len(offsets) if offsets is not None else 2
        if name == "scatter":
            value = args[0] if args else None
        shape = value.shape if value is not None else None
        block = shape if shape is not None and len(shape) == rank and name != "gather" else (None,) * rank
        if name in ("gather", "scatter"):
            block = (1, block[-1])  # of many rows one each
        for path, depth, addend in self.origins:
            if depth == 0 and addend:
                clue = walk.clue(path)
                clue.vote(0, "descriptor", 5, walk.line, f"it is a tensor descriptor: {name} is called on it")
                clue.blocks.append(block)
    for part in offsets or ():
        walk.vote(part, "int", 3, "it is an offset in a tensor descriptor")
    if name.startswith("atomic_") and (value := args[1] if len(args) > 1 else bound.get("value")) and value.dtype:
        # Nothing is converted on the way.
        walk.vote(EvidentValue(origins=loaded(self)), value.dtype, 4, f"{name} takes {value.dtype}")
    if name in _OF_BITS:
        for value in (EvidentValue(origins=loaded(self)), *args[1:2]):
            walk.vote(value, "int", 5, "bits are computed with it")
    if name in ("atomic_min", "atomic_max"):
        for value in (EvidentValue(origins=loaded(self)), *args[1:2]):
            walk.vote(value, "int", 1, f"{name} takes no float of 32 bits")
    if name in ("gather", "scatter"):
        given = args[1:] if name == "scatter" else args
        at = given[0] if given else NOTHING
        walk.vote(at, "int", 3, "it is an offset in a tensor descriptor")
        walk.vote(at, "i32", 3, "it is an offset in a tensor descriptor")
        return EvidentValue(
            levels=0, dtype=self.dtype, shape=(at.shape[0] if at.shape else None, block[-1] if block else None)
        )
    if name == "load":
        return EvidentValue(levels=0, dtype=self.dtype, shape=block, origins=loaded(self))
    return NOTHING


def takes_offsets(name: str, args: list[EvidentValue], named: Arguments) -> bool:
    """Whether a method of what is not known is one of a descriptor, which is told where: that of a pointer of the same
    name is given what it stores."""
    if name != "store" and not name.startswith("atomic_") or "offsets" in named:
        return True
    if not args or args[0].items is None and (args[0].levels is not None or args[0].shape is not None):
        return False
    return len(args) > 1 or "value" in named


def of_descriptor(walk: BodyView, name: str, bound: Arguments, args: list[EvidentValue]) -> EvidentValue:
    """``tl.load_tensor_descriptor`` and ``tl.store_tensor_descriptor``: the method of what is given first."""
    given = [bound[key] for key in ("offsets", "value") if key in bound]
    return descriptor(walk, name.partition("_")[0], bound.get("desc", NOTHING), given, bound)


def copied(walk: BodyView, name: str, args: list[EvidentValue]) -> None:
    """A function of Gluon's that copies between shared memory and what a tensor descriptor describes."""
    for value in args[:1]:
        if value.block is None:  # it is none that the kernel makes
            walk.vote(value, "descriptor", 5, f"it is the tensor descriptor of {name}")
        if len(args) > 1 and args[1].items is not None:
            for part in args[1].items:
                walk.vote(part, "int", 3, "it is a coordinate in a tensor descriptor")
            for path in (o.path for o in value.origins if o.depth == 0 and o.addend and value.block is None):
                # As many coordinates as the block has dimensions, or the image out of which it is taken.
                if name.endswith("im2col"):
                    walk.clue(path).image = len(args[1].items)
                else:
                    walk.clue(path).blocks.append((None,) * len(args[1].items))
        if name.removeprefix("async_") in _OF_BITS:
            walk.vote(EvidentValue(origins=loaded(value)), "int", 5, "bits are computed with it")


def shaped(walk: BodyView, value: EvidentValue, shape: Shape | None) -> None:
    """Say that what was loaded through a descriptor has this shape, leading ones left out."""
    if shape is None or value.shape is None or None not in value.shape:
        return
    for path, depth, _ in value.origins:
        clue = walk.clues.get(path)
        if depth == 1 and clue is not None and clue.blocks:
            rank = len(clue.blocks[0])
            full = (1,) * (rank - len(shape)) + shape
            clue.blocks.append(full[-rank:] if rank else ())


def _bases(base: EvidentValue) -> tuple[Origin, ...]:
    return tuple(o for o in base.origins if o.addend)


def _extents(walk: BodyView, shape: EvidentValue | None) -> Shape | None:
    if shape is None:
        return None
    found: list[Dim] = [walk.extent(part, "it is a block's extent") for part in (shape.items or ())]
    return tuple(found)
