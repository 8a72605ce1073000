"""What Triton works out anew each time is worked out once: of every value the shape and the type, of every call which
hidden arguments the function takes, the trees of Triton's own functions.

Comes to the same; what is of another class, or has other attributes than these, is left to Triton. Only Triton's own
names are given others, in processes that do nothing else with it; ``remember(False)`` gives them back. Not for each
compile: a class that is changed that often is looked up without Python's caches.
"""

# pyright: basic
from __future__ import annotations

import ast
import functools
import inspect
import weakref
from types import MethodType, SimpleNamespace
from typing import Any

from kernel_analysis.lowering import compat, door
from kernel_analysis.lowering.gate import gate

tl: Any = compat.tl

_MOST = 4096
_NUMBERS = {int}
"""What is remembered is told by these, and by nothing else that a kernel may call a size: a member of an Enum and a
truth value are equal to a number, and are not what the next kernel wrote."""
_OF_TENSORS = {"handle", "shape", "numel", "type", "dtype"}
_OF_TYPES = {"element_ty", "shape", "numel", "name"}


def _are_numbers(sizes):
    return _NUMBERS.issuperset(map(type, sizes))


def _tensor(original):
    known: dict[tuple[int, ...], tuple[Any, ...]] = {}

    @functools.wraps(original)
    def init(self, handle, type):
        block = type.is_block()
        sizes = tuple(type.shape.values) if block and isinstance(type.shape, tl.tuple) else ()
        told = bool(sizes) == block and _are_numbers(sizes)
        found = known.get(sizes) if told else None
        if found is None or self.__class__ is not tl.tensor:
            original(self, handle, type)
            if told and vars(self).keys() == _OF_TENSORS and len(known) < _MOST:
                known[sizes] = (self.shape, self.numel)
            return
        self.handle, self.type, self.dtype = handle, type, type.scalar
        self.shape, self.numel = found

    return init


def _block_type(original):
    known: dict[tuple[int, ...], dict[str, Any]] = {}

    @functools.wraps(original)
    def init(self, element_ty, shape):
        sizes = shape.values if isinstance(shape, tl.tuple) else shape
        if self.__class__ is not tl.block_type or not isinstance(sizes, list | tuple):
            original(self, element_ty, shape)
            return
        sizes = [size.value if isinstance(size, tl.constexpr) else size for size in sizes]
        if not _are_numbers(sizes):
            original(self, element_ty, shape)
            return
        # By identity, which the entry keeps: equal types may yet be named otherwise.
        key = (id(element_ty), *sizes)
        found = known.get(key)
        if found is not None:
            vars(self).update(found)
            return
        original(self, element_ty, shape)
        if vars(self).keys() == _OF_TYPES:
            if len(known) >= _MOST:
                known.clear()
            known[key] = dict(vars(self))

    return init


def _broadcast(original):
    """Blocks of one shape are broadcast already."""

    @functools.wraps(original)
    def broadcast_impl_value(self, lhs, rhs):
        one, other = lhs.type, rhs.type
        if type(one) is tl.block_type and type(other) is tl.block_type and one.shape.values == other.shape.values:
            return lhs, rhs
        return original(self, lhs, rhs)

    return broadcast_impl_value


def _same_sizes(original):
    """Of tuples: plain numbers are compared as they are."""

    @functools.wraps(original)
    def __eq__(self, other):
        values = other.values if type(other) is tl.tuple else other
        if type(values) is list and _are_numbers(self.values) and _are_numbers(values):
            return tl.constexpr(self.values == values)
        return original(self, other)

    return __eq__


def _same_type(original):
    @functools.wraps(original)
    def __eq__(self, other):
        return other is self or original(self, other)

    return __eq__


def _parse(original):
    """By identity, beside the functions: their hash is what they compile to, and they are Triton's."""
    known: dict[int, tuple[weakref.ref[Any], ast.Module]] = {}

    @functools.wraps(original)
    def parse(self) -> ast.Module:
        key = id(self)
        if (found := known.get(key)) is None:
            found = known[key] = weakref.ref(self, lambda _: known.pop(key, None)), original(self)
        return found[1]

    return parse


@functools.lru_cache(maxsize=_MOST)
def _signature_of(function: Any) -> inspect.Signature:
    return inspect.signature(function)


def _signature(function: Any) -> inspect.Signature:
    """For those who look for a parameter's name in it: that of a method is its function's."""
    return _signature_of(function.__func__ if isinstance(function, MethodType) else function)


def _inspect(original):
    return SimpleNamespace(**{**vars(original), "signature": _signature})


_QUICKER: list[tuple[Any, str, Any]] = [
    (owner, name, make)
    for part, owner, name, make in (
        ("core.tensor.__init__", tl.tensor, "__init__", _tensor),
        ("core.block_type.__init__", tl.block_type, "__init__", _block_type),
        ("core.tuple.__eq__", tl.tuple, "__eq__", _same_sizes),
        ("core.dtype.__eq__", tl.dtype, "__eq__", _same_type),
        ("TritonSemantic.broadcast_impl_value", compat.TritonSemantic, "broadcast_impl_value", _broadcast),
        (None, compat.JITCallable, "parse", _parse),
        ("code_generator.inspect", compat.code_generator, "inspect", _inspect),
    )
    if part is None or door.has(part)
]
_ORIGINALS = [getattr(owner, name) for owner, name, _ in _QUICKER]
_QUICK = [make(original) for (_, _, make), original in zip(_QUICKER, _ORIGINALS, strict=True)]
for _original, _quicker in zip(_ORIGINALS, _QUICK, strict=True):
    gate.take_place(_original, _quicker)


def remember(wanted: bool = True) -> None:
    """From now on; not ``wanted``: no longer."""
    for (owner, name, _), value in zip(_QUICKER, _QUICK if wanted else _ORIGINALS, strict=True):
        setattr(owner, name, value)
