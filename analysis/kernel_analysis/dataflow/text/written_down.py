"""What is computed of constants that are written down in a text: numbers, texts, None.

Runs nothing of the text.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

from kernel_analysis.dataflow.text.value import AS_LOADED, UNSEEN, Either, TextValue

PLAIN: Final = (bool, int, float, str, type(None))
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: operator.mod,
}  # fmt: skip
_LARGEST = 1 << 32


def computed(op: ast.operator, left: Any, right: Any) -> Any:
    """What arithmetic makes of two constants."""
    made = _ARITHMETIC.get(type(op))
    if made is None or type(left) is not int or type(right) is not int or abs(left) > _LARGEST or abs(right) > _LARGEST:
        return UNSEEN
    if right == 0 and isinstance(op, ast.FloorDiv | ast.Mod):
        return UNSEEN
    return made(left, right)


def written_down(value: TextValue) -> bool:
    """Whether it is one constant."""
    return value.const is not UNSEEN and value.const is not AS_LOADED and not isinstance(value.const, Either)


def compared(op: ast.cmpop, left: TextValue, right: TextValue) -> Any:
    """What a comparison says of two values."""
    one, other = left.const, right.const
    if type(one) not in PLAIN or type(other) not in PLAIN:
        return UNSEEN
    if isinstance(op, ast.Is | ast.IsNot):
        if one is None or other is None:
            return (one is other) == isinstance(op, ast.Is)
        return UNSEEN
    if isinstance(op, ast.Eq | ast.NotEq):
        return (one == other) == isinstance(op, ast.Eq)
    made = _COMPARE.get(type(op))
    numbers = (int, float, bool)
    return made(one, other) if made is not None and type(one) in numbers and type(other) in numbers else UNSEEN
