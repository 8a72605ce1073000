"""How many dimensions an expression has whatever is passed: by the text alone, in a kernel that is launched, which is
passed no blocks. Errs towards not knowing."""

from __future__ import annotations

import ast
from typing import Final

from kernel_analysis.attempt.known_blocks import KnownBlocks
from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.forms import is_none

_SAME: Final = frozenset({"abs", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid"})
_WIDEST: Final = frozenset({"maximum", "minimum", "where"})
_SCALARS: Final = frozenset({"program_id", "num_programs"})
_SHAPED: Final = frozenset({"zeros", "full"})
REDUCTIONS: Final = frozenset({"sum", "max", "min", "argmax", "argmin"})
_DEEPEST: Final = 20


def rank(node: ast.expr, place: ast.AST, known: KnownBlocks, depth: int = 0) -> int | None:
    """The rank of an expression that is computed at a place; None where it may be another."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Constant):
        return 0 if isinstance(node.value, int | float) else None
    if isinstance(node, ast.UnaryOp):
        return rank(node.operand, place, known, depth + 1)
    if isinstance(node, ast.BinOp):
        return _widest([node.left, node.right], place, known, depth)
    if isinstance(node, ast.Compare):
        return _widest([node.left, *node.comparators], place, known, depth)
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        kept = [part for part in parts if isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None]
        added = [part for part in parts if is_none(part)]
        whole = rank(node.value, place, known, depth + 1) == len(kept) and len(kept) + len(added) == len(parts)
        return len(parts) if whole else None
    if isinstance(node, ast.Call):
        return _called(node, place, known, depth)
    if not isinstance(node, ast.Name):
        return None
    ranks = {_given(value, at, known, depth) for value, at in known.given(node.id, place)}
    return ranks.pop() if len(ranks) == 1 else None


def _given(value: ast.expr | None, at: ast.AST, known: KnownBlocks, depth: int) -> int | None:
    if value is not None:
        return rank(value, at, known, depth + 1)
    return 0 if isinstance(at, ast.arg) and at.annotation is None else None


def _called(node: ast.Call, place: ast.AST, known: KnownBlocks, depth: int) -> int | None:
    name = known.of_language(node.func)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "to" and not name:
        cast = len(node.args) == 1 and known.of_language(node.args[0]) in LANGUAGE
        return rank(node.func.value, place, known, depth + 1) if cast else None
    if name in _SCALARS:
        return 0
    if name == "arange":
        return 1
    if name in _SHAPED and node.args and isinstance(node.args[0], ast.Tuple | ast.List):
        return None if any(isinstance(e, ast.Starred) for e in node.args[0].elts) else len(node.args[0].elts)
    if name == "load" and node.args and not isinstance(node.args[0], ast.Starred):
        return _widest([node.args[0], *filter(None, [argument(node, "mask", 1)])], place, known, depth)
    if name in _SAME and node.args:
        return rank(node.args[0], place, known, depth + 1)
    if name in _WIDEST and not any(isinstance(a, ast.Starred) for a in node.args):
        return _widest(node.args, place, known, depth)
    if name in REDUCTIONS and len(node.args) == 2 and not node.keywords and type(axis(node)) is int:
        inner = rank(node.args[0], place, known, depth + 1)
        return inner - 1 if inner else None
    return None


def argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """What a call passes for a parameter, by position or by name."""
    named = (keyword.value for keyword in call.keywords if keyword.arg == name)
    return next(iter((*call.args[position : position + 1], *named)), None)


def axis(call: ast.Call) -> int | None:
    """The axis that a reduction is asked for, where that is written down."""
    said = argument(call, "axis", 1)
    return said.value if isinstance(said, ast.Constant) and type(said.value) is int else None


def _widest(nodes: list[ast.expr], place: ast.AST, known: KnownBlocks, depth: int) -> int | None:
    ranks = [rank(node, place, known, depth + 1) for node in nodes]
    return None if None in ranks else max(one for one in ranks if one is not None)
