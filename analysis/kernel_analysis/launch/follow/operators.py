"""Python's operators on what is known of values, and on stand-ins. Pure; knows no names."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from kernel_analysis.launch.follow.fakes import UNKNOWN, Dotted, Tensor
from kernel_analysis.launch.follow.scope import Function

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def unary(op: ast.unaryop, value: Any) -> Any:
    if value is UNKNOWN or isinstance(value, Tensor):
        return value
    return not value if isinstance(op, ast.Not) else -value if isinstance(op, ast.USub) else value


def binary(op: ast.operator, one: Any, other: Any) -> Any:
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return one if isinstance(one, Tensor) else other
    return _applied(_OPERATORS.get(type(op)), one, other)


def compared(op: ast.cmpop, one: Any, other: Any) -> Any:
    if isinstance(op, ast.Is | ast.IsNot):
        if one is UNKNOWN or other is UNKNOWN:
            return UNKNOWN
        return (one is other) is isinstance(op, ast.Is)
    if isinstance(op, ast.In | ast.NotIn):
        if one is UNKNOWN or not isinstance(other, tuple) or UNKNOWN in other:
            return UNKNOWN
        return (one in other) is isinstance(op, ast.In)
    return _applied(_OPERATORS.get(type(op)), one, other)


def _applied(function: Callable[..., Any] | None, one: Any, other: Any) -> Any:
    if function is None or isinstance(one, Dotted | Function) or isinstance(other, Dotted | Function):
        return UNKNOWN
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    try:
        return function(one, other)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return UNKNOWN
