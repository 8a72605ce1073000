"""Whether what is put in the place of a function of Python's is that function again, or hands it all that it is given,
but for classes of packages that are not in sight: no compile asks for those.

Follows what is spelled; evaluates nothing. What is not listed here is another function.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Final, TypeAlias

from kernel_analysis.host.changes import callees
from kernel_analysis.host.evaluate.values import External, Scope, Unknown
from kernel_analysis.host.names.naming import Bound, binding, meanings
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import chain

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import ModuleValue, TritonObject
    from kernel_analysis.host.interpreter_views import ResolverView

Meaning: TypeAlias = "Bound | ModuleValue | External | TritonObject | None"
_GONE_THROUGH: Final = frozenset({*sys.stdlib_module_names, *sys.builtin_module_names, "builtins", "torch", "triton"})
"""Whose classes a compile may ask for."""
_PARTS: Final = ("__code__", "cell_contents")
"""What a function that stands in sight is another with."""


def is_same(resolver: ResolverView, scope: Scope, value: ast.expr, path: str) -> bool:
    """Whether a value does for a compile what the function of Python's of that path does."""
    for one in _meant(resolver, scope, value):
        if isinstance(one, External):
            if one.path != path:
                return False
            continue
        node = one.event.node if isinstance(one, Bound) else None
        if not isinstance(one, Bound) or not isinstance(node, ast.FunctionDef):
            return False
        if not _hands_on(resolver, resolver.inner(one.scope, node), node, path):
            return False
        if any(resolver.touches.stored(part, one.scope.module) for part in _PARTS):
            return False
    return True


def _meant(resolver: ResolverView, scope: Scope, node: ast.expr) -> list[Meaning]:
    """All that a name, or what a module has, may mean."""
    root, _ = chain(node)
    where = binding(scope, root.id) if isinstance(root, ast.Name) else None
    if where is None or callees.replaced(resolver, where[0], ast.unparse(root)):
        return [None]
    return meanings(resolver, scope, node) or [None]


def _hands_on(resolver: ResolverView, scope: Scope, node: ast.FunctionDef, path: str) -> bool:
    """``def f(a, b): return original(a, b)``, with tests before that for what else is to come of such a class."""
    given, last = _given(node.args), node.body[-1]
    if given is None or node.decorator_list or not isinstance(last, ast.Return):
        return False
    for statement in node.body[:-1]:
        says = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not says and not _is_for_another(resolver, scope, statement, given):
            return False
    call = last.value
    if not isinstance(call, ast.Call) or [ast.unparse(one) for one in (*call.args, *call.keywords)] != given:
        return False
    return all(isinstance(one, External) and one.path == path for one in _meant(resolver, scope, call.func))


def _given(args: ast.arguments) -> list[str] | None:
    """How a function hands on all that it is given; None for one that may be given, or has, something else."""
    names = parameters.positional(args)
    if args.kwonlyargs or args.defaults:
        return None
    if args.vararg is None and args.kwarg is None:
        return names
    if names or args.vararg is None or args.kwarg is None:
        return None
    return [f"*{args.vararg.arg}", f"**{args.kwarg.arg}"]


def _is_for_another(resolver: ResolverView, scope: Scope, statement: ast.stmt, given: list[str]) -> bool:
    """``if a is C: return ...`` of a class that no compile asks for."""
    if not isinstance(statement, ast.If) or statement.orelse or not isinstance(statement.body[0], ast.Return):
        return False
    test = statement.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Is):
        return False
    asked, cls = test.left, test.comparators[0]
    if not isinstance(asked, ast.Name) or asked.id not in given or not isinstance(cls, ast.Name):
        return False
    bound = binding(scope, cls.id)
    return bound is not None and _is_not_in_sight(resolver, bound[0], cls.id)


def _is_not_in_sight(resolver: ResolverView, where: Scope, name: str) -> bool:
    """Whether a name is taken of a package that is not in sight, and of no other. (Taken for granted: what that has by
    a name of its own is none of Python's or Triton's.)"""
    if where.table.stars or callees.replaced(resolver, where, name):
        return False
    events = where.table.events.get(name, [])
    for event in events:
        node = event.node
        if not isinstance(node, ast.ImportFrom) or node.level or event.how != "from":
            return False
        source = resolver.import_module(node.module or "", where.module)
        if (node.module or "").partition(".")[0] in _GONE_THROUGH or not isinstance(source, Unknown | External):
            return False
    return bool(events)
