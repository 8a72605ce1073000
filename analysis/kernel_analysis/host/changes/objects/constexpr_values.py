"""Why a ``constexpr`` may hold another value than it is made with: something sets its ``value``, by whatever name, in a
file that has its module, or where it is handed to.

Evaluates nothing.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.objects import handed_objects, stores_of_any
from kernel_analysis.host.changes.objects.handed_objects import Shared
from kernel_analysis.host.evaluate.values import TritonObject
from kernel_analysis.host.names.naming import meanings
from kernel_analysis.source.text_search.mentions import ANY_NAME
from kernel_analysis.source.text_search.words import has_text, has_word

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView, TouchesView
    from kernel_analysis.source.module import Module

_VALUE = "value"


def changed(touches: TouchesView, module: Module, name: str) -> str | None:
    """Why one that the module makes, and that has this name there, may hold another."""
    resolver, project = touches.resolver, touches.resolver.project
    setting = {module.file, *project.elsewhere.storing(module, _VALUE, False)}
    computing = {module.file, *project.elsewhere.storing(module, ANY_NAME, False)}
    first, _, last = name.rpartition(".")
    for file in sorted({*setting, *computing, *project.elsewhere.having(module, module)}):
        if not (project.says(file, has_text, _VALUE) or project.says(file, stores_of_any.may_set_unspelled)):
            continue
        other = module if file == module.file else project.load(file)
        found = [*stores_of_any.by_name(resolver, other, (_VALUE,)), *stores_of_any.by_dict(resolver, other)]
        if file in computing and project.says(file, has_word, last):
            found += stores_of_any.unspelled(resolver, other)
        if found:
            resolver.read((file,))
            line = getattr(found[0].chain[0], "lineno", found[0].statement.lineno)
            return f"`{name}` may hold another value by what {project.place(file, line)} sets"
    scope = resolver.scope(module)
    owner = first.partition(".")[0]
    if not owner and not _is_made(resolver, scope, name) and handed_objects.may_be_set(touches, (_VALUE,), dicts=True):
        return f"`{name}` may hold another value: it has another name, by which some file may set it"
    return handed_objects.changed(touches, Shared(scope, last), (_VALUE,)) or (
        handed_objects.changed(touches, Shared(scope, owner), (last,), True, (_VALUE,)) if owner else None
    )


def _is_made(resolver: ResolverView, scope: Scope, name: str) -> bool:
    """Whether all that the file binds the name to is made right there: nothing has it by another name yet."""
    return all(
        event.value is None or all(map(partial(_makes, resolver, scope), _alternatives(event.value)))
        for event in scope.table.events.get(name, ())
    )


def _makes(resolver: ResolverView, scope: Scope, node: ast.expr) -> bool:
    made = meanings(resolver, scope, node.func) if isinstance(node, ast.Call) else []
    return isinstance(node, ast.Constant) or bool(made) and all(isinstance(one, TritonObject) for one in made)


def _alternatives(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.IfExp):
        return [*_alternatives(node.body), *_alternatives(node.orelse)]
    return [part for value in node.values for part in _alternatives(value)] if isinstance(node, ast.BoolOp) else [node]
