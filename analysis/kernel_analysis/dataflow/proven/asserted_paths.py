"""What holds in every launch of a kernel that compiles: what it asserts while it is compiled, wherever that is met
whatever is passed. Reads syntax only."""

from __future__ import annotations

import ast
from typing import Final

from kernel_analysis.source.slice import SliceFunction, TritonObject

Holds = tuple[ast.expr, bool]

_MOST_AROUND: Final = 16
"""Tests around an assertion: what hangs on more of them rules out little."""


def asserted(function: SliceFunction) -> list[Holds]:
    """The tests of a function's assertions, each where the ``if`` around it are gone into."""
    if not any(isinstance(node, ast.expr) and _assertion(function, node) is not None for node in function.nodes):
        return []
    found: list[tuple[int, Holds]] = []
    ending = _ending(function)
    # Each block with tests of which one is true where it is not compiled.
    blocks: list[tuple[list[ast.stmt], tuple[ast.expr, ...]]] = [(function.node.body, ())]
    while blocks:
        body, around = blocks.pop()
        for statement in body:
            if isinstance(statement, ast.If):
                test, otherwise = statement.test, ast.UnaryOp(ast.Not(), statement.test)
                if len(around) < _MOST_AROUND:
                    blocks += [(statement.body, (*around, otherwise)), (statement.orelse, (*around, test))]
                # What comes after it is compiled where neither arm ends the function.
                around += (test,) * any(inner in ending for inner in statement.body)
                around += (otherwise,) * any(inner in ending for inner in statement.orelse)
                continue
            if isinstance(statement, ast.Expr) and (test := _assertion(function, statement.value)) is not None:
                found.append((statement.lineno, (ast.BoolOp(ast.Or(), [*around, test]) if around else test, True)))
            if statement in ending:
                break
    return [holds for _, holds in sorted(found, key=lambda one: one[0])]


def _ending(function: SliceFunction) -> set[ast.AST]:
    """The statements that end the function, or have one in them that does."""
    parents: dict[ast.AST, ast.AST] = {}
    for node in function.nodes:
        for inner in ast.iter_child_nodes(node) if isinstance(node, ast.stmt) else ():
            parents[inner] = node
    found = set[ast.AST]()
    for node in function.nodes:
        outer = node if isinstance(node, ast.Return) else None
        while outer is not None and outer not in found:
            found.add(outer)
            outer = parents.get(outer)
    return found


def _assertion(function: SliceFunction, node: ast.expr) -> ast.expr | None:
    """What ``tl.static_assert`` is given; None for anything else, and where the name may mean another."""
    if not isinstance(node, ast.Call) or not node.args or isinstance(node.args[0], ast.Starred):
        return None
    root = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    if not isinstance(root, ast.Name) or root.id in function.varies:
        return None
    bound = function.bindings.get(root.id)
    path = bound.path if isinstance(bound, TritonObject) else ""
    name = f"{path}.{node.func.attr}" if isinstance(node.func, ast.Attribute) else path
    return node.args[0] if name.startswith("triton.") and name.endswith("language.static_assert") else None
