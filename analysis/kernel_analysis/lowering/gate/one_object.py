"""``a is b`` of values that stand for those of a run: decided where it is the same for any two objects that Python may
have made of them.

Whether two equal numbers, texts or tuples are one object depends on what the compiler folds and what is kept; a list of
the file is made here once for each name that has it.
"""

# pyright: basic
from __future__ import annotations

import dataclasses
import math
from typing import Any

from kernel_analysis.lowering.gate.enum_members import MemberOfEnum
from kernel_analysis.lowering.gate.harmless import NotEvaluable

_VALUES = (int, float, complex, str, bytes, tuple, frozenset, range, slice)
_CONTAINERS = (list, dict, set)
_MOST_PARTS = 1 << 16
_SMALL = range(-5, 257)  # of these every Python that Triton has keeps one object


def identical(one: Any, other: Any) -> bool:
    """Whether two values are one object. Raises NotEvaluable where that is not the same in every run."""
    if any(value is None or isinstance(value, bool) for value in (one, other)) or type(one) is not type(other):
        return one is other
    if isinstance(one, MemberOfEnum):
        if one is not other and not (one.of and other.of):
            _refuse()
        return one is other
    if type(one) is int and one == other and one in _SMALL:
        return True
    if isinstance(one, _VALUES):
        if isinstance(one, tuple | frozenset) and len(one) == len(other) or one == other or _may_be_nan(one, other):
            _refuse()
        return False
    if one is not other and (isinstance(one, _CONTAINERS) or dataclasses.is_dataclass(one)) and one == other:
        _refuse()
    return one is other


def refuse_nan(one: Any, other: Any) -> None:
    """Raise NotEvaluable where a container tells whether a NaN is the one that it holds."""
    if _has_nan(one) and _has_nan(other):
        _refuse()


def _has_nan(value: Any) -> bool:
    """Raises NotEvaluable for what has too many parts to be looked at. Each container is gone through once, so that one
    that holds itself comes to an end."""
    waiting, left = [value], _MOST_PARTS
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, float) and math.isnan(value):
            return True
        if id(value) in seen:
            continue
        seen.add(id(value))
        parts: list[Any] = [*value, *value.values()] if isinstance(value, dict) else []
        if isinstance(value, list | tuple | set | frozenset):
            parts = [*value]
        left -= len(parts)
        if left < 0:
            raise NotEvaluable("the sequence is too long")
        waiting += parts
    return False


def _may_be_nan(one: Any, other: Any) -> bool:
    return one != one or other != other


def _refuse() -> None:
    raise NotEvaluable("whether two equal values are one object is not evaluated")
