"""Where a piece of host code stands: the statements around it, outermost first, and whose names it sees. Evaluates
nothing."""

from __future__ import annotations

import ast
from bisect import bisect_right
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import Scope, UserFunction
from kernel_analysis.record import record
from kernel_analysis.source.tree import nodes, parameters
from kernel_analysis.source.tree.forms import COMPREHENSIONS, first_line
from kernel_analysis.source.tree.scopes import FunctionNode
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.ClassDef)


@record
class Place:
    """``path``: the statements around the node, outermost first, the innermost the one that it is part of. ``scope``:
    whose names it sees; ``order``: which statement of that scope it is in. ``hidden``: names that lambdas and
    comprehensions in that statement bind anew. ``known``: a parameter, and which items of the dict that it is are whole
    numbers. ``node``: itself, where it is looked at as it stands. ``callers``: how many calls were gone up to come
    here."""

    resolver: ResolverView
    path: tuple[ast.stmt, ...]
    scope: Scope
    order: int | None
    hidden: frozenset[str] = frozenset()
    known: tuple[ast.arg, frozenset[str]] | None = None
    node: ast.expr | None = None
    callers: int = 0

    def inside(self, function: UserFunction) -> Place:
        """The end of a function that is called from here. What a call that is followed gives its names is not read off
        statements."""
        around, hidden = function.scope, set[str]()
        while around.locals is not None and around.parent is not None:
            hidden |= around.locals.keys() | around.table.events.keys()
            around = around.parent
        if not isinstance(function.node, ast.Lambda):
            scope = self.resolver.inner(around, function.node)
            seen = frozenset(hidden - scope.table.events.keys())
            return Place(self.resolver, self.path, scope, None, seen, callers=self.callers)
        hidden |= {a.arg for a in parameters.every(function.node.args)}
        order = self.order if around.node is self.scope.node else None
        return Place(self.resolver, self.path, around, order, frozenset(hidden) | self.hidden, callers=self.callers)

    @property
    def functions(self) -> tuple[FunctionNode, ...]:
        return tuple(node for node in self.path if isinstance(node, FUNCTIONS))


def place(resolver: ResolverView, module: Module, node: ast.expr) -> Place | None:
    """Where an expression of the file stands; None in a string of it, or where it does not parse."""
    path: list[ast.stmt] = []
    body: list[ast.stmt] | None = module.tree.body
    while body is not None:
        inside = _holding(body, node)
        if inside is None:
            break
        path.append(inside)
        body = next((b for b in bodies(inside) if _holding(b, node) is not None), None)
    if not path or not module.is_whole(path[-1]):
        return None
    scopes = tuple(s for s in path[:-1] if isinstance(s, SCOPES))
    scope = resolver.scope(module, scopes)
    last = scopes[-1] if scopes else None
    start = path.index(last) + 1 if last is not None else 0
    order = next((o for s in reversed(path[start:]) if (o := scope.table.orders.get(id(s))) is not None), None)
    hidden = _hidden(path[-1])
    if isinstance(scope.node, ast.ClassDef) and _is_inside(path[-1], node):
        hidden |= scope.table.events.keys()  # of a class's names they see none
    return Place(resolver, tuple(path), scope, order, hidden, node=node)


def place_of_statement(resolver: ResolverView, module: Module, node: ast.stmt) -> Place | None:
    """Where a statement of the file stands."""
    spot = ast.copy_location(ast.Constant(None), node)
    at = place(resolver, module, spot)
    return at if at is not None and at.path[-1] is node else None


def _is_inside(statement: ast.stmt, node: ast.expr) -> bool:
    """Whether it stands in a lambda or a comprehension of the statement."""
    at = (node.lineno, node.col_offset)
    return any(
        (one.lineno, one.col_offset) <= at < (one.end_lineno or one.lineno, one.end_col_offset or 0)
        for one in ast.walk(statement)
        if isinstance(one, (ast.Lambda, *COMPREHENSIONS))
    )


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


def bodies(node: ast.stmt) -> list[list[ast.stmt]]:
    """The bodies that a statement has, empty ones among them."""
    found: list[list[ast.stmt]] = [getattr(node, name, None) or [] for name in ("body", "orelse", "finalbody")]
    handlers: list[ast.ExceptHandler] = getattr(node, "handlers", None) or []
    cases = node.cases if isinstance(node, ast.Match) else []
    return found + [part.body for part in (*handlers, *cases)]
