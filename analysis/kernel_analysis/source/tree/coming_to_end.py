"""How a function may be left without a ``return`` that gives something: by its end; and whether calling it gives an
iterator. Reads syntax only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from kernel_analysis.source.tree.syntax import children

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def passed_through(body: Sequence[ast.stmt], lets_through: Callable[[ast.expr], bool]) -> bool:
    """Whether what stands behind these statements may be reached. ``lets_through``: whether the object of a ``with``
    swallows no exception."""
    return all(_passed(statement, lets_through) for statement in body)


def _passed(node: ast.stmt, lets_through: Callable[[ast.expr], bool]) -> bool:
    if isinstance(node, (ast.Return, ast.Raise)):
        return False
    if isinstance(node, ast.If):
        return any(passed_through(body, lets_through) for body in (node.body, node.orelse))
    if isinstance(node, (ast.With, ast.AsyncWith)):
        swallows = not all(lets_through(item.context_expr) for item in node.items)
        return swallows or passed_through(node.body, lets_through)
    if isinstance(node, ast.Try):
        ways = [[*node.body, *node.orelse], *(handler.body for handler in node.handlers)]
        left = any(passed_through(way, lets_through) for way in ways)
        return left and passed_through(node.finalbody, lets_through)
    if isinstance(node, ast.Match):
        last = node.cases[-1]
        takes_all = last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        return not takes_all or any(passed_through(case.body, lets_through) for case in node.cases)
    if isinstance(node, ast.While):
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return not endless or any(isinstance(inner, ast.Break) for inner in ast.walk(node))
    return True


def is_generator(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a ``yield`` stands in it, and in no function inside of it."""
    todo: list[ast.AST] = [*function.body]
    for node in todo:
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, _SCOPES):
            todo += children(node)
    return False
