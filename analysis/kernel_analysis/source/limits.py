"""Arithmetic that can't hang or eat memory, whatever the expression. Pure functions on plain Python values."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

Scalar: TypeAlias = "int | float | bool | str"

MOST_STEPS = 30_000
MOST_DEPTH = 80
_BITS = 4096
_TEXT = 20_000
LONGEST = 4096
HEAVIEST = 50_000
LONGEST_COMMENT = 10_000
"""Characters of a comment that is read for what it says."""
LONG_COMMENT = f"this comment is too long to be read: at most {LONGEST_COMMENT:,} characters are"


class TooMuch(Exception):
    """An evaluation that would take too long, nest too deep or grow too large. Never leaves ``source``."""


_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_INTEGER: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
    ast.RShift: lambda a, b: a >> b,
}
_COMPARE: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.eq, ast.IsNot: operator.ne,
}  # fmt: skip


def literal(value: Scalar | None) -> Scalar | None:
    """A value as it is written in the text, if what follows can calculate with it."""
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise TooMuch
    return value


def number(op: ast.operator, a: int | float, b: int | float) -> int | float:
    """``a op b``; raises ArithmeticError or ValueError as Python does, TooMuch before the result gets too big."""
    kind = type(op)
    if kind is ast.Pow:
        return power(a, b)
    if kind is ast.Mult:
        if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > _BITS:
            raise TooMuch
        return a * b
    if kind in _BINARY:
        return _BINARY[kind](a, b)
    if isinstance(a, int) and isinstance(b, int):
        if kind is ast.LShift:
            if b > _BITS or a.bit_length() + max(b, 0) > _BITS:
                raise TooMuch
            return a << b
        if kind in _INTEGER:
            return _INTEGER[kind](a, b)
    raise ValueError("not a number's operation")


def unary(op: ast.unaryop, value: object) -> int | float | bool:
    """``op value`` for a plain value; raises TypeError as Python does."""
    if isinstance(op, ast.Not):
        return not value
    if isinstance(value, (int, float)):
        if isinstance(op, ast.USub):
            return -value
        if isinstance(op, ast.UAdd):
            return +value
        if isinstance(value, int):
            return ~int(value)
    raise TypeError("not a number's sign")


def power(a: int | float, b: int | float) -> int | float:
    """``a ** b``, bounded."""
    if isinstance(a, int) and isinstance(b, int):
        if abs(b) * max(a.bit_length(), 1) > _BITS:
            raise TooMuch
        result: int | float = a**b
        return result
    value = float(a) ** float(b)
    if isinstance(value, complex):
        raise ValueError("a complex number")
    return value


def compare(op: ast.cmpop, a: Scalar | None, b: Scalar | None) -> bool:
    """``a op b`` for plain values; raises TypeError as Python does."""
    kind = type(op)
    if kind in _COMPARE:
        return _COMPARE[kind](a, b)
    if kind in (ast.In, ast.NotIn):
        if not isinstance(a, str) or not isinstance(b, str):
            raise TypeError("not a container")
        return (a in b) == (kind is ast.In)
    if isinstance(a, str) and isinstance(b, str):
        return _order(kind, (a > b) - (a < b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if a != a or b != b:
            return False
        return _order(kind, (a > b) - (a < b))
    raise TypeError("not comparable")


def order(op: ast.cmpop, a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Compares version numbers, missing parts as zeros."""
    width = max(len(a), len(b))
    a, b = a + (0,) * (width - len(a)), b + (0,) * (width - len(b))
    sign = (a > b) - (a < b)
    if isinstance(op, ast.Eq):
        return sign == 0
    if isinstance(op, ast.NotEq):
        return sign != 0
    return _order(type(op), sign)


def _order(kind: type[ast.cmpop], sign: int) -> bool:
    if kind is ast.Lt:
        return sign < 0
    if kind is ast.LtE:
        return sign <= 0
    if kind is ast.Gt:
        return sign > 0
    if kind is ast.GtE:
        return sign >= 0
    raise TypeError("not an order")


def text(value: str) -> str:
    """The text, if it is not too long."""
    if len(value) > _TEXT:
        raise TooMuch
    return value


_Sequence = TypeVar("_Sequence", str, "tuple[Any, ...]")


def repeated(value: _Sequence, times: int) -> _Sequence:
    """``value * times``, bounded."""
    if len(value) * max(times, 0) > (_TEXT if isinstance(value, str) else LONGEST):
        raise TooMuch
    return value * times


def formatted(value: Scalar | None, spec: str) -> str:
    """``format(value, spec)``; a width or precision that makes megabytes is refused."""
    harmless(spec)
    return text(format(value, spec))


def harmless(spec: str) -> None:
    """Raises TooMuch for a format with a number in it that could ask for a huge text."""
    if len(spec) > _TEXT or any(len(n) > 3 for n in re.findall(r"\d+", spec)) or "*" in spec:
        raise TooMuch


def percent(template: str, values: tuple[Scalar | None, ...]) -> str:
    """``template % values``."""
    if len(template) > _TEXT:
        raise TooMuch
    for spec in re.findall(r"%[^a-zA-Z%]*", template):
        harmless(spec)
    return text(template % values)


_FLOAT_FUNCTIONS: dict[str, Callable[[float], float]] = {
    name: getattr(math, name)
    for name in [
        "sqrt",
        "exp",
        "log",
        "log2",
        "log10",
        "sin",
        "cos",
        "tan",
        "floor",
        "ceil",
        "trunc",
        "fabs",
        "log1p",
        "expm1",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "isnan",
        "isinf",
    ]
}
_FLOAT_PAIRS: dict[str, Callable[[float, float], float]] = {
    "pow": math.pow,
    "log": math.log,
    "atan2": math.atan2,
    "copysign": math.copysign,
}


def mathematics(name: str, numbers: Sequence[int | float]) -> int | float | None:
    """What a function of ``math`` or ``numpy`` gives; None for one that is not known here."""
    if len(numbers) == 1 and name in _FLOAT_FUNCTIONS:
        return _FLOAT_FUNCTIONS[name](numbers[0])
    if len(numbers) == 2 and name in _FLOAT_PAIRS:
        return _FLOAT_PAIRS[name](numbers[0], numbers[1])
    whole = [n for n in numbers if isinstance(n, int)]
    if name == "gcd" and len(whole) == len(numbers):
        return math.gcd(*whole)
    if name in ("float32", "float64") and len(numbers) == 1:
        return float(numbers[0])
    if name in ("int32", "int64") and len(numbers) == 1:
        return int(numbers[0])
    return None


def converted(name: str, value: Scalar) -> Scalar:
    """``int(value)`` and the like."""
    if isinstance(value, str) and len(value) > 1000:
        raise TooMuch
    return {"int": int, "float": float, "str": str, "repr": repr, "bool": bool}[name](value)


def rounded(value: int | float, digits: int | None) -> int | float:
    """``round(value, digits)``."""
    if digits is None:
        return round(value)
    if abs(digits) >= 400:
        raise TooMuch
    return round(value, digits)


def numbers_of(bounds: Sequence[int]) -> range:
    """``range(*bounds)``, if it is not too long."""
    found = range(*bounds)
    if len(found) > LONGEST:
        raise TooMuch
    return found


def joined(one: _Sequence, other: _Sequence) -> _Sequence:
    """``one + other``, if it is not too long."""
    if len(one) + len(other) > (_TEXT if isinstance(one, str) else LONGEST):
        raise TooMuch
    return one + other
