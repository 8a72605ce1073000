"""Which integers an expression has whatever is passed, where a cast says so: by the text alone. Errs towards not
knowing."""

from __future__ import annotations

import ast
import re
from typing import Final

from kernel_analysis.attempt.fault.known_blocks import KnownBlocks

_INTEGERS: Final = re.compile(r"(u?)int(8|16|32|64)")
_DEEPEST: Final = 20


def leaves_out(node: ast.expr, number: ast.expr, place: ast.AST, known: KnownBlocks) -> bool:
    """Whether an expression is a block of integers that are too few bits for a number that stands beside it: Triton
    computes with the block's own type."""
    value = _number(number)
    dtype = _INTEGERS.fullmatch(_integers(node, place, known) or "") if value is not None else None
    return dtype is not None and value is not None and not _fits(value, dtype)


def _integers(node: ast.expr, place: ast.AST, known: KnownBlocks, depth: int = 0) -> str | None:
    """The dtype, as the language calls it."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Name):
        given = known.given(node.id, place)
        found = {None if value is None else _integers(value, at, known, depth + 1) for value, at in given}
        return found.pop() if len(found) == 1 else None
    if isinstance(node, ast.BinOp):
        return _beside(node.left, node.right, place, known, depth)
    if not isinstance(node, ast.Call):
        return None
    name = known.of_language(node.func)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "to" and not name and len(node.args) == 1:
        cast = known.of_language(node.args[0])
        return cast if _INTEGERS.fullmatch(cast) else None
    if name in ("where", "maximum", "minimum") and not node.keywords and len(node.args) == 2 + (name == "where"):
        return _beside(node.args[-2], node.args[-1], place, known, depth)
    return None


def _beside(one: ast.expr, other: ast.expr, place: ast.AST, known: KnownBlocks, depth: int) -> str | None:
    """Of two that make one of the same type: both have it, or one and a number that fits."""
    found = {_integers(side, place, known, depth + 1) for side in (one, other) if _number(side) is None}
    return found.pop() if len(found) == 1 else None


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        return None if value is None else -value
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def _fits(value: int, dtype: re.Match[str]) -> bool:
    bits = int(dtype[2])
    return 0 <= value < 1 << bits if dtype[1] else -(1 << bits - 1) <= value < 1 << bits - 1
