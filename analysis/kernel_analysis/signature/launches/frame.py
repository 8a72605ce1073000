"""A function around a launch, or the module, as code on a line of it sees it: what binds a name by then. Keeps what is
asked with who answers; evaluates nothing."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol, TypeAlias

from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.values import Scope, Value
from kernel_analysis.host.interpreter_views import EvaluatorView
from kernel_analysis.signature.launches.passed_arguments import PassedArguments
from kernel_analysis.source.tree import nodes, scopes
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

Entry: TypeAlias = "tuple[Frame, ast.Call, scopes.FunctionNode]"
"""A call of a host function, and what is around the call."""


class HostView(EvaluatorView, Protocol):
    """Who answers (``launches.host.Host``)."""

    project: Project
    calling: Frame | None

    def frame(
        self,
        file: str,
        functions: Sequence[scopes.FunctionNode],
        at: tuple[int, int],
        levels: int,
        entry: Entry | None = None,
    ) -> Frame: ...
    def argument(self, node: ast.expr, frame: Frame) -> HostArgument: ...
    def bound(self, frame: Frame, name: str, events: list[scopes.Event], order: int) -> Value: ...
    def once(self, frame: Frame, key: object, find: Callable[[], Value]) -> Value: ...
    def around(self, at: Scope | None) -> Frame | None: ...


@dataclass(eq=False, kw_only=True)
class Frame(Scope):
    """A function around a launch, or the module, as code at a place (line and column) of it sees it. ``static``: the
    same to the resolver.

    ``entry``: the call by which the function was entered, where that is known. ``levels``: of calls to follow from
    here, up or down."""

    host: HostView
    static: Scope
    at: tuple[int, int]
    levels: int
    entry: Entry | None = None
    calls: dict[ast.Call, tuple[PassedArguments, set[str]]] = field(
        default_factory=dict["ast.Call", "tuple[PassedArguments, set[str]]"]
    )
    """What calls here pass, and the files that were read for it."""
    callers: list[Entry] | None = None
    every: tuple[list[Entry] | None, set[str]] | None = None
    """All calls that the workspace has of the function, None where there may be others, and the files that were read
    to find them; None: nobody asked."""
    known: dict[object, tuple[Value, frozenset[str], frozenset[str]]] = field(
        default_factory=dict[object, "tuple[Value, frozenset[str], frozenset[str]]"]
    )
    """What was found out about names and calls here, why it may be another, and the files that were read for it."""
    _order: int | None = None

    def argument(self, node: ast.expr) -> HostArgument:
        """What an expression here gives."""
        return self.host.argument(node, self)

    def binding(self, name: str) -> tuple[list[scopes.Event], scopes.FunctionNode | None]:
        """The statements that bind a name before the line, and the function that they stand in."""
        frame: Scope | None = self
        while isinstance(frame, Frame):
            events = frame.table.events.get(name)
            if events and isinstance(frame.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return frame.before(events), frame.node
            if isinstance(frame.node, ast.Module):
                return events or [], None
            frame = frame.parent
        return [], None

    def written(self, node: ast.expr | None) -> tuple[str, ...]:
        """The parts of a list as they are written, there or where the name of it is bound; none of what is no list."""
        if isinstance(node, ast.Name):
            events, _ = self.binding(node.id)
            value = events[0].value if len(events) == 1 and events[0].how == "assign" else None
            return self.written(None if isinstance(value, ast.Name) else value)
        if not isinstance(node, (ast.List, ast.Tuple)) or any(isinstance(p, ast.Starred) for p in node.elts):
            return ()
        return tuple(map(ast.unparse, node.elts))

    def before(self, events: list[scopes.Event], order: int | None = None) -> list[scopes.Event]:
        """Those that stand before a statement, or the one on the line; all where none does."""
        if isinstance(self.node, ast.Module):
            return events
        order = self.order if order is None else order
        return [event for event in events if event.order < order] or events

    def sets_inside(self, name: str) -> bool:
        """Whether a function in this one sets the name, or an expression does (``:=``), before or after what reads it
        in the same statement; or any function where it is the file's (``global``)."""
        if isinstance(self.node, ast.Module):
            return False
        if name in self.module.reassigned:
            return True
        if self.module.has_nonlocal and name in _sets_inside(self.node)[0]:
            return True
        return self.module.has_walrus and name in _sets_inside(self.node)[1]

    @property
    def order(self) -> int:
        """The statement at the place: the last that begins by then."""
        if self._order is None:
            starts, orders = _begun(self.static.node)
            place = bisect_right(starts, self.at)
            self._order = orders[place - 1] if place else 0
        return self._order


def made(
    host: HostView,
    file: str,
    functions: Sequence[scopes.FunctionNode],
    at: tuple[int, int],
    levels: int,
    entry: Entry | None,
) -> Frame:
    """The innermost of these functions, in the others and the module."""
    resolver = host.resolver
    module = resolver.project.load(file)
    text = module.embedded_at(at[0])
    static = resolver.scope(module, () if text is None else (text.tree,))
    found: Frame | None = None
    for node in (None, *functions):
        static = static if node is None else resolver.inner(static, node)
        found = Frame(module, static.node, found, host=host, static=static, at=at, levels=levels)
        found.share(static)
    assert found is not None
    found.entry = entry
    return found


@kept_with_trees(512)
def _begun(node: scopes.ScopeNode) -> tuple[list[tuple[int, int]], list[int]]:
    """Where statements of a scope begin, in order, and the last statement that has begun by each."""
    orders = scopes.kept_table(node, "").orders
    body = [] if isinstance(node, ast.Lambda) else node.body
    found = sorted(((n.lineno, n.col_offset), orders.get(id(n), 0)) for n, _ in nodes.inside(body, ()))
    return [start for start, _ in found], list(accumulate((order for _, order in found), max))


@kept_with_trees(512)
def _sets_inside(node: scopes.ScopeNode) -> tuple[frozenset[str], frozenset[str]]:
    """The names that functions inside of one set, and those that expressions bind."""
    inner = list(descend(node))
    inside = {name for n in inner if isinstance(n, ast.Nonlocal) for name in n.names}
    return frozenset(inside), frozenset(n.target.id for n in inner if isinstance(n, ast.NamedExpr))
