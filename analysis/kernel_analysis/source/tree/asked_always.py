"""What a function asks of a dict that it is given whenever it is called: a heuristic, a grid. Reads syntax only.

May not count what stands behind a choice, nor what is asked once the dict may be another, or have more in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis.source.tree.coming_to_end import is_generator
from kernel_analysis.source.tree.forms import COMPREHENSIONS
from kernel_analysis.source.tree.syntax import children

_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Pass)
"""Statements that do what they say and go on, or return."""
_ASKS = frozenset({"get", "keys"})


def keys(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> Iterator[ast.Constant]:
    """The texts by which it takes items of its parameter of that name, in every call that returns."""
    if isinstance(function, ast.Lambda):
        yield from _asked(function.body, name) if _only_read(function.body, name) else ()
        return
    if isinstance(function, ast.AsyncFunctionDef) or is_generator(function):
        return
    for statement in function.body:
        if isinstance(statement, (ast.If, ast.While)):
            # Nobody knows what the arms do; what they depend on is computed first.
            yield from _asked(statement.test, name) if _only_read(statement.test, name) else ()
            return
        if not isinstance(statement, _PLAIN) or not _only_read(statement, name):
            return
        yield from _asked(statement, name)
        if isinstance(statement, ast.Return):
            return


def _asked(node: ast.AST, name: str) -> Iterator[ast.Constant]:
    """Of what is computed whenever the node is."""
    key = _key(node, name)
    if key is not None:
        yield key
    for part in _computed(node):
        yield from _asked(part, name)


def _computed(node: ast.AST) -> list[ast.AST]:
    """The parts of an expression or a plain statement that are computed whenever it is."""
    if isinstance(node, ast.Lambda):
        return []
    if isinstance(node, ast.IfExp):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return [node.values[0]]
    if isinstance(node, ast.Compare):
        return [node.left, node.comparators[0]]
    if isinstance(node, COMPREHENSIONS):
        return [node.generators[0].iter] if not isinstance(node, ast.GeneratorExp) else []
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value is not None else []
    return children(node)


def _key(node: ast.AST, name: str) -> ast.Constant | None:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is(node.value, name):
        return node.slice if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) else None
    return None


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _only_read(node: ast.AST, name: str) -> bool:
    """Whether all that is done with the name, there and in what is made there, takes items of it or asks for them."""
    if isinstance(node, ast.Name):
        return node.id != name
    if isinstance(node, ast.arg):
        return node.arg != name
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is(node.value, name):
        return _only_read(node.slice, name)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is(node.func.value, name):
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return node.func.attr in _ASKS and all(_only_read(one, name) for one in given)
    if isinstance(node, ast.Compare) and all(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
        return all(_is(one, name) or _only_read(one, name) for one in (node.left, *node.comparators))
    return all(_only_read(child, name) for child in children(node))
