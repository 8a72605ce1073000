"""What the text of a function says of a value: what may be in it, as bits, and as much of its structure as is in sight.

Plain data; what a bit stands for is the walk's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kernel_analysis.dataflow.text.language import DTYPES
from kernel_analysis.record import record
from kernel_analysis.source.slice import AggregateRef, TritonObject


class TooInvolved(Exception):
    """The text is too involved to be followed to its end; whatever it does, it may do anything."""


class _Known:
    """Of a value that is not written down, how much is known of it. Never a text or a number: two values of which the
    same is known may be two."""

    def __init__(self, told: str) -> None:
        self._told = told

    def __repr__(self) -> str:
        return self._told


UNSEEN: Final = _Known("UNSEEN")
PLAIN_TYPE: Final = _Known("a type that is no pointer's")
"""What ``const`` is for a dtype that is not written down, but certainly no pointer."""
POINTER_TYPE: Final = _Known("a pointer's type")
"""What it is for one that certainly is."""
ANY_TYPE: Final = _Known("the type of what may be addresses")
SCALAR_TYPE: Final = _Known("the type of one of what may be addresses")
"""What it is for ``x.type``, which may be a block's, and for ``x.dtype``: an address's, whose own element is none."""
AS_LOADED: Final = _Known("what was loaded, as it was")
"""What it is for what came out of memory and was not computed with: an address where it is cast to one."""
GIVEN_BACK: Final = _Known("a parameter as it was given")
"""What it is, in what a function gives back, for one of its parameters, and no part of that."""
MOST_TEXTS: Final = 8
DESCRIPTOR: Final = _Known("a tensor descriptor")
"""What it is for a descriptor. Its elements are never addresses: no Triton makes one over pointers."""


BLOCK, CONSTANT, OWN, OBJECT = range(4)
"""What a value is at most. ``BLOCK``: something of Triton's own, such as a block, a number, a descriptor or a type;
``CONSTANT``: what Python holds while a kernel is compiled, or a tuple: it has parts, which may be functions, but no
operators of the user's; ``OWN``: one of a class of the slice, whose operators are in sight; ``OBJECT``: one of any
class, as is all of which nothing says that it is less."""


@record
class Either:
    """What ``const`` is for one of several texts that are written down, or for one that is put together there."""

    texts: frozenset[str]


class TextValue:
    """``flow``: the addresses and functions that may be in it. ``dep``: why it may be another for another launch.
    ``items``: of a tuple whose structure is in sight; ``fields``: their names. ``const``: what it is, where that is
    written down. ``pointer``: it is an address for certain (or None), so that what is added to it is an offset.
    ``open``: how many items there are differs from launch to launch. ``sort``: what it is at most, a ``BLOCK`` for
    example; of what has items, apart from these. ``made``: the aggregate that it is one of, for certain."""

    __slots__ = ("const", "dep", "fields", "flow", "items", "made", "open", "pointer", "sort")

    def __init__(
        self,
        flow: int = 0,
        dep: int = 0,
        items: tuple[TextValue, ...] | None = None,
        const: Any = UNSEEN,
        pointer: bool = False,
        fields: tuple[str, ...] = (),
        open: bool = False,
        sort: int = OBJECT,
        made: AggregateRef | None = None,
    ) -> None:
        self.flow, self.dep, self.items, self.const = flow, dep, items, const
        self.pointer, self.fields, self.open, self.sort, self.made = pointer, fields, open, sort, made

    def __repr__(self) -> str:
        fields = f", {self.fields}" if self.fields else ""
        return f"Value({self.flow:#x}, dep={self.dep:#x}, items={self.items}, const={self.const!r}{fields})"


NOTHING: Final = TextValue(sort=BLOCK)


def tuple_of(
    items: Iterable[TextValue], flow: int = 0, dep: int = 0, open: bool = False, fields: tuple[str, ...] = ()
) -> TextValue:
    """A tuple whose structure is in sight."""
    return TextValue(flow, dep, tuple(items), fields=fields, open=open, sort=CONSTANT)


def sort_of(value: TextValue) -> int:
    """What a value or an item of it is at most."""
    if value.items is None:
        return value.sort
    return max(value.sort, *map(sort_of, value.items)) if value.items else value.sort


def whole(value: TextValue) -> int:
    """All that may be in a value, its items included."""
    if value.items is None:
        return value.flow
    flow = value.flow
    for item in value.items:
        flow |= whole(item)
    return flow


def depends(value: TextValue) -> int:
    """Why a value or its items may be others."""
    if value.items is None:
        return value.dep
    dep = value.dep
    for item in value.items:
        dep |= depends(item)
    return dep


def same_const(a: Any, b: Any) -> bool:
    """Whether two values that are written down are one; ``True`` is not ``1`` here."""
    return a is b or type(a) is type(b) and not isinstance(a, (tuple, list)) and a == b


def join(a: TextValue, b: TextValue) -> TextValue:
    """Either of two."""
    if a is b:
        return a
    const = UNSEEN
    if a.const is not UNSEEN and b.const is not UNSEEN:
        if same_const(a.const, b.const):
            const = a.const
        elif plain_type(a) and plain_type(b):
            const = PLAIN_TYPE
        elif (one := texts(a)) and (other := texts(b)) and len(one | other) <= MOST_TEXTS:
            const = Either(one | other)
    made = a.made if a.made == b.made else None
    sort = max(a.sort, b.sort)
    if a.items is not None and b.items is not None and len(a.items) == len(b.items) and a.fields == b.fields:
        items = tuple([join(x, y) for x, y in zip(a.items, b.items, strict=True)])
        return TextValue(a.flow | b.flow, a.dep | b.dep, items, const, False, a.fields, a.open or b.open, sort, made)
    if a.items is None and b.items is None:
        open, pointer = a.open or b.open, a.pointer and b.pointer
        return TextValue(a.flow | b.flow, a.dep | b.dep, None, const, pointer, (), open, sort, made)
    sort = max(sort_of(a), sort_of(b))
    return TextValue(whole(a) | whole(b), depends(a) | depends(b), None, const, False, (), a.open or b.open, sort)


def anew(value: TextValue) -> TextValue:
    """The same, told apart from it: what a name holds as a constant is not what another holds that was assigned it."""
    items = None if value.items is None else tuple([anew(item) for item in value.items])
    return TextValue(
        value.flow, value.dep, items, value.const, value.pointer, value.fields, value.open, value.sort, value.made
    )


def texts(value: TextValue) -> frozenset[str]:
    """The texts that it is one of; none where that is not in sight."""
    if isinstance(value.const, Either):
        return value.const.texts
    return frozenset({value.const}) if type(value.const) is str else frozenset()


def heap(values: Iterable[TextValue], dep: int = 0) -> TextValue:
    """Something made of all these, whose structure is not in sight."""
    flow, sort = 0, CONSTANT
    for value in values:
        flow, dep, sort = flow | whole(value), dep | depends(value), max(sort, sort_of(value))
    return TextValue(flow, dep, sort=sort)


def same(a: TextValue, b: TextValue) -> bool:
    """Whether two values say the same."""
    if a is b:
        return True
    if a.flow != b.flow or a.dep != b.dep or a.pointer != b.pointer or a.open != b.open or a.sort != b.sort:
        return False
    if a.fields != b.fields or a.made != b.made:
        return False
    if not same_const(a.const, b.const):
        return False
    if a.items is None or b.items is None:
        return a.items is b.items
    return len(a.items) == len(b.items) and all(map(same, a.items, b.items))


def plain_type(value: TextValue) -> bool:
    """Whether it is a dtype for certain, and no pointer's."""
    if value.const is UNSEEN:
        return False
    if value.const is PLAIN_TYPE or value.const is None:
        return True
    return isinstance(value.const, TritonObject) and value.const.path.rpartition(".")[2] in DTYPES


def parts_of(value: TextValue) -> list[TextValue]:
    """The items of a tuple, each of which may be another wherever the tuple may be."""
    return [with_dep(item, value.dep) for item in value.items or ()]


def with_dep(value: TextValue, dep: int) -> TextValue:
    """The value, which may also be another because of ``dep``."""
    if not dep or not dep & ~value.dep:
        return value
    items, fields = value.items, value.fields
    return TextValue(
        value.flow, value.dep | dep, items, value.const, value.pointer, fields, value.open, value.sort, value.made
    )  # fmt: skip
