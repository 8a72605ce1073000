"""What the syntax of host code says before any of it is followed. Pure; evaluates nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from kernel_analysis.host.tensors.library import OF_ARRAYS, OF_TENSORS

_MOST_AXES = 64


def contains(node: ast.AST, call: ast.Call) -> bool:
    """Whether a call stands somewhere in a node, by identity or by its place."""
    return any(_same(inner, call) for inner in ast.walk(node))


def _same(node: ast.AST, call: ast.Call) -> bool:
    return node is call or (
        isinstance(node, ast.Call)
        and (node.lineno, node.col_offset) == (call.lineno, call.col_offset)
        and node.end_col_offset == call.end_col_offset
        and node.end_lineno == call.end_lineno
    )


def binding(body: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements of a module that may bind a name."""
    found: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            if statement.name == name:
                found.append(statement)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            if any((alias.asname or alias.name.partition(".")[0]) == name for alias in statement.names):
                one = [a for a in statement.names if (a.asname or a.name.partition(".")[0]) == name]
                copy = type(statement)(
                    **{f: getattr(statement, f) for f in statement._fields if f != "names"}, names=one
                )
                found.append(ast.copy_location(copy, statement))
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(n, ast.Name) and n.id == name for target in targets for n in ast.walk(target)):
                found.append(statement)
        elif isinstance(statement, ast.If | ast.Try):
            found += binding([*statement.body, *statement.orelse], name)
    return found


def rank(function: ast.AST, name: str) -> int | None:
    """How many dimensions the code takes a parameter to have; None where nothing says that it is a tensor."""
    if not any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and node.attr in OF_TENSORS | OF_ARRAYS
        for node in ast.walk(function)
    ):
        return None
    found = 0
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            text = ast.unparse(node.value)
            if text in (f"{name}.shape", f"{name}.size()", f"{name}.stride()"):
                found = max(found, len(node.targets[0].elts))
        index: ast.expr | None = None
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == f"{name}.shape":
            index = node.slice
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (f"{name}.stride", f"{name}.size") and node.args:
            index = node.args[0]
        if index is not None:
            try:
                at = ast.literal_eval(index)
            except (ValueError, TypeError, RecursionError):
                continue
            if type(at) is int and abs(at) < _MOST_AXES:
                found = max(found, at + 1 if at >= 0 else -at)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == f"{name}.numel" and not found:
            found = 1
    return found or 2
