"""What is done to a name, or to what it stands for, further down than the statement that reads it: in a turn of the
loop before, or by the time that a function is called which reads it. Evaluates nothing."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.containers import object_uses
from kernel_analysis.host.changes.containers.building import plain_change
from kernel_analysis.host.changes.uses import Use
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import Definition, Scope, Value
from kernel_analysis.source.tree import nodes, scopes
from kernel_analysis.source.tree.syntax import kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import TouchesView

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_PLAIN = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def before(scope: Scope, found: Definition, use: float, reading: int) -> bool:
    """Whether a use of what is found, which no loop makes, takes place before a statement above it reads that."""
    spans = (_span(loop, scope.table.orders) for loop in _loops(scope.node))
    return found.module is scope.module and any(use in span and reading in span for span in spans)


def in_loop(scope: Scope, order: int) -> bool:
    """Whether a statement of a scope is carried out again and again."""
    return any(order in _span(loop, scope.table.orders) for loop in _loops(scope.node))


def earlier(made: Use, name: str, value: Value, order: float, reading: int) -> bool:
    """Whether a use counts for the statement that reads a value: one above it; in itself what is handed on, which is
    changed later by another name, and what is changed inside of an expression that reads it another time."""
    if order != reading or made.kind in ("held", "part"):
        return order <= reading
    if plain_change(made, value):
        return False
    read = [n for part in nodes.own(made.occurrence.statement) for n in ast.walk(part) if isinstance(n, ast.Name)]
    return sum(n.id == name for n in read) > 1


def carried(node: scopes.ScopeNode, events: list[scopes.Event], orders: Mapping[int, int], order: int) -> bool:
    """Whether what a name stands for at a statement may be what a turn of the loop around it has set further down.
    ``events``: all that bind the name in that scope; ``order``: the statement that reads it."""
    if isinstance(node, ast.Lambda) or not _loops(node) or all(event.order < order for event in events):
        return False
    bound = {event.order for event in events if event.how != "augment"}
    return _in(node.body, events, bound, orders, order, None) or False


def after(touches: TouchesView, scope: Scope, name: str, value: Value, order: int) -> None:
    """Notes that a name is set, or what it stands for changed, once a function is made there that reads it."""
    if any(event.order >= order for event in scope.table.events.get(name, ())):
        touches.resolver.note(f"`{name}` is set again after a function is made that reads it")
    for place, _, made in touches.made(scope, name) if changeable(value) else ():
        if place >= order and object_uses.relevant(touches.resolver, made, value):
            touches.resolver.note(f"`{name}` may be changed after a function is made that reads it")


def _span(loop: ast.For | ast.AsyncFor | ast.While, orders: Mapping[int, int]) -> range:
    """The statements that are carried out again and again: the test of a ``while`` is."""
    inside = [orders.get(id(node), 0) for part in loop.body for node in ast.walk(part) if id(node) in orders]
    first = orders.get(id(loop), 0)
    return range(first if isinstance(loop, ast.While) else first + 1, max(inside, default=first) + 1)


@kept_with_trees(512)
def _loops(node: scopes.ScopeNode) -> tuple[ast.For | ast.AsyncFor | ast.While, ...]:
    found: list[ast.For | ast.AsyncFor | ast.While] = []
    todo: list[ast.AST] = [] if isinstance(node, ast.Lambda) else list(node.body)
    while todo:
        inner = todo.pop()
        if isinstance(inner, _LOOPS):
            found.append(inner)
        if not isinstance(inner, _INNER):
            todo += [child for child in ast.iter_child_nodes(inner) if not isinstance(child, ast.expr)]
    return tuple(found)


def _in(
    body: list[ast.stmt],
    events: list[scopes.Event],
    bound: Set[int],
    orders: Mapping[int, int],
    order: int,
    last: int | None,
) -> bool | None:
    """``last``: the last statement of the loop around; None: there is none. ``bound``: the events that bind the name
    anew. What it gives is None where the statement is not in the body."""
    for place, statement in enumerate(body):
        found: bool | None = None
        if orders.get(id(statement)) == order:
            # The test of a `while` is asked again after each turn: no statement before that binds the name anew.
            if isinstance(statement, ast.While) and _binds(statement.body, events, orders):
                return True
            found = last is not None and any(order <= event.order <= last for event in events)
        else:
            for block, looped in _blocks(statement):
                end = last
                if looped:
                    inside = [orders.get(id(inner), 0) for part in block for inner in ast.walk(part)]
                    end = max([*inside, last or 0])
                found = _in(block, events, bound, orders, order, end)
                if found is not None:
                    break
        if found is not None:
            above = body[:place]
            anew = last is not None and any(isinstance(s, _PLAIN) and orders.get(id(s)) in bound for s in above)
            return found and not anew
    return None


def _binds(body: list[ast.stmt], events: list[scopes.Event], orders: Mapping[int, int]) -> bool:
    inside = {orders.get(id(inner), 0) for part in body for inner in ast.walk(part)}
    return any(event.order in inside for event in events)


def _blocks(statement: ast.stmt) -> list[tuple[list[ast.stmt], bool]]:
    """The bodies that a statement has, and which of them are carried out again and again."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    looped = isinstance(statement, _LOOPS)
    found = [(getattr(statement, name, []), looped and name == "body") for name in ("body", "orelse", "finalbody")]
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    found += [(part.body, False) for part in parts]
    return [(body, again) for body, again in found if body]
