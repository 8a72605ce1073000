"""What functions make of a module's name that they declare ``global``. Evaluates through the resolver alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import Definition, Scope, Unknown
from kernel_analysis.source import nodes

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module


def made(resolver: Resolver, scope: Scope, name: str) -> Definition | None:
    """What the name is likely to be once such a function has run: the first that is known of what they set it to."""
    module = scope.module
    for statement, around in nodes.statements(module):
        tree = around[0] if isinstance(around[0] if around else None, ast.Module) else module.tree
        if not isinstance(statement, ast.Global) or name not in statement.names or tree is not scope.node:
            continue
        inside = resolver.scope(module, around)
        for event in inside.table.events.get(name, ()):
            found = resolver.meaning(inside, name, event)
            if found.value is not None and not isinstance(found.value, Unknown):
                return found
    return None


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
