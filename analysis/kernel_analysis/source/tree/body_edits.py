"""Whether two texts of a file differ inside the body of one jit function alone: then all that host code is, and every
line of it, is as it was. Says no where that is not plain."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from kernel_analysis.source.module import Module
from kernel_analysis.source.tree.nodes import statements_on
from kernel_analysis.source.tree.syntax import all_of


def within_a_body(
    before: Module, after: Module, functions: Iterable[ast.FunctionDef]
) -> tuple[ast.FunctionDef, ast.FunctionDef] | None:
    """That function in the one text and in the other; None where more than its body differs. ``functions``: the jit
    functions of ``before``. Both texts parse, and around the body stand the same lines."""
    old, new = before.lines, after.lines
    if len(old) != len(new) or before.syntax or after.syntax or before.broken or after.broken:
        return None
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=True), 1) if a != b), None)
    if first is None:
        return None
    last = next(n for n in range(len(old), 0, -1) if old[n - 1] != new[n - 1])
    edited = next((f for f in functions if _body(f) <= first and last <= (f.end_lineno or 0)), None)
    if edited is None or before.embedded_at(edited.lineno) is not None or not _stands_alone(before, edited):
        return None
    now = _at(after, edited)
    if now is None or not _stands_alone(after, now) or _binds_outside(edited) or _binds_outside(now):
        return None
    return edited, now


def _body(function: ast.FunctionDef) -> int:
    return function.body[0].lineno


def _stands_alone(module: Module, function: ast.FunctionDef) -> bool:
    """Whether the body starts on a line of its own."""
    first = function.body[0]
    return not module.lines[first.lineno - 1].encode()[: first.col_offset].strip()


def _at(module: Module, known: ast.FunctionDef) -> ast.FunctionDef | None:
    """The function in the place of one that was there before."""
    for node, _ in statements_on(module, [known.lineno]):
        if (
            isinstance(node, ast.FunctionDef)
            and (node.name, node.lineno, node.col_offset) == (known.name, known.lineno, known.col_offset)
            and node.end_lineno == known.end_lineno
            and module.embedded_at(node.lineno) is None
        ):
            return node
    return None


def _binds_outside(function: ast.FunctionDef) -> bool:
    """Whether it says which names are another scope's: that counts there, too."""
    return bool(all_of(function, ast.Global) or all_of(function, ast.Nonlocal))
