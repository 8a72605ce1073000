"""What a piece of syntax looks like, where that is asked in many rooms. By its form alone: no name is looked up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def last_name(node: ast.AST | None) -> str:
    """The name that something is written as, or the last part of it; empty where it is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def chain(node: ast.expr) -> tuple[ast.expr, list[str]]:
    """What a chain of attributes begins with, and their names: ``a`` and ``["b", "c"]`` of ``a.b.c``."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return node, names[::-1]


def is_none(node: ast.AST | None) -> bool:
    """Whether it is ``None`` as it stands there."""
    return isinstance(node, ast.Constant) and node.value is None


def spreads(call: ast.Call) -> bool:
    """Whether a call passes what it does not list: ``*args`` or ``**keywords``."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def parts_of_test(test: ast.expr, way: bool) -> Iterator[tuple[ast.expr, bool]]:
    """What must hold for a test to go this way, each by itself."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from parts_of_test(test.operand, not way)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == way:
        for value in test.values:
            yield from parts_of_test(value, way)
    else:
        yield test, way


def first_line(node: ast.stmt) -> int:
    """The line on which it begins: that of its first decorator, if it has any."""
    decorated = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    return min((d.lineno for d in node.decorator_list), default=node.lineno) if decorated else node.lineno


def made_object(call: ast.AST) -> ast.Name | None:
    """Whose attribute ``object.__setattr__(name, "attribute", value)`` sets, as a frozen class does in its methods."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) != 3:
        return None
    target, text = call.args[:2]
    plainly = call.func.attr == "__setattr__" and last_name(call.func.value) == "object" and not call.keywords
    named = isinstance(text, ast.Constant) and isinstance(text.value, str)
    return target if plainly and named and isinstance(target, ast.Name) else None


def augmented(node: ast.AugAssign, before: ast.expr) -> ast.BinOp:
    """What an augmented assignment makes of what was there before: ``x += 1`` makes ``x + 1``."""
    return ast.copy_location(ast.BinOp(ast.copy_location(before, node), node.op, node.value), node)


def start_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the column that it begins at."""
    return node.lineno, node.col_offset
