"""What other methods of a class set as an attribute of the object that is handed to each first: ``ctx.eps = eps`` of a
``forward``, ``self.block = 64``; what it saved. It is never certain: anybody may set or save another.

Finds places in syntax; what stands there is the evaluator's.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.values import Scope, Unknown, UserClass, Value
from kernel_analysis.signature.launches import surroundings
from kernel_analysis.signature.launches.frame import Frame
from kernel_analysis.signature.launches.parameters import declared_objects
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import HostView


def saved(host: HostView, node: ast.Attribute, frame: Frame | None) -> Value | None:
    """``ctx.saved_tensors``; None: it is another attribute."""
    if node.attr != "saved_tensors" or frame is None:
        return None
    # Another `forward` or a helper may have saved it, hooks may give another, and whoever calls passes the `ctx`.
    host.resolver.note(f"`{ast.unparse(node)}` is what another method saves")
    return host.once(frame, surroundings.saved, lambda: surroundings.saved(frame))


def told(found: Value, node: ast.Attribute, scope: Scope) -> Value:
    """What is found for an attribute; else what other methods set, of an object that is a method's own."""
    if not isinstance(found, Unknown) or not isinstance(node.value, ast.Name) or not isinstance(scope, Frame):
        return found
    owner, host = node.value.id, scope.host

    def set_by_others() -> Value:
        values = _kept(scope, owner, node.attr)
        if values:
            host.resolver.note(f"`{owner}.{node.attr}` is what another method sets")
        elif (declared := _declared(scope, owner, node.attr)) is not None:
            return declared
        return host.one_of(list(values), found) if values else found

    return host.once(scope, (owner, node.attr), set_by_others)


def _declared(frame: Frame, owner: str, name: str) -> HostArgument | None:
    """What the class of a method's own object says of a field."""
    group = surroundings.class_around(frame)
    if group is None or _first(frame.node) != owner:
        return None
    resolver = frame.host.resolver
    with resolver.aside(set[str]()):
        fields = declared_objects.of_class(resolver.evaluator, UserClass(resolver.scope(frame.module), group), 0)
    found = fields.get(name)
    return None if found is None or found.kind == "unknown" else found


def _kept(frame: Frame, owner: str, name: str) -> list[HostArgument]:
    found: list[HostArgument] = []
    for method in surroundings.other_methods(frame) if _first(frame.node) == owner else ():
        first = _first(method)
        for node in _attributes_set(method).get(name, ()):
            if first is not None and getattr(getattr(node.targets[0], "value", None), "id", None) == first:
                at = surroundings.at_place(frame, frame.module.file, (method,), node)
                found.append(at.argument(node.value))
    return found


def _first(function: ast.AST) -> str | None:
    """The name of a function's first parameter."""
    spec = function.args if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    return next((argument.arg for argument in (*spec.posonlyargs, *spec.args)), None) if spec else None


@kept_with_trees(512)
def _attributes_set(method: ast.FunctionDef) -> dict[str, list[ast.Assign]]:
    """The statements of a method that set one attribute, by its name."""
    found: dict[str, list[ast.Assign]] = {}
    for node in descend(method):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
            found.setdefault(node.targets[0].attr, []).append(node)
    return found
