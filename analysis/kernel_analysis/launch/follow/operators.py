"""Python's operators on what is known of values, and on stand-ins. Pure; knows no names; raises what ``limits``
does."""

from __future__ import annotations

import ast
from typing import Any

from kernel_analysis.launch.follow.fakes import UNKNOWN, Dotted, Tensor
from kernel_analysis.launch.follow.scope import Function
from kernel_analysis.source import arithmetic

_OPAQUE = (Dotted, Function, Tensor)


def unary(op: ast.unaryop, value: Any) -> Any:
    if value is UNKNOWN or isinstance(value, Tensor):
        return value
    if isinstance(op, ast.Not):
        return UNKNOWN if isinstance(value, Dotted | Function) else not value
    return arithmetic.unary(op, value)


def binary(op: ast.operator, one: Any, other: Any) -> Any:
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return one if isinstance(one, Tensor) else other
    return arithmetic.binary(op, one, other)


def compared(op: ast.cmpop, one: Any, other: Any) -> Any:
    if isinstance(op, ast.Is | ast.IsNot):
        if one is UNKNOWN or other is UNKNOWN:
            return UNKNOWN
        return (one is other) is isinstance(op, ast.Is)
    if isinstance(op, ast.In | ast.NotIn):
        if one is UNKNOWN or not isinstance(other, tuple) or UNKNOWN in other:
            return UNKNOWN
        return (one in other) is isinstance(op, ast.In)
    if one is UNKNOWN or other is UNKNOWN or isinstance(one, _OPAQUE) or isinstance(other, _OPAQUE):
        return UNKNOWN
    if isinstance(op, ast.Eq | ast.NotEq):
        return (one == other) is isinstance(op, ast.Eq)
    if isinstance(one, int | float | str) and isinstance(other, int | float | str):
        return arithmetic.compare(op, one, other)
    return UNKNOWN
