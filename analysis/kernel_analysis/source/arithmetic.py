"""Python's operators and pure functions on plain values, bounded by ``limits``: the one arithmetic for host code,
kernels and comments. They raise what Python raises, and TooMuch: ``FAILS`` are all of those."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

from kernel_analysis.source import limits
from kernel_analysis.source.limits import Scalar, TooMuch

_PYTHON: Any = operator
FAILS: Final = (ArithmeticError, ValueError, TypeError, LookupError, TooMuch)
BINARY: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: _PYTHON.add, ast.Sub: _PYTHON.sub, ast.Mult: _PYTHON.mul, ast.Div: _PYTHON.truediv,
    ast.FloorDiv: _PYTHON.floordiv, ast.Mod: _PYTHON.mod, ast.LShift: _PYTHON.lshift, ast.RShift: _PYTHON.rshift,
    ast.BitAnd: _PYTHON.and_, ast.BitOr: _PYTHON.or_, ast.BitXor: _PYTHON.xor, ast.Pow: _PYTHON.pow,
}  # fmt: skip
UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.USub: _PYTHON.neg, ast.UAdd: _PYTHON.pos, ast.Not: _PYTHON.not_, ast.Invert: _PYTHON.invert,
}  # fmt: skip
ORDER: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: _PYTHON.eq, ast.NotEq: _PYTHON.ne, ast.Lt: _PYTHON.lt, ast.LtE: _PYTHON.le, ast.Gt: _PYTHON.gt,
    ast.GtE: _PYTHON.ge,
}  # fmt: skip
COMPARE: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    **ORDER, ast.Is: _PYTHON.is_, ast.IsNot: _PYTHON.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def binary(op: ast.operator, a: Any, b: Any) -> Any:
    """``a op b`` for numbers, texts and tuples."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return number(op, a, b)
    if isinstance(op, ast.Mod) and isinstance(a, str):
        return limits.percent(a, cast("tuple[Any, ...]", b) if isinstance(b, tuple) else (b,))
    if isinstance(op, ast.Mult):
        for sequence, times in ((a, b), (b, a)):
            if isinstance(sequence, str) and isinstance(times, int):
                return limits.repeated(sequence, times)
            if isinstance(sequence, tuple) and isinstance(times, int):
                return limits.repeated(cast("tuple[Any, ...]", sequence), times)
    if isinstance(op, ast.Add):
        if isinstance(a, str) and isinstance(b, str):
            return limits.joined(a, b)
        if isinstance(a, tuple) and isinstance(b, tuple):
            return limits.joined(cast("tuple[Any, ...]", a), cast("tuple[Any, ...]", b))
    raise TypeError("there is no such operation on these")


def number(op: ast.operator, a: int | float, b: int | float) -> int | float:
    """``a op b``, if it is not too large."""
    limits.refuse(op, a, b)
    function = BINARY.get(type(op))
    if function is None:
        raise TypeError("not a number's operation")
    value = function(a, b)
    if isinstance(value, complex):
        raise ValueError("a complex number")
    return value


def power(a: int | float, b: int | float) -> int | float:
    """``a ** b``."""
    return number(ast.Pow(), a, b)


def unary(op: ast.unaryop, value: object) -> int | float | bool:
    """``op value``."""
    if isinstance(value, (int, float)):
        return UNARY[type(op)](int(value) if isinstance(op, ast.Invert) and isinstance(value, bool) else value)
    if isinstance(op, ast.Not):
        return not value
    raise TypeError("not a number's sign")


def compare(op: ast.cmpop, a: Scalar | None, b: Scalar | None) -> bool:
    """``a op b``. Of two equal numbers it is not known here whether they are one object: ``is`` asks for the same
    value."""
    kind = type(op)
    if kind in (ast.Is, ast.IsNot):
        return (a == b) == (kind is ast.Is)
    if kind in (ast.In, ast.NotIn) and not isinstance(b, str):
        raise TypeError("not a container")
    return COMPARE[kind](a, b)


def order(op: ast.cmpop, a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Compares version numbers, missing parts as zeros."""
    width = max(len(a), len(b))
    return ORDER[type(op)](a + (0,) * (width - len(a)), b + (0,) * (width - len(b)))


def cdiv(a: Any, b: Any) -> Any:
    """``triton.cdiv(a, b)``: Triton's formula, which rounds up for positive numbers alone."""
    return number(ast.FloorDiv(), number(ast.Add(), a, number(ast.Sub(), b, 1)), b)


def next_power_of_2(n: Any) -> int:
    """``triton.next_power_of_2(n)``."""
    if not isinstance(n, int):
        raise TypeError("not an integer")
    return number(ast.LShift(), 1, (n - 1).bit_length()) if n > 0 else 0  # pyright: ignore[reportReturnType]


def extreme(name: str, values: Sequence[Any]) -> Any:
    """``min(...)`` or ``max(...)``, of several or of one sequence."""
    if len(values) == 1:
        values = values[0]
    if not isinstance(values, (tuple, list, range)) or not values:
        raise TypeError("not to be compared")
    if not all(isinstance(v, (int, float)) for v in values) and not all(isinstance(v, str) for v in values):
        raise TypeError("not to be compared")
    return min(values) if name == "min" else max(values)


_FLOAT_FUNCTIONS: Final[Mapping[str, Callable[[float], float]]] = {
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
_FLOAT_PAIRS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "pow": math.pow,
    "log": math.log,
    "atan2": math.atan2,
    "copysign": math.copysign,
}


_OF_INTEGERS: Final[Mapping[str, Callable[..., int]]] = {"gcd": math.gcd, "lcm": math.lcm, "isqrt": math.isqrt}


def mathematics(name: str, numbers: Sequence[int | float]) -> int | float | None:
    """What a function of ``math`` or ``numpy`` gives; None for one that is not known here."""
    if len(numbers) == 1 and name in _FLOAT_FUNCTIONS:
        return _FLOAT_FUNCTIONS[name](numbers[0])
    if len(numbers) == 2 and name in _FLOAT_PAIRS:
        return _FLOAT_PAIRS[name](numbers[0], numbers[1])
    whole = [n for n in numbers if isinstance(n, int)]
    if name in _OF_INTEGERS and len(whole) == len(numbers):
        return _OF_INTEGERS[name](*whole)
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


def rounded(value: int | float, digits: int | None = None) -> int | float:
    """``round(value, digits)``."""
    if digits is None:
        return round(value)
    if abs(digits) >= 400:
        raise TooMuch
    return round(value, digits)


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "cdiv": cdiv,
    "next_power_of_2": next_power_of_2,
    "min": lambda *values: extreme("min", values),
    "max": lambda *values: extreme("max", values),
    "abs": abs,
    "pow": power,
    "round": rounded,
    **{name: partial(converted, name) for name in ("int", "float", "str", "bool")},
}
"""Python's own functions and Triton's, by name."""


def called(path: str, values: Sequence[Any]) -> Any:
    """What a function gives by the path that its name resolves to; LookupError for one that is not known here."""
    module, _, name = path.rpartition(".")
    if module in ("math", "numpy"):
        known = mathematics(name, values)
        if known is None:
            raise LookupError(path)
        return known
    if module == "builtins" or module.partition(".")[0] == "triton":
        return FUNCTIONS[name](*values)
    raise LookupError(path)
