"""Whether an expression gives an object of a class: ``Class()``, ``Class.from_file(path)`` where all that the method
gives back is such, ``cls()`` in it. An object is no module.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Occurrence, occurrences, sets_by_text
from kernel_analysis.host.evaluate.values import External, TritonObject
from kernel_analysis.host.names.naming import Bound, binding, meaning, meanings
from kernel_analysis.record import record
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView

_DEEPEST = 6


@record
class Called:
    """``name``: what a method calls the class by which it is called; ``cls``: that class."""

    name: str
    cls: Scope


def gives(resolver: ResolverView, scope: Scope, value: ast.expr, called: Called | None = None, depth: int = 0) -> bool:
    """Or nothing. ``called``: by what the method around is called, where that is known."""
    if isinstance(value, ast.Constant) or depth > _DEEPEST:
        return isinstance(value, ast.Constant)
    if isinstance(value, ast.IfExp):
        return all(gives(resolver, scope, arm, called, depth + 1) for arm in (value.body, value.orelse))
    if isinstance(value, ast.Name):
        where, events = binding(scope, value.id) or (scope, [])
        made = [e.value for e in events if e.how == "assign" and not e.path and e.value is not None]
        inside = isinstance(where.node, ast.FunctionDef) and 0 < len(events) == len(made)
        return inside and all(gives(resolver, where, one, called, depth + 1) for one in made)
    if not isinstance(value, ast.Call):
        return False
    if _is_own(resolver, scope, value.func, called) or _class(resolver, scope, value.func) is not None:
        return True
    if not isinstance(value.func, ast.Attribute):
        return False
    owner, name = value.func.value, value.func.attr
    by_own = called is not None and _is_own(resolver, scope, owner, called)
    cls = called.cls if called is not None and by_own else _class(resolver, scope, owner)
    method = _method(resolver, cls, name, 0) if cls is not None else None
    return (
        cls is not None
        and method is not None
        and _returns(resolver, method[0], method[1], Called(_first(method[1]), cls), depth)
        and not _set_otherwise(resolver, cls, name, depth)
    )


def _returns(resolver: ResolverView, inner: Scope, function: ast.FunctionDef, called: Called, depth: int) -> bool:
    parts = list(descend(function))
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in parts):
        return False
    returned = [part.value for part in parts if isinstance(part, ast.Return) and part.value is not None]
    return all(gives(resolver, inner, one, called, depth + 1) for one in returned)


def _class(resolver: ResolverView, scope: Scope, node: ast.expr) -> Scope | None:
    """The inside of the class that an expression stands for."""
    found = meaning(resolver, scope, node)
    cls = found.event.node if isinstance(found, Bound) else None
    return resolver.inner(found.scope, cls) if isinstance(found, Bound) and isinstance(cls, ast.ClassDef) else None


def _is_own(resolver: ResolverView, scope: Scope, node: ast.expr, called: Called | None) -> bool:
    """Whether it is the class by which the method around is called: ``cls``, bound to nothing else."""
    if not isinstance(node, ast.Name) or any(e.how != "parameter" for e in scope.table.events.get(node.id, ())):
        return False
    if called is not None:
        return node.id == called.name
    method, around = scope.node, scope.parent
    if not isinstance(method, ast.FunctionDef) or around is None or not isinstance(around.node, ast.ClassDef):
        return False
    return _first(method) == node.id and _is_class_method(resolver, around, method)


def _first(function: ast.FunctionDef | ast.Lambda) -> str:
    every = [*function.args.posonlyargs, *function.args.args]
    return every[0].arg if every else ""


def _is_class_method(resolver: ResolverView, inner: Scope, method: ast.FunctionDef) -> bool:
    known = [meaning(resolver, inner, decorator) for decorator in method.decorator_list]
    return len(known) == 1 and isinstance(known[0], External) and known[0].path == "builtins.classmethod"


def _method(resolver: ResolverView, inner: Scope, name: str, depth: int) -> tuple[Scope, ast.FunctionDef] | None:
    """The class method of that name that a class has, with the inside of it."""
    events = inner.table.events.get(name, ())
    if events:
        node = events[0].node
        if len(events) > 1 or not isinstance(node, ast.FunctionDef) or not _is_class_method(resolver, inner, node):
            return None
        return resolver.inner(inner, node), node
    if not isinstance(inner.node, ast.ClassDef) or inner.parent is None or inner.node.keywords or depth > _DEEPEST:
        return None
    bases = [_class(resolver, inner.parent, base) for base in inner.node.bases]
    return _method(resolver, bases[0], name, depth + 1) if len(bases) == 1 and bases[0] is not None else None


def _set_otherwise(resolver: ResolverView, cls: Scope, name: str, depth: int) -> bool:
    """Whether some file sets the method of the class, or of what may be that, to what may give something else."""
    for file in resolver.project.elsewhere.storing(None, name, False):
        other = resolver.project.load(file)
        for at in occurrences(other, name):
            node, owner = at.chain[0], sets_by_text(at)
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                owner = node.value
            if owner is None:
                continue
            resolver.read((file,))
            scope = resolver.scope(other, at.around)
            if isinstance(owner, str) or not _is_another_class(resolver, scope, owner, cls):
                if not _gives_by(resolver, scope, at, cls, depth):
                    return True
    return False


def _is_another_class(resolver: ResolverView, scope: Scope, owner: ast.expr, cls: Scope) -> bool:
    """Whether what has the method set is not that class for sure: another, or something of a package that is not in
    sight."""
    return all(
        isinstance(one, (External, TritonObject))
        or isinstance(one, Bound)
        and isinstance(one.event.node, ast.ClassDef)
        and one.event.node is not cls.node
        or one is None
        and isinstance(owner, ast.Name)
        and _is_foreign(resolver, scope, owner.id)
        for one in meanings(resolver, scope, owner)
    )


def _is_foreign(resolver: ResolverView, scope: Scope, name: str) -> bool:
    """Whether a name is only ever imported from packages that are nowhere in sight."""
    where, events = binding(scope, name) or (scope, [])
    for event in events:
        node = event.node
        if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
            return False
        if resolver.project.locate(node.module.partition(".")[0], where.module.file) is not None:
            return False
    return bool(events)


def _gives_by(resolver: ResolverView, scope: Scope, at: Occurrence, cls: Scope, depth: int) -> bool:
    """Whether what is set there is a class method that gives such an object."""
    call = at.chain[1] if len(at.chain) > 1 else None
    value = at.statement.value if isinstance(at.statement, ast.Assign) else None
    if isinstance(call, ast.Call):
        value = call.args[2] if len(call.args) == 3 else None
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return False
    made = meaning(resolver, scope, value.func)
    if not isinstance(made, External) or made.path != "builtins.classmethod":
        return False
    given = value.args[0]
    if isinstance(given, ast.Lambda):
        return gives(resolver, scope, given.body, Called(_first(given), cls), depth + 1)
    found = meaning(resolver, scope, given)
    function = found.event.node if isinstance(found, Bound) else None
    if not isinstance(found, Bound) or not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    return _returns(resolver, resolver.inner(found.scope, function), function, Called(_first(function), cls), depth)
