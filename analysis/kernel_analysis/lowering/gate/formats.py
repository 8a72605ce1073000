"""``"...".format(...)`` and ``"..." % ...`` of constants: a text of bounded length.

May write out plain values alone, and others only as ``str`` does: takes no attribute or item of anything, asks no
object how it is to be formatted, and knows nothing of the place where the program runs.
"""

# pyright: basic
from __future__ import annotations

import re
from string import Formatter
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate.not_evaluable import NotEvaluable

_LARGEST = 1 << 16
_WIDEST = 1000
"""Of a width or a precision."""
_FLOAT = 400
"""Characters of the longest one, but for its precision."""
_PLAIN = (bool, int, float, str, type(None))
_NAMED = re.compile(r"\w*\Z")
_SPEC = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?0?(\d*)[,_]?(?:\.(\d+))?[bcdeEfFgGosxX%]?\Z", re.DOTALL)
_PERCENT = re.compile(r"%(?:%|[-+ 0#]*(\d*)(?:\.(\d+))?[diouxXeEfFgGcrs])|%", re.DOTALL)


def refuse_format(owner: str, values: list[Any]) -> None:
    """Raise NotEvaluable for what ``str.format`` is not evaluated of."""
    try:
        fields = [part for part in Formatter().parse(owner) if part[1] is not None]
    except ValueError:
        return  # Python says why
    plain = all(map(is_plain, values))
    size = 0
    for _, name, spec, conversion in fields:
        form = _SPEC.match(spec or "")
        if not _NAMED.match(name or "") or form is None or conversion not in (None, "s", "r"):
            raise NotEvaluable("a format that asks for more than values is not evaluated")
        if not plain and (spec or conversion):
            raise NotEvaluable("how what is no plain value is formatted is not evaluated")
        size += _room(form)
    _refuse_long(owner, size, len(fields), values)


def refuse_percent(left: Any, right: Any) -> None:
    """Raise NotEvaluable for what ``left % right`` is not evaluated of."""
    values = list(right) if type(right) is tuple else [right]
    if not isinstance(left, str) or not all(map(is_plain, values)):
        raise NotEvaluable("`%` formatting of this is not evaluated")
    fields = [*_PERCENT.finditer(left)]
    if any(field[0] == "%" for field in fields):
        raise NotEvaluable("`%` formatting of this is not evaluated")
    _refuse_long(left, sum(map(_room, fields)), len(fields), values)


def is_plain(value: Any) -> bool:
    return type(value) in _PLAIN


def held(value: Any) -> Any:
    """What a constexpr writes out, or the value itself."""
    return value.value if isinstance(value, compat.tl.constexpr) else value


def _room(form: re.Match[str]) -> int:
    """How much wider a field may get than what is in it."""
    numbers = [int(number[:9]) for number in form.groups() if number]
    if any(number > _WIDEST for number in numbers):
        raise NotEvaluable("a text that is so long is not evaluated")
    return sum(numbers)


def _refuse_long(text: str, room: int, fields: int, values: list[Any]) -> None:
    longest = max([_FLOAT, *map(_length, values)])
    if len(text) + room + fields * longest > _LARGEST:
        raise NotEvaluable("a text that is so long is not evaluated")


def _length(value: Any) -> int:
    if isinstance(value, int):
        return value.bit_length() + 8
    return 12 * len(value) if isinstance(value, str) else _FLOAT
