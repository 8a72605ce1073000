"""Whether what is called ``modules`` somewhere may be Python's own table of them: ``sys.modules``, ``os.sys.modules``,
``__import__("sys").modules``. It is, unless what it is taken of is in sight and something else.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Occurrence, own_instance
from kernel_analysis.host.evaluate.values import External, ModuleValue, Scope, TritonObject
from kernel_analysis.host.names.naming import Bound, binding, meanings

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module


def may_be_loaded(resolver: ResolverView, other: Module, at: Occurrence) -> bool:
    """Whether that is so of a place with that word. (Who binds it to a name has it at that place.)"""
    node, above = (*at.chain, None)[:2]
    scope = resolver.scope(other, at.around)
    if isinstance(node, ast.Name):
        return may_be_imported(scope, node)
    if not isinstance(node, ast.Attribute) or isinstance(above, ast.Call) and above.func is node:
        return False  # those of a network: `model.modules()`
    if getattr(node.value, "id", "") == "sys":
        return True
    return not own_instance(node.value, at) and any(map(_may_be_sys, meanings(resolver, scope, node.value) or (None,)))


def may_be_imported(scope: Scope, name: ast.Name) -> bool:
    """Whether a name may be what an import brings, and not only what is bound to it otherwise: who binds it to that
    very thing has it there by another name."""
    bound = binding(scope, name.id)
    if bound is None or not bound[1] or bound[0].table.stars:
        return True
    return any(event.how in ("import", "from") for event in bound[1])


def _may_be_sys(found: Bound | ModuleValue | External | TritonObject | None) -> bool:
    if isinstance(found, (External, TritonObject)):
        return found.path.rpartition(".")[2].lstrip("_") == "sys"
    if isinstance(found, Bound):
        return not isinstance(found.event.node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    return found is None
