"""What Python's operators and functions make of a ``tl.constexpr``: its class defines the operators, and what they give
is another one; ``in``, ``is`` and ``not`` give what they always do. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kernel_analysis.host.evaluate.properties import alike
from kernel_analysis.host.evaluate.values import Items, Unknown, Value, Wrapped, plain
from kernel_analysis.source.slice import TritonObject

_REFLECTED: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)
"""What a number or a list on the left leaves to a ``constexpr`` on the right."""
_COMPARES: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NUMBERS: Final = (bool, int, float)
CHOOSE: Final = ("min", "max")
_GO_THROUGH: Final = frozenset({
    "all", "any", "bool", "enumerate", "filter", "list", "map", "set", "tuple", "zip", *CHOOSE
})  # fmt: skip
_INDEX: Final = frozenset({"float", "int", "math", "range"})
"""Functions that ask for its ``__index__``."""


def of_binary(op: ast.operator, left: Value, right: Value, made: Value) -> Value:
    """``left op right``, where ``made`` is what the operator makes of the values in them. Raises TypeError, where they
    have no such operator."""
    if isinstance(left, Wrapped):
        return wrapped(made)
    if not isinstance(right, Wrapped):
        return made
    if isinstance(op, _REFLECTED):
        return wrapped(made)
    if isinstance(left, _NUMBERS):
        raise TypeError("a number has no such operator with a constexpr")
    return made


def of_unary(op: ast.unaryop, operand: Value, made: Value) -> Value:
    """``op operand``"""
    return wrapped(made) if isinstance(operand, Wrapped) and not isinstance(op, ast.Not) else made


def of_comparison(op: ast.cmpop, left: Value, right: Value, made: Value) -> Value:
    """``left op right``; Triton's own dtypes say themselves what they are equal to."""
    either = isinstance(left, Wrapped) or isinstance(right, Wrapped) and not isinstance(left, TritonObject)
    return wrapped(made) if either and isinstance(op, _COMPARES) else made


def may_look_otherwise(op: ast.cmpop, left: Value, right: Value) -> bool:
    """Whether ``left in right`` may be another than it is of the values in them: a text is gone through letter by
    letter, and a dict takes a ``constexpr`` for another key than its value."""
    if not isinstance(op, (ast.In, ast.NotIn)) or not isinstance(left, Wrapped) and not isinstance(right, Wrapped):
        return False
    held = plain(right)
    return not isinstance(held, Items) or held.kind not in ("tuple", "list")


def takes(name: str, args: Sequence[Value]) -> bool:
    """Whether a function of Python's makes of these what it makes of the values in them. ``name``: of a builtin one, or
    the module of another."""
    inner = [arg.value for arg in args if isinstance(arg, Wrapped)]
    return not inner or name in _GO_THROUGH or name in _INDEX and all(isinstance(value, int) for value in inner)


def of_choice(args: Sequence[Value], values: Sequence[Value], chosen: Value) -> Value:
    """What ``min`` or ``max`` gives: the one of several that has the value that is chosen."""
    return next((arg for arg, value in zip(args, values, strict=True) if alike(value, chosen)), chosen)


def wrapped(value: Value) -> Value:
    """``tl.constexpr(value)``, of a value."""
    if isinstance(value, Unknown):
        return replace(value, wrapped=True)
    return value if isinstance(value, Wrapped) else Wrapped(value)


def unwrapped(value: Value) -> Value:
    """The value in a ``tl.constexpr``; any other itself."""
    return value.value if isinstance(value, Wrapped) else value
