"""What a function has for a name of its file when it is called while that is imported: what the name is bound to by
then, and what has been done to it by then. Notes where that may be another than it is in the end; follows no call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.containers import object_uses, turns
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import Decoration, Dict, External, Items, Method, ModuleValue, Scope, Value
from kernel_analysis.host.names.imports import circles, stars
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.scopes import Event, ScopeNode
from kernel_analysis.source.tree.syntax import kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LATER = (*_FUNCTIONS, ast.Lambda)
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_PLAIN = (Items, Dict, str, int, float, bool)


def doubted(resolver: ResolverView, scope: Scope, reader: Scope, name: str, value: Value, at: int | None) -> None:
    """Notes why a function, ``reader``, may have another value for a global. ``at``: the statement of the file that it
    is called by; None: it may be called at any time."""
    if resolver.value_alone or not isinstance(scope.node, ast.Module):
        return
    if at is not None:
        if turns.carried(scope.node, scope.table.events.get(name, []), scope.table.orders, at):
            resolver.note(f"a turn of the loop before may have set `{name}`")
    elif resolver.at_any_time or reader.locals is None:
        called_early(resolver, scope, name, value, reader)


def called_early(resolver: ResolverView, scope: Scope, name: str, value: Value, reader: Scope | None) -> None:
    """Notes that a function may be called before the last of the statements has run that make a global what it is in
    the end. ``reader``: the function; None: any."""
    contents = changeable(value)
    if len(scope.table.events.get(name, ())) + len(scope.table.stars) + contents < 2:
        return

    since = 0 if reader is None else _made_at(scope, reader)

    def find() -> str | None:
        return _doubt(resolver, scope, name, value, since)

    if scope.node is scope.module.tree:
        shape = object_uses.shape(value) if contents else None
        why = resolver.touches.once((scope.module.file, name, contents, shape, since, "while imported"), find)
    else:
        why = find()
    if why is not None:
        resolver.note(why)


def _made_at(scope: Scope, reader: Scope) -> int:
    """The statement of a scope that makes a function in it: none above can call that, unless a loop comes back."""
    while reader.parent is not None and reader.parent is not scope:
        reader = reader.parent
    order = scope.table.orders.get(id(reader.node), 0)
    return 0 if turns.in_loop(scope, order) else order


def _doubt(resolver: ResolverView, scope: Scope, name: str, value: Value, since: int) -> str | None:
    places: list[tuple[float, Event | None]] = [(e.order, e) for e in _distinct(scope.table.events.get(name, ()))]
    for star in scope.table.stars:
        with resolver.aside(notes := set[str]()):
            brought = stars.brought(resolver, scope, name, [star])
        if brought is not None or notes:
            places.append((star.order, None))
    if places and changeable(value):
        made = resolver.touches.made(scope, name)
        places += [(at, None) for at, _, one in made if object_uses.relevant(resolver, one, value)]
    if len(places) < 2:
        return None
    last = max(place for place, _ in places)
    for order, parts in _run(scope):
        if order < since:
            continue
        above = (event for place, event in places if place < order <= last)
        bound = any(event is None or not _instead(scope, event, order) for event in above)
        if bound and any(_may_call(resolver, scope, part, order) for part in parts):
            return f"`{name}` is set or changed after code of the file is run that may read it"
    return None


def _distinct(events: Iterable[Event]) -> list[Event]:
    """Without those that import once more what the one before does: the name stands for the same."""
    found: list[Event] = []
    for event in events:
        if not found or _imported(event) is None or _imported(event) != _imported(found[-1]):
            found.append(event)
    return found


def _imported(event: Event) -> tuple[str, int, str] | None:
    """What an import binds the name to: of a package, or what it has."""
    if event.alias is None or event.how not in ("import", "from"):
        return None
    if isinstance(event.node, ast.ImportFrom):
        return event.node.module or "", event.node.level, event.alias.name
    # `import a.b` binds `a`
    return "", 0, event.alias.name if event.alias.asname else event.alias.name.partition(".")[0]


def _instead(scope: Scope, event: Event, order: int) -> bool:
    """Whether a statement runs only where another does not: it is in the other branch of an ``if`` around that."""
    for guard in event.guards:
        if isinstance(guard.node, ast.If) and guard.part == "body" and guard.node.orelse:
            other = [scope.table.orders.get(id(n), 0) for part in guard.node.orelse for n in ast.walk(part)]
            if scope.table.orders.get(id(guard.node.orelse[0]), 0) <= order <= max(other):
                return True
    return False


def _run(scope: Scope) -> Iterator[tuple[int, list[ast.AST]]]:
    """The statements that run when the file is imported, by their place in it, with what of each may call something."""
    orders = scope.table.orders
    for statement, parts in _statements(scope.node):
        yield orders.get(id(statement), 0), list(parts)


@kept_with_trees(64)
def _statements(node: ScopeNode) -> tuple[tuple[ast.stmt, tuple[ast.AST, ...]], ...]:
    """The statements of a module, each with what of it, and of the classes in it, may call something."""
    found: list[tuple[ast.stmt, tuple[ast.AST, ...]]] = []
    body = [] if isinstance(node, ast.Lambda) else node.body
    todo: list[tuple[ast.AST, ast.stmt | None]] = [(part, None) for part in body]
    while todo:
        part, outer = todo.pop()
        at = outer or (part if isinstance(part, ast.stmt) else None)
        inside = at if isinstance(part, ast.ClassDef) else outer
        calling: list[ast.AST] = []
        own: list[ast.AST] = []
        for child in ast.iter_child_nodes(part):
            if not isinstance(child, _BLOCKS):
                own.append(child)
            elif not isinstance(part, _FUNCTIONS):
                todo.append((child, inside))
        if isinstance(part, (*_FUNCTIONS, ast.ClassDef)):
            calling += part.decorator_list
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            calling.append(part)
        while own:
            inner = own.pop()
            if isinstance(inner, (ast.Call, ast.Await, ast.withitem)):
                calling.append(inner)
            if not isinstance(inner, ast.Lambda):
                own += ast.iter_child_nodes(inner)
        if calling and at is not None:
            found.append((at, tuple(calling)))
    return tuple(found)


def _may_call(resolver: ResolverView, scope: Scope, part: ast.AST, order: int) -> bool:
    """Whether a part of a statement may call a function of the workspace."""
    if isinstance(part, (ast.Import, ast.ImportFrom)):
        return _comes_back(resolver, scope.module, part)
    if isinstance(part, ast.withitem):
        return not isinstance(part.context_expr, ast.Call)  # which is asked about by itself
    called = part.func if isinstance(part, ast.Call) else part
    root = called
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or not isinstance(called, ast.expr):
        return not isinstance(called, ast.Call)
    with resolver.unheard():
        meaning = resolver.evaluator.evaluate(called, scope, order)
    if isinstance(meaning, (TritonObject, Decoration)):
        return False
    if isinstance(meaning, Method) and isinstance(meaning.receiver, _PLAIN) or isinstance(meaning, External):
        return isinstance(part, ast.Call) and _hands_function(resolver, scope, part, order)
    return True


def _comes_back(resolver: ResolverView, module: Module, statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether what is imported may import the file itself on the way."""
    if isinstance(statement, ast.Import):
        paths = [alias.name for alias in statement.names]
    else:
        base = "." * statement.level + (statement.module or "")
        paths = [base, *(f"{base.rstrip('.') and base + '.' or base}{alias.name}" for alias in statement.names)]
    found = [resolver.import_module(path, module) for path in paths]
    files = [one.file for one in found if isinstance(one, ModuleValue) and one.file is not None]
    return any(circles.reaches(resolver, resolver.project.load(file), module) for file in files)


def _hands_function(resolver: ResolverView, scope: Scope, call: ast.Call, order: int) -> bool:
    """Whether a library is given something that it may call."""
    with resolver.unheard():
        for given in [*call.args, *(keyword.value for keyword in call.keywords)]:
            for inner in ast.walk(given):
                if isinstance(inner, ast.Lambda):
                    return True
                if isinstance(inner, ast.Name):
                    if not isinstance(resolver.evaluator.evaluate(inner, scope, order), (*_PLAIN, External)):
                        return True
    return False
