"""Our ``copy.deepcopy``: copies that a kernel's text makes of plain data and of Triton's layouts, and may change.

Calls nothing of what it copies: no ``__deepcopy__``, no ``__reduce__``, no ``__init__``.
"""

# pyright: basic
from __future__ import annotations

import dataclasses
import enum
import weakref
from collections.abc import Callable
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate.harmless import HarmlessFunction, NotEvaluable

tl: Any = compat.tl

_MOST_PARTS = 1 << 16

_made: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def is_copy(value: Any) -> bool:
    """Whether the kernel's text made this object of Triton's itself, so that the lists in it are its own."""
    return _made.get(id(value)) is value


def deepcopy(passes: Callable[[Any], Any]) -> HarmlessFunction:
    """``copy.deepcopy`` of what ``passes`` lets through. The function raises NotEvaluable for what is neither plain
    nor a dataclass of Triton's."""
    return HarmlessFunction("copy.deepcopy", lambda value: _copied(passes(value), [_MOST_PARTS], {}))


def _copied(value: Any, left: list[int], seen: dict[int, Any]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise NotEvaluable("what is copied is too large")
    kind = type(value)
    if id(value) in seen:
        return seen[id(value)]
    if kind in (tuple, set, frozenset):
        return kind([_copied(part, left, seen) for part in value])
    if kind is tl.tuple:
        return tl.tuple([_copied(part, left, seen) for part in value.values])
    if kind is tl.constexpr:
        return tl.constexpr(_copied(value.value, left, seen))
    if kind is list:
        seen[id(value)] = made = []
        made.extend(_copied(part, left, seen) for part in value)
        return made
    if kind is dict:
        seen[id(value)] = made = {}
        made.update((_copied(key, left, seen), _copied(part, left, seen)) for key, part in value.items())
        return made
    if dataclasses.is_dataclass(kind):
        seen[id(value)] = made = object.__new__(kind)
        vars(made).update((name, _copied(part, left, seen)) for name, part in vars(value).items())
        _made[id(made)] = made
        return made
    if kind in (bool, int, float, complex, str, bytes, type(None), range) or isinstance(value, enum.Enum | tl.dtype):
        return value  # nothing can change it
    raise NotEvaluable(f"`copy.deepcopy` of a `{kind.__name__}` is not evaluated")
