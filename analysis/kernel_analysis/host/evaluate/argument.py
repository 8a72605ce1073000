"""What is known of a value that is not one constant: of which kind it is, a tensor's dtype, what it is likely to be.
Plain data and what may be one of several; knows neither syntax nor torch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, cast

from kernel_analysis.record import record
from kernel_analysis.source.slice import ListValue, NamedTupleValue

Kind: TypeAlias = Literal[
    "tensor", "int", "float", "bool", "str", "none", "dtype", "descriptor", "layout", "tuple", "dict", "function",
    "object", "unknown",
]  # fmt: skip


Split: TypeAlias = tuple[tuple[int, ...], ...]
"""How the thread blocks of a cluster divide a block among them, as Gluon's ``cga_layout`` says it: a row of offsets for
each bit of a thread block's number."""


class Missing:
    """The type of ``UNKNOWN``."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Missing()
"""Stands for a value that is not known (``None`` is a value)."""


@record
class HostArgument:
    """What a launch may pass. ``value``: when known. ``dtype``: a tensor's; ``int`` of a tuple of integers,
    of which no more is known. ``optional``: it may also be None. ``sure``: in every run it is of this kind and dtype,
    with these items. It is set where that is shown, and nowhere else: what is read off names and habits is not sure.

    ``block``: a descriptor's block shape; the shape that a tensor is likely to have. ``extents``: what each part of a
    descriptor's block shape is written as; once it is known what it is passed with, in the kernel's constants, empty
    where these don't say. ``split``: of a layout of shared memory, and of a descriptor with it, how a cluster's thread
    blocks divide a block of it among them, where that is known. ``likely``: the value that it has
    where nobody says another, as a default. ``name``: what a tensor is called there. ``names``: of the fields of a
    named tuple, of the attributes of an object. ``keys``: of a dict, whose values are the ``items``; ``open``: it may
    have others, too, and a tuple may be another, with more in it or less. ``varies``: where the code runs it may be
    another. ``wrapped``: in a ``tl.constexpr``: the kernel is compiled for its value, whatever its parameter is.
    ``spread``: nothing says that it is passed, but that what is spread out there is not known."""

    kind: Kind = "unknown"
    value: Any = UNKNOWN
    dtype: str | None = None
    optional: bool = False
    items: tuple[HostArgument, ...] | None = None
    block: tuple[Any, ...] | None = None
    extents: tuple[str, ...] = ()
    split: Split | None = None
    likely: Any = UNKNOWN
    name: str | None = None
    names: tuple[str, ...] = ()
    keys: tuple[Any, ...] = ()
    open: bool = False
    varies: bool = False
    sure: bool = False
    wrapped: bool = False
    spread: bool = False


_NUMBERS: Final = ("int", "float", "bool")

NOT_KNOWN: Final = HostArgument()
INT: Final = HostArgument("int")
FLOAT: Final = HostArgument("float")
BOOL: Final = HostArgument("bool")
TENSOR: Final = HostArgument("tensor")
INTEGERS: Final = HostArgument("tuple", dtype="int")
"""A tuple of integers, of nobody knows how many."""


def literal(value: Any) -> HostArgument:
    """A known value."""
    kind: Kind = "unknown"
    if value is None:
        kind = "none"
    elif isinstance(value, bool):
        kind = "bool"
    elif isinstance(value, int):
        kind = "int"
    elif isinstance(value, float):
        kind = "float"
    elif isinstance(value, str):
        kind = "str"
    return NOT_KNOWN if kind == "unknown" else HostArgument(kind, value, sure=True)


def constant(value: Any) -> HostArgument:
    """A known value, or a tuple of such."""
    if isinstance(value, NamedTupleValue):
        return replace(constant(value.values), names=value.fields)
    if not isinstance(value, tuple) or isinstance(value, ListValue):
        return literal(value)
    return of_items(tuple(map(constant, cast("tuple[object, ...]", value))))


def of_items(items: tuple[HostArgument, ...]) -> HostArgument:
    """A tuple."""
    return HostArgument("tuple", items=items, sure=all(item.sure for item in items))


def alike(one: HostArgument, other: HostArgument) -> bool:
    """Whether both are of the same kind, with items of the same kinds; what a kernel is compiled for in these is the
    same value."""
    if (one.kind, one.dtype, one.names, one.open) != (other.kind, other.dtype, other.names, other.open):
        return False
    if one.items is None or other.items is None:
        return one.items is other.items
    return len(one.items) == len(other.items) and all(map(_same_item, one.items, other.items))


def _same_item(one: HostArgument, other: HostArgument) -> bool:
    if not alike(one, other):
        return False
    if one.items is not None or one.kind in ("tensor", "none") or one.kind in _NUMBERS and not one.wrapped:
        return one.wrapped == other.wrapped
    return one.value is not UNKNOWN and (type(one.value), one.value) == (type(other.value), other.value)


def either(parts: list[HostArgument]) -> HostArgument:
    """One of several; the value is only known when all agree."""
    kinds = [p for p in parts if p.kind not in ("none", "unknown")]
    optional = any(p.kind == "none" or p.optional for p in parts)
    if not kinds:
        return parts[0] if len(parts) == 1 or all(p.kind == "none" for p in parts) else NOT_KNOWN
    first = kinds[0]
    if any(p.kind != first.kind for p in kinds):
        number = all(p.kind in ("int", "float", "bool") for p in kinds)
        return HostArgument("float" if any(p.kind == "float" for p in kinds) else "int") if number else NOT_KNOWN
    if len(parts) == 1:
        return first
    if first.kind == "object" and any(p.names != first.names for p in kinds):
        return NOT_KNOWN
    if first.kind == "dict":
        found = _dicts(kinds, optional, any(p.kind == "unknown" for p in parts))
        return unsure(found) if found.open or optional else found
    same = len(kinds) == len(parts) and all(_equal(p.value, first.value) for p in kinds)
    likely = len(kinds) == len(parts) and all(_equal(p.likely, first.likely) for p in kinds)
    if first.kind in ("function", "int", "str") and not same:
        # Nothing that is made up is as good as what some launch passes.
        first, likely = replace(first, likely=next((p.value for p in kinds if p.value is not UNKNOWN), UNKNOWN)), True
    dtype = first.dtype if all(p.dtype == first.dtype for p in kinds) else None
    items = first.items
    if items is not None and any(p.items is None or len(p.items) != len(items) for p in kinds):
        items = None
    elif items is not None:
        items = tuple(either(list(column)) for column in zip(*(p.items or () for p in kinds), strict=True))
    alike = len(kinds) == len(parts) and not any(p.open for p in parts)
    sure = alike and all(p.sure for p in parts) and (items is not None) == (first.items is not None)
    found = replace(
        first,
        value=first.value if same else UNKNOWN,
        dtype=dtype,
        items=items,
        extents=first.extents if all(p.extents == first.extents for p in kinds) else (),
        split=first.split if all(p.split == first.split for p in kinds) else None,
        optional=optional,
        likely=first.likely if likely else UNKNOWN,
        varies=any(p.varies for p in parts),
        wrapped=any(p.wrapped for p in parts),
        sure=sure and all(p.wrapped == first.wrapped for p in parts) and (dtype is not None or first.dtype is None),
    )
    return found if sure else unsure(found)


def _dicts(parts: list[HostArgument], optional: bool, more: bool) -> HostArgument:
    """One of several dicts: with each key that one of them has; ``more``: or something else."""
    columns: dict[Any, list[HostArgument]] = {}
    for part in parts:
        for key, value in zip(part.keys, part.items or (), strict=True):
            columns.setdefault(key, []).append(value)
    found = ((either(column), len(column) < len(parts)) for column in columns.values())
    items = tuple(varying(value) if lacking else value for value, lacking in found)
    open_, varies = more or any(p.open for p in parts), any(p.varies for p in parts)
    return HostArgument("dict", items=items, keys=tuple(columns), optional=optional, open=open_, varies=varies)


def merged(*parts: HostArgument) -> HostArgument:
    """A dict with what these have, the later instead of the earlier; what is not known of one may be in the place of
    all before."""
    pairs: dict[Any, HostArgument] = {}
    more = False
    for part in parts:
        if part.kind != "dict" or part.open or part.optional:
            more, pairs = True, {key: varying(value) for key, value in pairs.items()}
        pairs.update(zip(part.keys, part.items or (), strict=True) if part.kind == "dict" else ())
    varies = any(part.varies for part in parts)
    return HostArgument("dict", items=tuple(pairs.values()), keys=tuple(pairs), open=more, varies=varies)


def supposed(argument: HostArgument) -> Any:
    """The value, or else the one that it is likely to have; UNKNOWN where there is neither."""
    if argument.kind == "tuple" and argument.items is not None:
        items = tuple(map(supposed, argument.items))
        return UNKNOWN if UNKNOWN in items else items
    return argument.likely if argument.value is UNKNOWN else argument.value


def in_question(argument: HostArgument) -> bool:
    """Whether it, or something in it, may be another where the code runs."""
    return argument.varies or any(map(in_question, argument.items or ()))


def surely(found: HostArgument) -> HostArgument:
    """The same, which is shown to be of this kind in every run."""
    return found if found.sure else replace(found, sure=True)


def unsure(found: HostArgument) -> HostArgument:
    """The same, of which nobody has shown that it is, nor what is in it, nor how many are."""
    opened = found.open or found.kind == "tuple"
    if not found.sure and not found.items and found.open == opened:
        return found
    items = None if found.items is None else tuple(map(unsure, found.items))
    return replace(found, items=items, open=opened, sure=False)


def varying(found: HostArgument) -> HostArgument:
    """The same, which may be another where the code runs."""
    if found.varies and not found.items:
        return found
    items = None if found.items is None else tuple(map(varying, found.items))
    return replace(found, items=items, varies=True)


def likely(found: HostArgument) -> HostArgument:
    """What callers in sight pass, for those who see not all of them. What is in a dict goes together, as its author
    made it, and is a launch's own as far as it is known."""
    if found.kind == "dict":
        return replace(varying(found), open=True)
    if found.kind == "object":
        return replace(varying(found), items=tuple(map(likely, found.items or ())), sure=False)
    return replace(found, value=UNKNOWN, likely=supposed(found), items=None, sure=False)


def unknown_one(argument: HostArgument) -> HostArgument:
    """An element or a part of it: of that kind, and of no known value."""
    if argument.kind == "tuple" and argument.dtype == "int":
        return replace(INT, sure=argument.sure)
    return replace(
        argument, value=UNKNOWN, items=None, likely=UNKNOWN, sure=argument.sure and argument.kind == "tensor"
    )


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b and (not isinstance(a, float) or repr(a) == repr(b))
