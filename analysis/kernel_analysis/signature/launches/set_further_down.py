"""Whether what a name stands for at a statement may come from one further down: in a turn of the loop around, or where
a function that is made there is called. Reads syntax only."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from kernel_analysis.source import scopes
from kernel_analysis.source.syntax import descend, kept_with_trees

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_PLAIN = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def carried(node: scopes.ScopeNode, events: list[scopes.Event], orders: Mapping[int, int], order: int) -> bool:
    """``events``: all that bind the name in that scope; ``order``: the statement that reads it."""
    if isinstance(node, (ast.Module, ast.Lambda)) or all(event.order < order for event in events):
        return False
    return _in(node.body, events, orders, order, None) or False


def start(events: list[scopes.Event]) -> int:
    """The last one that always happens: it hides those before it."""
    return max((i for i, e in enumerate(events) if not e.guards and e.how != "augment"), default=0)


def in_lambda(function: scopes.ScopeNode, node: ast.expr) -> bool:
    """Whether an expression of a function is read when a ``lambda`` there is called."""
    return id(node) in _in_lambdas(function)


@kept_with_trees(512)
def _in_lambdas(function: scopes.ScopeNode) -> frozenset[int]:
    made = (node for node in descend(function) if isinstance(node, ast.Lambda))
    return frozenset(id(node) for one in made for node in descend(one.body))


def _in(
    body: list[ast.stmt], events: list[scopes.Event], orders: Mapping[int, int], order: int, last: int | None
) -> bool | None:
    """``last``: the last statement of the loop around; None: there is none. What it gives is None where the statement
    is not in the body."""
    bound = {event.order for event in events if event.how != "augment"}
    for place, statement in enumerate(body):
        found: bool | None = None
        if orders.get(id(statement)) == order:
            found = last is not None and any(order <= event.order <= last for event in events)
        else:
            for block, looped in _blocks(statement):
                end = last
                if looped:
                    inside = [orders.get(id(inner), 0) for part in block for inner in ast.walk(part)]
                    end = max([*inside, last or 0])
                found = _in(block, events, orders, order, end)
                if found is not None:
                    break
        if found is not None:
            above = body[:place]
            anew = last is not None and any(isinstance(s, _PLAIN) and orders.get(id(s)) in bound for s in above)
            return found and not anew
    return None


def _blocks(statement: ast.stmt) -> list[tuple[list[ast.stmt], bool]]:
    """The bodies that a statement has, and which of them are carried out again and again."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    looped = isinstance(statement, _LOOPS)
    found = [(getattr(statement, name, []), looped and name == "body") for name in ("body", "orelse", "finalbody")]
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    return [*found, *((part.body, False) for part in parts)]
