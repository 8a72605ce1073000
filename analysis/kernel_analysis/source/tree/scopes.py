"""What binds each name in a module, class or function: the statements, in order, with the conditions around them.

Only syntax; what a name means is ``resolve``'s.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from kernel_analysis.record import record
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.nodes import own
from kernel_analysis.source.tree.syntax import OF_A_FILE, children, descend, kept_with_trees

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
ScopeNode: TypeAlias = "ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


@record
class Guard:
    """A statement whose outcome decides whether what is under it happens."""

    node: ast.If | ast.Try
    part: Literal["body", "orelse", "handler"]


@record
class Event:
    """One statement that binds a name. ``how``: ``assign`` has ``value``; ``element`` takes item ``path`` of it;
    ``opaque`` can't be followed. ``within``: the statements around it that are no guards and may leave it out: a
    ``with`` may swallow what is raised before it; of what is not ``opaque`` loops and ``match`` as well."""

    how: Literal["assign", "element", "augment", "define", "class", "import", "from", "parameter", "opaque", "delete"]
    node: ast.AST
    order: int
    guards: tuple[Guard, ...] = ()
    value: ast.expr | None = None
    path: tuple[int, ...] = ()
    alias: ast.alias | None = None
    within: tuple[ast.stmt, ...] = ()


@dataclass(slots=True)
class Table:
    """``events`` by name; ``stars``: ``from x import *``. ``order`` of a statement is its place in the scope; ``ends``:
    the place where the body of a ``try`` ends; ``orders``: of each statement, by its identity."""

    events: dict[str, list[Event]] = field(default_factory=dict[str, list[Event]])
    stars: list[Event] = field(default_factory=list[Event])
    ends: dict[ast.Try, int] = field(default_factory=dict[ast.Try, int])
    orders: dict[int, int] = field(default_factory=dict[int, int])


def table(node: ScopeNode, text: str) -> Table:
    """The bindings of a scope; ``text``: that of the file that it stands in."""
    found = Table()
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        for argument in parameters.every(node.args):
            found.events.setdefault(argument.arg, []).append(Event("parameter", argument, 0))
    if isinstance(node, ast.Lambda):
        return found
    _Scan(found, ":=" in text).block(node.body, (), False)
    return found


def kept_table(node: ScopeNode, text: str) -> Table:
    """The same, for a function or class: whoever asks about what stands in it asks again."""
    return _kept((node, ":=" in text))


@kept_with_trees(OF_A_FILE)
def _kept(asked: tuple[ScopeNode, bool]) -> Table:
    return table(asked[0], ":=" if asked[1] else "")


_NEVER_OPAQUE = frozenset({"define", "class", "import", "from", "delete"})
"""What is followed wherever it stands."""
_LATER = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Scan:
    """Walks the statements of one scope, not into nested functions and classes. ``named``: expressions may
    bind, too."""

    def __init__(self, found: Table, named: bool) -> None:
        self.found = found
        self.named = named
        self.order = 0
        self.within: tuple[ast.With | ast.AsyncWith, ...] = ()
        self.looped: tuple[ast.stmt, ...] = ()

    def add(self, name: str, event: Event) -> None:
        self.found.events.setdefault(name, []).append(self.placed(event))

    def placed(self, event: Event) -> Event:
        """The event with what is around it."""
        around = (*self.within, *self.looped) if event.how in _NEVER_OPAQUE else self.within
        return replace(event, within=around) if around else event

    def often(self, node: ast.stmt, body: list[ast.stmt], guards: tuple[Guard, ...]) -> None:
        """What is carried out as often as the statement around it says, or not at all."""
        outer, self.looped = self.looped, (*self.looped, node)
        self.block(body, guards, True)
        self.looped = outer

    def block(self, body: list[ast.stmt], guards: tuple[Guard, ...], loop: bool) -> None:
        for statement in body:
            self.order += 1
            self.found.orders[id(statement)] = self.order
            if self.named:
                self.expressions(statement, guards, not loop and not isinstance(statement, (ast.While, ast.Assert)))
            self.statement(statement, guards, loop)

    def statement(self, node: ast.stmt, guards: tuple[Guard, ...], loop: bool) -> None:
        order = self.order
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.target(target, node, guards, node.value, (), loop)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.target(node.target, node, guards, node.value, (), loop)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                how = "opaque" if loop else "augment"
                self.add(node.target.id, Event(how, node, order, guards, node.value))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.add(node.name, Event("define", node, order, guards))
        elif isinstance(node, ast.ClassDef):
            self.add(node.name, Event("class", node, order, guards))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                self.add(alias.asname or alias.name.split(".")[0], Event("import", node, order, guards, alias=alias))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                event = Event("from", node, order, guards, alias=alias)
                if alias.name == "*":
                    self.found.stars.append(self.placed(event))
                else:
                    self.add(alias.asname or alias.name, event)
        elif isinstance(node, ast.If):
            self.conditional(node, guards, loop)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.target(node.target, node, guards, None, (), True)
            self.often(node, node.body, guards)
            # What follows where nothing broke out of the loop does not always happen either.
            self.often(node, node.orelse, guards)
        elif isinstance(node, ast.While):
            self.often(node, node.body, guards)
            self.often(node, node.orelse, guards)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self.target(item.optional_vars, node, guards, None, (), True)
            outer, self.within = self.within, (*self.within, node)
            self.block(node.body, guards, loop)
            self.within = outer
        elif isinstance(node, ast.Try):
            self.block(node.body, (*guards, Guard(node, "body")), loop)
            self.found.ends[node] = self.order + 1
            for handler in node.handlers:
                inside = (*guards, Guard(node, "handler"))
                if handler.name:
                    self.add(handler.name, Event("opaque", handler, self.order, inside))
                self.block(handler.body, inside, loop)
            self.block(node.orelse, (*guards, Guard(node, "orelse")), loop)
            self.block(node.finalbody, guards, loop)
        elif isinstance(node, ast.Delete):
            names = (n for target in node.targets for n in descend(target) if isinstance(n, ast.Name))
            for name in names:
                if isinstance(name.ctx, ast.Del):
                    self.add(name.id, Event("delete", node, order, guards))
        elif isinstance(node, ast.Match):
            for case in node.cases:
                for part in ast.walk(case.pattern):
                    name = part.rest if isinstance(part, ast.MatchMapping) else getattr(part, "name", None)
                    if isinstance(name, str):
                        self.add(name, Event("opaque", node, order, guards))
                self.often(node, case.body, guards)
        elif type(node).__name__ == "TryStar":
            # Python 3.11's ``try: ... except* E:``, which 3.10's ``ast`` has no class for.
            # Its handlers may all run, or none.
            for part in ("body", "orelse", "finalbody"):
                self.often(node, getattr(node, part), guards)
            for handler in getattr(node, "handlers", ()):
                if handler.name:
                    self.add(handler.name, Event("opaque", handler, self.order, guards))
                self.often(node, handler.body, guards)

    def expressions(self, node: ast.stmt, guards: tuple[Guard, ...], sure: bool) -> None:
        """What ``name := value`` binds: around a comprehension, and not in a lambda. ``sure``: the statement happens
        once, and its expressions are computed."""
        todo: list[tuple[ast.AST, bool]] = [(part, sure) for part in own(node)]
        while todo:
            part, always = todo.pop()
            if isinstance(part, ast.NamedExpr):
                how = "assign" if always else "opaque"
                self.add(part.target.id, Event(how, node, self.order, guards, part.value if always else None))
            if isinstance(part, ast.IfExp):
                todo += [(part.test, always), (part.body, False), (part.orelse, False)]
                continue
            inner = children(part.args if isinstance(part, ast.Lambda) else part)
            first = len(inner)
            if isinstance(part, _LATER):
                first = 0
            elif isinstance(part, (ast.BoolOp, ast.Compare)):
                first = 1 if isinstance(part, ast.BoolOp) else 2
            todo += [(child, always and place < first) for place, child in enumerate(inner)]

    def conditional(self, node: ast.If, guards: tuple[Guard, ...], loop: bool) -> None:
        """An ``elif`` chain may be long, so it is walked and not recursed into."""
        while True:
            self.block(node.body, (*guards, Guard(node, "body")), loop)
            guards = (*guards, Guard(node, "orelse"))
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and len(guards) < 200:
                node = node.orelse[0]
                self.found.orders[id(node)] = self.order
                if self.named:
                    self.expressions(node, guards, not loop)
                continue
            self.block(node.orelse if len(guards) < 200 else [], guards, loop)
            return

    def target(
        self,
        target: ast.expr,
        node: ast.stmt,
        guards: tuple[Guard, ...],
        value: ast.expr | None,
        path: tuple[int, ...],
        loop: bool,
    ) -> None:
        if isinstance(target, ast.Name):
            how = "opaque" if loop or value is None else "element" if path else "assign"
            self.add(target.id, Event(how, node, self.order, guards, value, path))
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = any(isinstance(e, ast.Starred) for e in target.elts)
            for index, element in enumerate(target.elts):
                inner = element.value if isinstance(element, ast.Starred) else element
                self.target(inner, node, guards, None if starred else value, (*path, index), loop)


def scan_into(found: Table, body: list[ast.stmt]) -> None:
    """Adds the bindings of single statements."""
    _Scan(found, False).block(body, (), False)
