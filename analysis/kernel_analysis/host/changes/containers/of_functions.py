"""Why a container that is a function's own may be another than the function's statements make it: in a call that is
followed, and by whoever has all that its names stand for.

Syntax only; what calls do with what they are given is asked of ``callees``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.containers import object_uses
from kernel_analysis.host.changes.containers.building import plain_change
from kernel_analysis.host.changes.functions import function_parts
from kernel_analysis.host.changes.module_names import other_files, reflection
from kernel_analysis.host.changes.uses import occurrences, told, use
from kernel_analysis.host.evaluate.values import Scope, UserFunction, Value

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import TouchesView


def unfollowed(
    touches: TouchesView, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str, value: Value
) -> str | None:
    """Why a container of a call that is followed may be another."""
    resolver = touches.resolver
    static = Scope(scope.module, scope.node, scope.parent)
    for event in static.table.events.get(name, ()):
        if isinstance(event.node, ast.Assign) and len(event.node.targets) > 1:
            return f"`{name}` has another name as well ({scope.module.at(event.node.lineno)})"
    found = [at for at in occurrences(scope.module, name) if isinstance(at.chain[0], ast.Name) and node in at.around]
    owns = [at.around[-1] is node and not any(isinstance(n, ast.Lambda) for n in at.chain) for at in found]
    for at, own in zip(found, owns, strict=True):
        if name in reflection.hidden(at):
            continue
        made = use(at, callees.judge(resolver, resolver.scope(scope.module, at.around)))
        # What is returned is the caller's alone, but where a function inside has it as well.
        if made is None or isinstance(at.statement, ast.Return) and made.kind in ("held", "part") and all(owns):
            continue
        if not (own and plain_change(made, value)) and object_uses.counts(resolver, made, value):
            return f"`{name}` may be changed by {told(scope.module, made)}"
    return through_names(touches, scope, name)


def through_names(touches: TouchesView, scope: Scope, name: str) -> str | None:
    """Why a container of a function may be changed without its name: by ``locals()``, a frame, or the cell of a
    function inside that has it."""
    resolver, module = touches.resolver, scope.module
    if (at := reflection.in_function(resolver, scope, name)) is not None:
        return f"`{name}` may be changed by what has all names on {module.at(at)}"
    if (where := other_files.in_frames(resolver, module, name)) is not None:
        return f"`{name}` may be changed by a frame in {where}"
    inner = next((node for node in ast.walk(scope.node) if node is not scope.node and _is_function(node)), None)
    if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        inside = UserFunction(scope, inner)
        return touches.once(
            (module.file, "cells", inner.lineno, inner.col_offset),
            lambda: function_parts.contents_changed(resolver, inside, function_parts.OF_CELLS),
        )
    return None


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
