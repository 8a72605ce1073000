"""What a piece of syntax looks like, where that is asked in many rooms. By its form alone: no name is looked up."""

from __future__ import annotations

import ast


def last_name(node: ast.AST | None) -> str:
    """The name that something is written as, or the last part of it; empty where it is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_none(node: ast.AST | None) -> bool:
    """Whether it is ``None`` as it stands there."""
    return isinstance(node, ast.Constant) and node.value is None


def spreads(call: ast.Call) -> bool:
    """Whether a call passes what it does not list: ``*args`` or ``**keywords``."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def first_line(node: ast.stmt) -> int:
    """The line on which it begins: that of its first decorator, if it has any."""
    decorated = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    return min((d.lineno for d in node.decorator_list), default=node.lineno) if decorated else node.lineno
