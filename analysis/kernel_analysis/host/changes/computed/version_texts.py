"""Whether a text that is computed is what a library says of its version, or a piece of it: run as code it sets nothing.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.module_names import other_files
from kernel_analysis.host.evaluate.values import External, Items, Scope, TritonObject
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.host.names.spelled_texts import SPLITS, Asked, all_of

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_PIECES = SPLITS | {"strip", "lstrip", "rstrip"}
_DEEPEST = 14


def of_version(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int = 0) -> bool:
    """Whether a text is such, or all texts that are in a container are: digits, dots, the word of a build."""
    if depth > _DEEPEST:
        return False
    if isinstance(node, ast.Subscript):
        return of_version(resolver, scope, node.value, depth + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _PIECES and of_version(resolver, scope, node.func.value, depth + 1)
    if isinstance(node, ast.Name) and all_of(resolver, scope, node.id, depth, _VERSION):
        return True
    found = meaning(resolver, scope, node) if isinstance(node, (ast.Attribute, ast.Name)) else None
    return isinstance(found, (External, TritonObject)) and found.path.endswith(".__version__")


def _set_elsewhere(resolver: ResolverView, module: Module, name: str, container: bool) -> bool:
    return other_files.changed(resolver, module, name, Items("list", ("",)) if container else "") is not None


_VERSION = Asked(of_version, defined=False, set_elsewhere=_set_elsewhere)
