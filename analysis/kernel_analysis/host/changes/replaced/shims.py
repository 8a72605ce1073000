"""Whether a statement is for another Triton than the installed one alone: ``if not hasattr(tl, "gather"): ...`` where
the language has that.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.stands_for.language_values import given
from kernel_analysis.host.names.imports.packages import triton_has
from kernel_analysis.source.tree.syntax import children

if TYPE_CHECKING:
    from kernel_analysis.host.changes.uses import Occurrence
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module


def only_where_missing(resolver: ResolverView, other: Module, at: Occurrence, owner: str, name: str) -> bool:
    """Whether what stands there is come to only where something of Triton's lacks a name that it has. (That something
    takes the name away from it is a change, too, and counts as such.)"""
    if not triton_has(resolver, f"{owner}.{name}"):
        return False
    top = at.around[-1] if at.around else other.tree
    way = _way(top, at.statement)
    for outer, inner in pairwise(way):
        if isinstance(outer, ast.If):
            lacks = _lacks(resolver, other, at, outer.test, owner, name)
            if lacks is not None and any(inner is one for one in (outer.body if lacks else outer.orelse)):
                return True
        elif isinstance(outer, ast.Try) and isinstance(inner, ast.ExceptHandler):
            if outer.body and all(_goes_well(resolver, other, at, one) for one in outer.body):
                return True
    return False


def _way(node: ast.AST, wanted: ast.AST) -> list[ast.AST]:
    if node is wanted:
        return [node]
    line = getattr(wanted, "lineno", 0)
    for child in children(node):
        if getattr(child, "lineno", 0) <= line <= (getattr(child, "end_lineno", None) or line):
            if found := _way(child, wanted):
                return [node, *found]
    return []


def _lacks(resolver: ResolverView, other: Module, at: Occurrence, test: ast.expr, owner: str, name: str) -> bool | None:
    """Whether a test holds where the name is missing, and only there; False: only where it is there."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _lacks(resolver, other, at, test.operand, owner, name)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        found = [_lacks(resolver, other, at, one, owner, name) for one in test.values]
        return True if True in found else None
    asked = test
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Is):
        if not isinstance(test.comparators[0], ast.Constant) or test.comparators[0].value is not None:
            return None
        asked = test.left
    of = "hasattr" if asked is test else "getattr"
    if not isinstance(asked, ast.Call) or not isinstance(asked.func, ast.Name) or asked.func.id != of:
        return None
    if len(asked.args) < 2 or not isinstance(asked.args[1], ast.Constant) or asked.args[1].value != name:
        return None
    return of == "getattr" if _is(resolver, other, at, asked.args[0], owner) else None


def _goes_well(resolver: ResolverView, other: Module, at: Occurrence, statement: ast.stmt) -> bool:
    """Whether a statement only takes what the installed Triton has."""
    if isinstance(statement, ast.ImportFrom):
        module = statement.module or ""
        named = module.partition(".")[0] == "triton" and not statement.level
        return named and all(triton_has(resolver, f"{module}.{alias.name}") for alias in statement.names)
    taken = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(taken, ast.Attribute):
        return False
    paths = {*given(resolver, resolver.scope(other, at.around), taken.value)}
    return bool(paths) and all(path[-1:] != "." and triton_has(resolver, f"{path}.{taken.attr}") for path in paths)


def _is(resolver: ResolverView, other: Module, at: Occurrence, node: ast.expr, owner: str) -> bool:
    return {*given(resolver, resolver.scope(other, at.around), node)} == {owner}
