"""Which functions can be carried out one statement after the other, by their whole text. Syntax only."""

from __future__ import annotations

import ast

from kernel_analysis.source.tree.syntax import descend


def why_not(node: ast.FunctionDef) -> str | None:
    """What of a function's whole text makes that it can't be followed."""
    held = (n for n in descend(node) if isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await, ast.Nonlocal)))
    first = next(held, None)
    if first is None:
        named = sum(isinstance(n, ast.NamedExpr) for n in descend(node))
        computed = sum(_named_for_sure(s) for s in descend(node) if isinstance(s, ast.stmt)) if named else 0
        return None if named == computed else "binds names inside of expressions that may not be computed"
    return "changes names of the function around it" if isinstance(first, ast.Nonlocal) else "is a generator"


def _named_for_sure(statement: ast.stmt) -> int:
    """How many names a statement binds by ``:=`` where that is always computed, here, too."""
    if isinstance(statement, (ast.Assign, ast.Return)):
        todo = [statement.value]
    else:
        todo = [statement.test] if isinstance(statement, ast.If) else []
    found = 0
    while todo:
        node = todo.pop()
        if isinstance(node, ast.NamedExpr):
            found += 1
            todo.append(node.value)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            todo += [node.left, *node.comparators]
        elif isinstance(node, ast.BoolOp):
            todo.append(node.values[0])
        elif isinstance(node, ast.BinOp):
            todo += [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            todo.append(node.operand)
    return found
