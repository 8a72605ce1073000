"""Whether what a name stands for at a statement may come from one further down: in a turn of the loop around, or where
a function that is made there is called. Reads syntax only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from kernel_analysis.source.tree import parameters, scopes
from kernel_analysis.source.tree.forms import COMPREHENSIONS
from kernel_analysis.source.tree.syntax import children, descend, kept_with_trees


def start(events: list[scopes.Event]) -> int:
    """The last one that always happens: it hides those before it, or has been computed of them."""
    return max((i for i, e in enumerate(events) if not e.guards), default=0)


def behind_loops(
    events: list[scopes.Event], orders: Mapping[int, int], order: float
) -> Iterator[ast.For | ast.AsyncFor]:
    """The loops whose variable is read behind them, at that statement: they may not have made a turn."""
    for event in events:
        loop = event.node
        if isinstance(loop, (ast.For, ast.AsyncFor)) and event.how == "opaque":
            inside = (orders.get(id(node), 0) for statement in loop.body for node in descend(statement))
            if order > max(inside, default=0):
                yield loop


def in_lambda(function: scopes.ScopeNode, node: ast.expr) -> bool:
    """Whether an expression of a scope is read when a ``lambda`` there is called, or a generator gone through."""
    return id(node) in _in_lambdas(function)[0]


def hidden(function: scopes.ScopeNode, node: ast.Name) -> bool:
    """Whether the name is bound by a ``lambda`` or a comprehension around it, whatever the scope calls so."""
    return node.id in _in_lambdas(function)[1].get(id(node), ())


@kept_with_trees(512)
def _in_lambdas(function: scopes.ScopeNode) -> tuple[frozenset[int], dict[int, frozenset[str]]]:
    later: set[int] = set()
    binding: dict[int, frozenset[str]] = {}
    for one in _own(function):
        if one is function or not isinstance(one, (ast.Lambda, *COMPREHENSIONS)):
            continue
        if isinstance(one, ast.Lambda):
            parts: list[ast.AST] = [one.body]
            names = frozenset(argument.arg for argument in parameters.every(one.args))
        else:
            first = one.generators[0].iter
            parts = [part for part in ast.iter_child_nodes(one) if not isinstance(part, ast.comprehension)]
            parts += [part for g in one.generators for part in (g.target, g.iter, *g.ifs) if part is not first]
            names = frozenset(n.id for g in one.generators for n in ast.walk(g.target) if isinstance(n, ast.Name))
        inside = [inner for part in parts for inner in ast.walk(part)]
        if isinstance(one, (ast.Lambda, ast.GeneratorExp)):
            later.update(map(id, inside))
        for inner in inside:
            if isinstance(inner, ast.Name):
                binding[id(inner)] = binding.get(id(inner), frozenset()) | names
    return frozenset(later), binding


def _own(scope: scopes.ScopeNode) -> Iterator[ast.AST]:
    """All that is computed in a scope: of a function in it, its head."""
    todo: list[ast.AST] = [scope]
    for node in todo:
        yield node
        if node is not scope and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        else:
            todo += children(node)
