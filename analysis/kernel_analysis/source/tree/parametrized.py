"""What a test's ``parametrize`` gives its parameters. Reads syntax only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.scopes import FunctionNode
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

MOST = 8
"""Cases of one parameter that are looked at."""


def values(function: FunctionNode, name: str) -> list[ast.expr]:
    """What the cases give one parameter, each as it is written; those of a list that is not written there are none."""
    marks = [(names, cases) for names, cases in _marks(function) if name in names]
    return [value for names, cases in marks for value in _of(cases, names.index(name), names)]


def made(function: FunctionNode, name: str) -> list[tuple[ast.expr, int | None]]:
    """The lists of cases that are not written there, and which element of each case is the parameter's, None: it
    itself."""
    marks = [(names, cases) for names, cases in _marks(function) if name in names]
    unwritten = [(names, cases) for names, cases in marks if not isinstance(cases, (ast.List, ast.Tuple))]
    return [(cases, names.index(name) if len(names) > 1 else None) for names, cases in unwritten]


def sources(function: FunctionNode, name: str) -> list[ast.expr]:
    """All that the cases of one parameter are made of, the lists by their names included."""
    return [cases for names, cases in _marks(function) if name in names]


def given(module: Module, names: set[str]) -> list[str]:
    """The parameters of tests of a file that a case may give one of these names."""
    if "parametrize" not in module.text:
        return []
    tests = [n for n, _ in nodes.statements(module) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    marks = [mark for test in tests for mark in _marks(test)]
    of_them = [parameters for parameters, cases in marks if _mentions(cases, names)]
    return sorted({parameter for parameters in of_them for parameter in parameters if parameter.isidentifier()})


def _mentions(cases: ast.expr, names: set[str]) -> bool:
    """A list by its name may hold anything."""
    written = isinstance(cases, (ast.List, ast.Tuple))
    return not written or any(isinstance(node, ast.Name) and node.id in names for node in descend(cases))


def _marks(function: FunctionNode) -> Iterator[tuple[list[str], ast.expr]]:
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            continue
        given = {"argnames": 0, "argvalues": 1}
        parts = {k.arg: k.value for k in decorator.keywords}
        found = [parts.get(k, decorator.args[i] if i < len(decorator.args) else None) for k, i in given.items()]
        if decorator.func.attr == "parametrize" and found[0] is not None and found[1] is not None:
            yield _names(found[0]), found[1]


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, (ast.List, ast.Tuple)):
        return [name for part in node.elts for name in _names(part)]
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return [part.strip() for part in text.split(",")]


def _of(cases: ast.expr, index: int, names: list[str]) -> Iterator[ast.expr]:
    for case in cases.elts[:MOST] if isinstance(cases, (ast.List, ast.Tuple)) else ():
        if len(names) == 1:
            yield case
        elif isinstance(case, (ast.List, ast.Tuple)) and len(case.elts) == len(names):
            yield case.elts[index]
