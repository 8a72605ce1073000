"""What an attribute of an object stands for, as its class is written: ``self.kernel``, ``Softmax.kernel``.

Syntax only. ``only`` accuses, so that it knows nothing of what another class or another statement may set.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.values import Scope, UserClass
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.host.tensors.placing import Place

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def set_in_class(resolver: ResolverView, scope: Scope, node: ast.Attribute) -> Iterator[tuple[Scope, ast.expr]]:
    """Everything that the class around a method binds ``self.name`` to, with the scope that it is read in."""
    around = _class_of(scope, node)
    if around is None or not isinstance(around.node, ast.ClassDef):
        return
    for event in around.table.events.get(node.attr, []):
        if event.how == "assign" and event.value is not None:
            yield around, event.value
    for method in around.node.body:
        receiver = _receiver(method)
        for inner in descend(method) if receiver is not None else ():
            if not isinstance(inner, ast.Assign) or not isinstance(method, _FUNCTIONS):
                continue
            for target in inner.targets:
                if isinstance(target, ast.Attribute) and target.attr == node.attr and _is(target.value, receiver):
                    yield resolver.inner(around, method), inner.value


def only(at: Place, node: ast.Attribute) -> tuple[Place, ast.expr] | None:
    """The one thing that the file ever binds an attribute of this name to, if the object's own class does that."""
    resolver, module = at.resolver, at.scope.module
    found: list[tuple[Scope, ast.expr]] = list(set_in_class(resolver, at.scope, node))
    if not found and isinstance(node.value, ast.Name) and node.value.id not in at.hidden:
        owner = resolver.evaluator.evaluate(node.value, at.scope, at.order)
        if isinstance(owner, UserClass) and owner.scope.module is module:
            inner = resolver.inner(owner.scope, owner.node)
            events = inner.table.events.get(node.attr, [])
            found = [(inner, e.value) for e in events if e.how == "assign" and not e.guards and e.value is not None]
    if len(found) != 1:
        return None
    scope, value = found[0]
    bound = 0
    for one in occurrences(module, node.attr):
        used = one.chain[0]
        if not isinstance(used, (ast.Attribute, ast.Name)):
            return None
        inside = isinstance(used, ast.Attribute) or any(isinstance(n, ast.ClassDef) for n in one.around[-1:])
        bound += inside and not isinstance(used.ctx, ast.Load)
    if bound != 1 or not isinstance(value, (ast.Name, ast.Attribute)):
        return None
    return replace(at, scope=scope, order=None, hidden=frozenset()), value


def owner(scope: Scope, node: ast.Attribute) -> UserClass | None:
    """The class around a method, where it defines a function that ``self.name`` is."""
    around = _class_of(scope, node)
    if around is None or not isinstance(around.node, ast.ClassDef) or around.parent is None:
        return None
    events = around.table.events.get(node.attr, [])
    return UserClass(around.parent, around.node) if [event.how for event in events] == ["define"] else None


def defined(at: Place, node: ast.Attribute) -> UserClass | None:
    """The same, where nothing else in the file binds an attribute of this name."""
    found = owner(at.scope, node)
    if found is None or isinstance(node.value, ast.Name) and node.value.id in at.hidden:
        return None
    events = at.resolver.inner(found.scope, found.node).table.events[node.attr]
    if events[0].guards:
        return None
    for one in occurrences(at.scope.module, node.attr):
        used = one.chain[0]
        inside = isinstance(used, ast.Attribute) or any(isinstance(n, ast.ClassDef) for n in one.around[-1:])
        if not isinstance(used, (ast.Attribute, ast.Name)) or inside and not isinstance(used.ctx, ast.Load):
            return None
    return found


def _class_of(scope: Scope, node: ast.Attribute) -> Scope | None:
    """The class whose method's receiver the attribute is taken of."""
    around: Scope | None = scope
    while around is not None:
        if isinstance(around.node, _FUNCTIONS) and around.parent and isinstance(around.parent.node, ast.ClassDef):
            receiver = _receiver(around.node)
            return around.parent if receiver is not None and _is(node.value, receiver) else None
        around = around.parent
    return None


def _receiver(method: ast.stmt) -> str | None:
    if not isinstance(method, _FUNCTIONS) or method.decorator_list:
        return None
    first = [*method.args.posonlyargs, *method.args.args][:1]
    return first[0].arg if first else None


def _is(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name
