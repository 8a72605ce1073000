"""What Triton works out anew for every value, of the shape of a block and its type, is worked out once for each shape.

Sets the same attributes to the same values; what is of another class, or has other attributes than these, is left to
Triton.
"""

# pyright: basic
from __future__ import annotations

import functools
from typing import Any

from kernel_analysis.lowering import compat

tl: Any = compat.tl

_MOST = 4096
_OF_TENSORS = {"handle", "shape", "numel", "type", "dtype"}
_OF_TYPES = {"element_ty", "shape", "numel", "name"}


def _tensor(original):
    known: dict[tuple[int, ...], tuple[Any, ...]] = {}

    @functools.wraps(original)
    def init(self, handle, type):
        block = type.is_block()
        sizes = tuple(type.shape.values) if block and isinstance(type.shape, tl.tuple) else ()
        found = known.get(sizes) if bool(sizes) == block else None
        if found is None or self.__class__ is not tl.tensor:
            original(self, handle, type)
            if bool(sizes) == block and vars(self).keys() == _OF_TENSORS and len(known) < _MOST:
                known[sizes] = (tuple(self.shape.values), self.shape.type, self.numel)
            return
        values, kind, numel = found
        self.handle, self.type, self.dtype = handle, type, type.scalar
        self.shape, self.numel = tl.tuple(values, kind), numel

    return init


def _block_type(original):
    known: dict[tuple[Any, ...], dict[str, Any]] = {}

    @functools.wraps(original)
    def init(self, element_ty, shape):
        sizes = shape.values if isinstance(shape, tl.tuple) else shape
        if self.__class__ is not tl.block_type or not isinstance(sizes, list | tuple):
            original(self, element_ty, shape)
            return
        sizes = [size.value if isinstance(size, tl.constexpr) else size for size in sizes]
        # By identity, which the entry keeps: equal types may yet be named otherwise.
        key = (id(element_ty), *map(type, sizes), *sizes)
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


_ORIGINALS = tl.tensor.__init__, tl.block_type.__init__
_QUICK = _tensor(tl.tensor.__init__), _block_type(tl.block_type.__init__)


def remember(wanted: bool = True) -> None:
    """From now on; not ``wanted``: no longer."""
    tl.tensor.__init__, tl.block_type.__init__ = _QUICK if wanted else _ORIGINALS
