"""What functions make of a name that they declare ``global`` or ``nonlocal``, and a statement of one that it reads.
Evaluates through the resolver alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import Definition, Scope, Unknown
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module
    from kernel_analysis.source.tree.scopes import Event, ScopeNode


def declared(scope: Scope, name: str) -> str:
    """By which statement functions in the scope may set a name of it; empty if none does."""
    if isinstance(scope.node, ast.Module):
        return "global" if name in scope.module.reassigned else ""
    return "nonlocal" if scope.module.has_nonlocal and name in _from_inside(scope.node) else ""


def inside_of_itself(scope: Scope, name: str, events: Sequence[Event], before: int | None) -> bool:
    """Whether the statement that reads a name binds it by ``:=`` as well: which comes first is not followed."""
    if before is None or not scope.module.has_walrus:
        return False
    itself = {id(event.node): event.node for event in events if event.order == before}
    parts = (part for node in itself.values() if isinstance(node, ast.stmt) for part in nodes.own(node))
    named = (n.target.id for part in parts for n in ast.walk(part) if isinstance(n, ast.NamedExpr))
    return name in named


@kept_with_trees(512)
def _from_inside(node: ScopeNode) -> frozenset[str]:
    return frozenset(name for inner in descend(node) if isinstance(inner, ast.Nonlocal) for name in inner.names)


def among(resolver: ResolverView, scope: Scope, name: str, found: Definition) -> Definition:
    """What a name is likely to be once such functions have run, and all else that it may be, as far as that is in
    sight. ``found``: what a statement of the scope itself makes it."""
    doubts: set[str] = set()
    with resolver.aside(doubts):
        made = list(_made(resolver, scope, name))
    in_sight = not doubts and all(one.others == () and not isinstance(one.value, Unknown) for one in made)
    likely = found
    if found.value is None:
        # None stands for nothing yet: whoever uses the name counts on it having been set.
        known = (one for one in made if one.value is not None and not isinstance(one.value, Unknown))
        reason = f"`{name}` is set by a function with a `{declared(scope, name)}` statement, and None before."
        likely = next(known, Definition(Unknown(reason), found.module, found.node))
    others = [one for one in (found, *made) if one is not likely]
    return replace(likely, others=tuple(others) if in_sight and found.others == () else None)


def _made(resolver: ResolverView, scope: Scope, name: str) -> Iterator[Definition]:
    """What functions set it to."""
    module = scope.module
    kind = ast.Global if isinstance(scope.node, ast.Module) else ast.Nonlocal
    for statement, around in nodes.statements(module):
        if not isinstance(statement, kind) or name not in statement.names:
            continue
        tree = around[0] if isinstance(around[0] if around else None, ast.Module) else module.tree
        if scope.node not in (around if kind is ast.Nonlocal else (tree,)):
            continue
        inside = resolver.scope(module, around)
        if inside.node is scope.node:
            continue  # at the top of the module it says nothing
        for event in inside.table.events.get(name, ()):
            yield resolver.meaning(inside, name, event)


def asks_whether_set(module: Module, test: ast.expr) -> str | None:
    """The name of which a condition asks whether a function has set it, ``if NAME is None:``: first it has not, and
    then it has."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        test = test.left
    if not isinstance(test, ast.Name) or test.id not in module.reassigned:
        return None
    values = [event.value for event in module.table.events.get(test.id, ())]
    return test.id if any(isinstance(v, ast.Constant) and v.value is None for v in values) else None
