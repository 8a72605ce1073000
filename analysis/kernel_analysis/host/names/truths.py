"""Constants of a module that are true or false, and only running tells which: ``FAST = tl.constexpr(found() > 3)``. A
kernel is compiled with one, and what it would be with the other is said, too. Evaluates through the resolver alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.evaluate.values import Definition, Scope, Unknown, UserFunction
from kernel_analysis.source.tree.scopes import Event
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_ANSWERS: Final = frozenset(("bool", "hasattr", "isinstance", "issubclass", "callable", "any", "all", "startswith"))
_DEEPEST: Final = 3


def either(resolver: ResolverView, scope: Scope, event: Event) -> tuple[Definition, Definition] | None:
    """What a binding is where it is true, and where it is false; None where it is something else."""
    value = event.value
    if event.how != "assign" or value is None:
        return None
    asked = _wrapped(value)
    if asked is value or not _is_truth(resolver, scope, asked, 0):
        return None
    made: list[Definition] = []
    for told in (True, False):
        node: ast.expr = ast.copy_location(ast.Constant(told), value)
        if isinstance(value, ast.Call):
            node = ast.copy_location(ast.Call(value.func, [node], []), value)
        found = resolver.evaluator.evaluate(node, scope, event.order)
        if isinstance(found, Unknown):
            return None
        made.append(Definition(found, scope.module, event.node))
    return made[0], made[1]


def _wrapped(node: ast.expr) -> ast.expr:
    """What is in ``tl.constexpr(...)``, if it is that."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return node.args[0] if name == "constexpr" else node
    return node


def _is_truth(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int) -> bool:
    """Whether an expression gives True or False, whatever happens."""
    if isinstance(node, ast.Compare) or isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.BoolOp):
        return all(_is_truth(resolver, scope, part, depth) for part in node.values)
    if not isinstance(node, ast.Call) or depth > _DEEPEST:
        return False
    if getattr(node.func, "attr", getattr(node.func, "id", "")) in _ANSWERS:
        return True
    called = resolver.evaluator.evaluate(node.func, scope)
    if not isinstance(called, UserFunction) or not isinstance(called.node, ast.FunctionDef):
        return False
    given = [n for n in descend(called.node) if isinstance(n, ast.Return)]
    return bool(given) and all(n.value and _is_truth(resolver, called.scope, n.value, depth + 1) for n in given)
