"""Strings that are meant to be code, and what becomes of them before they are run: held by a name that a call gets, put
together from parts, written line by line. Reads syntax only.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from kernel_analysis.source.tree.syntax import children

DEFINED: Final = re.compile(r"^[ \t]*@[ \t]*[\w.]*\bjit\b.*\n(?:[ \t]*[@#].*\n)*[ \t]*def\s", re.MULTILINE)
"""What a text has that is meant to be code, and does not only speak of it."""


def put_together(node: ast.expr) -> str | None:
    """The text of an f-string, or of a string that something is added to, put in or formatted."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in node.values)
    inner = node.left if isinstance(node, ast.BinOp) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        inner = node.func.value
    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
        return inner.value
    return None if inner is None else put_together(inner)


def held(tree: ast.Module, hits: list[int]) -> Iterator[tuple[ast.expr, str]]:
    """The strings on the lines ``hits`` that are held by a name which a call gets, with their text; one that is changed
    on the way there is put together."""
    held = [(name, node) for name, node in _named(tree, hits) if DEFINED.search(_text(node) or "")]
    used = _handed(tree, {name for name, _ in held}) if held else {}
    for name, node in held:
        if name in used:
            text = _text(node) or ""
            yield (node, text) if used[name] else (ast.copy_location(ast.JoinedStr([]), node), text)
    for node in within(tree, hits):
        for parts in _lines(node):
            texts = [_text(part) or "" for part in parts]
            if DEFINED.search("\n".join(texts)) and not any(map(DEFINED.search, texts)):
                made = ast.copy_location(ast.JoinedStr([]), parts[0])
                made.end_lineno, made.end_col_offset = parts[-1].end_lineno, parts[-1].end_col_offset
                yield made, "\n".join(texts)


def _named(tree: ast.Module, hits: list[int]) -> Iterator[tuple[str, ast.expr]]:
    """What is bound to names and attributes there, and what stands in displays that are."""
    for node in within(tree, hits):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign)) or node.value is None:
            continue
        names = [_name(target) for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
        inside = node.value
        values = inside.values if isinstance(inside, ast.Dict) else [inside]
        values = inside.elts if isinstance(inside, (ast.List, ast.Tuple)) else values
        yield from ((name, value) for name in names if name is not None for value in values)


def within(tree: ast.Module, hits: list[int]) -> Iterator[ast.AST]:
    """The nodes that one of the lines belongs to."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.stmt, ast.expr)):
            following = bisect_left(hits, node.lineno)
            if following == len(hits) or hits[following] > (node.end_lineno or node.lineno):
                continue
        yield node
        todo += children(node)


def _handed(tree: ast.Module, names: set[str]) -> dict[str, bool]:
    """Which of these names a call gets, or what is made of them; whether all of them get it as it is."""
    found: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                name = _name(argument)
                if name in names:
                    found.setdefault(name, True)
            receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
            made = [] if receiver is None else [receiver]
        elif isinstance(node, ast.BinOp):
            made = [node.left, node.right]
        else:
            made = [node.value] if isinstance(node, (ast.FormattedValue, ast.AugAssign)) else []
            made += [node.target] if isinstance(node, ast.AugAssign) else []
        for part in made:
            name = _name(part)
            if name in names:
                found[name] = False
    return found


def _lines(node: ast.AST) -> Iterator[list[ast.expr]]:
    """What may be the lines of one text: the elements of a display, the arguments of calls of one function below each
    other."""
    if isinstance(node, (ast.List, ast.Tuple)):
        yield node.elts
    if isinstance(node, (ast.mod, ast.stmt)):
        for part in ("body", "orelse", "finalbody"):
            block: list[ast.stmt] = getattr(node, part, None) or []
            for _, run in groupby(map(_written, block), lambda call: call and call[0]):
                yield [call[1] for call in run if call is not None]


def _written(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """A call of one argument: of what, and with what."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return (ast.unparse(call.func), call.args[0]) if isinstance(call, ast.Call) and len(call.args) == 1 else None


def _text(node: ast.expr) -> str | None:
    """The text of a string, with what is put into it left open."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return put_together(node)


def _name(node: ast.expr) -> str | None:
    """The name, or the last part of it, by which something is held."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Starred):
        return _name(node.value)
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else None
