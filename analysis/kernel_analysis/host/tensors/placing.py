"""Where a piece of host code stands: the statements around it, outermost first, and what follows for whether it runs.
Evaluates nothing but conditions, and those safely."""

from __future__ import annotations

import ast
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import Scope, UserFunction
from kernel_analysis.record import record
from kernel_analysis.source import nodes, parameters
from kernel_analysis.source.forms import first_line, last_name
from kernel_analysis.source.scopes import FunctionNode
from kernel_analysis.source.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
_FAILS = frozenset({"skip", "xfail", "expectedFailure"})
"""Decorators of tests that don't run, or are known to fail."""


@record
class Place:
    """``path``: the statements around the node, outermost first, the innermost the one that it is part of. ``scope``:
    whose names it sees; ``order``: which statement of that scope it is in. ``hidden``: names that lambdas and
    comprehensions in that statement bind anew. ``known``: a parameter, and which items of the dict that it is are
    whole numbers."""

    resolver: ResolverView
    path: tuple[ast.stmt, ...]
    scope: Scope
    order: int | None
    hidden: frozenset[str] = frozenset()
    known: tuple[ast.arg, frozenset[str]] | None = None

    def inside(self, function: UserFunction) -> Place:
        """The end of a function that is called from here."""
        scope = self.resolver.inner(function.scope, function.node)
        names = (
            {a.arg for a in parameters.every(function.node.args)}
            if isinstance(function.node, ast.Lambda)
            else set[str]()
        )
        hidden = frozenset(names) | self.hidden if names else frozenset[str]()
        return Place(self.resolver, self.path, self.scope if names else scope, self.order if names else None, hidden)

    @property
    def functions(self) -> tuple[FunctionNode, ...]:
        return tuple(node for node in self.path if isinstance(node, _FUNCTIONS))

    @property
    def undecided(self) -> bool | None:
        """Whether it may depend on a condition around it if it runs; None where it does not."""
        found = False
        scope, inside = self.scope, list(reversed(self.path))
        for inner, outer in pairwise(inside):
            if isinstance(inner, _SCOPES):
                scope = scope.parent or scope
            if not isinstance(outer, (ast.If, ast.While)):
                continue
            known = truth(self.resolver.evaluator.evaluate(outer.test, scope, scope.table.orders.get(id(outer))))
            found |= known is None
            if known is not None and known != (inner in outer.body):
                return None
        return found

    @property
    def counts(self) -> bool:
        """Whether it may run, and is to succeed then: else what stands there shows nothing of what works."""
        return not self.expects_failure and self.undecided is not None

    @property
    def expects_failure(self) -> bool:
        """Whether it stands under ``with pytest.raises(...)`` or its like, in a ``try`` that goes on where it fails, or
        in a test that is skipped or expected to fail."""
        return any(_expects_failure(node, inner) for node, inner in pairwise(self.path))


def _expects_failure(node: ast.stmt, inner: ast.stmt) -> bool:
    if isinstance(node, (ast.With, ast.AsyncWith)):
        names = [_called(item.context_expr) for item in node.items]
        return any("raises" in name.lower() or name == "suppress" for name in names)
    if isinstance(node, ast.Try):
        return inner in node.body and any(not isinstance(h.body[-1], ast.Raise) for h in node.handlers)
    return isinstance(node, _SCOPES) and any(_called(d) in _FAILS for d in node.decorator_list)


def _called(node: ast.expr) -> str:
    return last_name(node.func if isinstance(node, ast.Call) else node) or ""


def place(resolver: ResolverView, module: Module, node: ast.expr) -> Place | None:
    """Where an expression of the file stands; None in a string of it, or where it does not parse."""
    path: list[ast.stmt] = []
    body: list[ast.stmt] | None = module.tree.body
    while body is not None:
        inside = _holding(body, node)
        if inside is None:
            break
        path.append(inside)
        body = next((b for b in _bodies(inside) if _holding(b, node) is not None), None)
    if not path or not module.is_whole(path[-1]):
        return None
    scopes = tuple(s for s in path[:-1] if isinstance(s, _SCOPES))
    scope = resolver.scope(module, scopes)
    last = scopes[-1] if scopes else None
    start = path.index(last) + 1 if last is not None else 0
    order = next((o for s in reversed(path[start:]) if (o := scope.table.orders.get(id(s))) is not None), None)
    return Place(resolver, tuple(path), scope, order, _hidden(path[-1]))


@kept_with_trees(512)
def _hidden(statement: ast.stmt) -> frozenset[str]:
    """(One statement may have hundreds of calls in it.)"""
    found: set[str] = set()
    for node in (inner for top in nodes.own(statement) for inner in descend(top)):
        if isinstance(node, ast.Lambda):
            found |= {a.arg for a in parameters.every(node.args)}
        elif isinstance(node, (ast.comprehension, ast.NamedExpr)):
            found |= {n.id for n in descend(node.target) if isinstance(n, ast.Name)}
    return frozenset(found)


def _start(statement: ast.stmt) -> tuple[int, int]:
    first = first_line(statement)
    return first, 0 if first < statement.lineno else statement.col_offset


def _holding(body: list[ast.stmt], node: ast.expr) -> ast.stmt | None:
    """The statement that the node stands in; several may share a line, and a body may have thousands."""
    at = (node.lineno, node.col_offset)
    last = bisect_right(body, at, key=_start) - 1
    found = body[last] if last >= 0 else None
    if found is None or at >= (found.end_lineno or found.lineno, found.end_col_offset or 0):
        return None
    return found


def _bodies(node: ast.stmt) -> list[list[ast.stmt]]:
    found: list[list[ast.stmt]] = [getattr(node, name, None) or [] for name in ("body", "orelse", "finalbody")]
    handlers: list[ast.ExceptHandler] = getattr(node, "handlers", None) or []
    cases = node.cases if isinstance(node, ast.Match) else []
    return found + [part.body for part in (*handlers, *cases)]
