"""The statements and calls of a file, each with the functions and classes around it: all of them, or those on given
lines. Syntax only; what a name means is not looked at."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.source.text_search.words import places
from kernel_analysis.source.tree.forms import first_line
from kernel_analysis.source.tree.syntax import children, descend

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

_CALLED = re.compile(r"\s*\(")
_Around: TypeAlias = "tuple[ast.AST, ...]"
_Body: TypeAlias = "tuple[list[ast.stmt], _Around]"


def statements(module: Module) -> list[tuple[ast.stmt, tuple[ast.AST, ...]]]:
    """Every statement of the file and of the modules in its strings, each with what stands around it, in no particular
    order."""
    if module.statements is None:
        module.statements = list(inside(module.tree.body, ()))
        for embedded in module.embedded:
            module.statements += inside(embedded.tree.body, (embedded.tree,))
    return module.statements


def inside(body: list[ast.stmt], around: tuple[ast.AST, ...]) -> Iterator[tuple[ast.stmt, tuple[ast.AST, ...]]]:
    """These statements and those in them, each with the functions and classes around it."""
    todo: list[_Body] = [(body, around)]
    while todo:
        body, around = todo.pop()
        for node in body:
            yield node, around
            todo += _blocks(node, around)


def _blocks(node: ast.stmt, around: _Around) -> list[_Body]:
    """The statements in a statement, with the functions and classes around them."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [(node.body, (*around, node))]
    if isinstance(node, ast.Match):
        return [(case.body, around) for case in node.cases]
    if not hasattr(node, "body"):
        return []
    inner: list[list[ast.stmt]] = [getattr(node, name, None) or [] for name in ("body", "orelse", "finalbody")]
    handlers: list[ast.ExceptHandler] = getattr(node, "handlers", None) or []
    return [(body, around) for body in (*inner, *(handler.body for handler in handlers)) if body]


def calls(module: Module, places: list[int]) -> Iterator[tuple[ast.Call, _Around]]:
    """The calls in the statements on these lines, in the order of the text."""
    found: list[tuple[ast.Call, _Around]] = []
    for node, around in statements_on(module, sorted(set(places))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for expression in own(node):
            found += [(call, around) for call in descend(expression) if isinstance(call, ast.Call)]
    yield from sorted(found, key=lambda pair: (pair[0].lineno, pair[0].col_offset))


def words(*all_of: str, behind: str = r"\b") -> tuple[re.Pattern[str], ...]:
    """For ``lines_with``, each a whole word. A search that begins with a literal takes a tenth of one for any of
    several."""
    return tuple(re.compile(rf"{word}(?<!\w{word}){behind}") for word in all_of)


def lines_with(module: Module, patterns: tuple[re.Pattern[str], ...]) -> list[int]:
    """The lines that have one of them, in order."""
    return sorted({module.line_of(match.start()) for each in patterns for match in each.finditer(module.text)})


def statements_on(module: Module, lines: Iterable[int]) -> Iterator[tuple[ast.stmt, _Around]]:
    """The statements of whose own expressions, if they have any there, some are on these lines; each once."""
    seen: set[ast.stmt] = set()
    for line in lines:
        for tree, around in [(module.tree, ()), *((e.tree, (e.tree,)) for e in module.embedded)]:
            for node, outer in _on_line(tree.body, around, line):
                if node not in seen:
                    seen.add(node)
                    yield node, outer


def _on_line(body: list[ast.stmt], around: _Around, line: int) -> Iterator[tuple[ast.stmt, _Around]]:
    """Statements stand in the order of their lines, so that those on a line are found without a look at the others."""
    for place in range(bisect_right(body, line, key=first_line) - 1, -1, -1):
        node = body[place]
        if (node.end_lineno or node.lineno) < line:
            return
        blocks = _blocks(node, around)
        head = blocks[0][0][0].lineno if blocks else line
        if line <= head:
            yield node, around
        for block, outer in blocks:
            yield from _on_line(block, outer, line)


def calls_of(module: Module, name: str) -> list[tuple[ast.Call, _Around]]:
    """The calls of what goes by a plain name, in the order of the text."""
    if name not in module.calls:
        text = module.text
        called = (place for place in places(text, name) if _CALLED.match(text, place + len(name)))
        found = calls(module, [module.line_of(place) for place in called])
        module.calls[name] = [(c, a) for c, a in found if isinstance(c.func, ast.Name) and c.func.id == name]
    return module.calls[name]


def own(node: ast.stmt) -> list[ast.AST]:
    """The expressions of a statement, not those of the statements in it."""
    if not hasattr(node, "body") and not isinstance(node, ast.Match):
        return [node]
    kinds = (ast.expr, ast.withitem, ast.arguments, ast.keyword)
    return [child for child in children(node) if isinstance(child, kinds)]


def functions_of(around: _Around) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """The functions among what stands around something."""
    return tuple(n for n in around if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
