"""What a dotted name means by its spelling alone: followed through scopes and imports to the one statement that binds
it, or to a library's path. What several statements may bind is not known.

Evaluates nothing, so that ``touches`` can ask while values are being found.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import External, ModuleValue, Scope, TritonObject
from kernel_analysis.host.names.named_once import named_once
from kernel_analysis.record import record
from kernel_analysis.source.text_search.words import places
from kernel_analysis.source.tree.scopes import Event

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_BUILTINS = frozenset(dir(builtins))
_DEEPEST = 8
_STAR = re.compile(r"\bimport\s*(?:\\\s*)*\*")


@record
class Bound:
    """A name of a scope of the user's, with the statement that binds it."""

    scope: Scope
    name: str
    event: Event


def meaning(
    resolver: ResolverView, scope: Scope, node: ast.expr
) -> Bound | ModuleValue | External | TritonObject | None:
    """What a dotted name means; None for any other expression, and where that is not plain to see."""
    if isinstance(node, ast.Name):
        return named(resolver, scope, node.id)
    if isinstance(node, ast.Attribute):
        owner = meaning(resolver, scope, node.value)
        return None if owner is None or isinstance(owner, Bound) else _member(resolver, owner, node.attr, 0)
    return None


def named(
    resolver: ResolverView, scope: Scope, name: str, depth: int = 0
) -> Bound | ModuleValue | External | TritonObject | None:
    """What a name means in a scope."""
    current: Scope | None = scope
    while current is not None:
        if current is scope or not isinstance(current.node, ast.ClassDef):
            events = current.table.events.get(name, [])
            if events or isinstance(current.node, ast.Module) and _stars_may_bind(resolver, current, name, depth):
                plain = len(events) == 1 or len(events) > 1 and all(map(_imports_package, events))
                return _bound(resolver, current, name, events[0], depth) if plain else None
        current = current.parent
    return External(f"builtins.{name}") if name in _BUILTINS else None


def meanings(
    resolver: ResolverView, scope: Scope, node: ast.expr, depth: int = 0
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    """All that a dotted name may mean, further names followed to what they were made of; None among them: something
    that is not in sight."""
    if isinstance(node, (ast.IfExp, ast.BoolOp)):
        parts = (node.body, node.orelse) if isinstance(node, ast.IfExp) else node.values
        return _each_once(m for part in parts for m in meanings(resolver, scope, part, depth + 1))
    if isinstance(node, ast.Constant):
        return []
    if isinstance(node, (ast.Call, ast.Subscript)):
        return [_by_text(resolver, scope, node)]
    if isinstance(node, ast.Attribute):
        found: list[Bound | ModuleValue | External | TritonObject | None] = []
        for owner in meanings(resolver, scope, node.value, depth):
            if owner is None or isinstance(owner, Bound):
                found += [] if owner is not None and _is_none(owner.event) else [None]
            else:
                found += _members(resolver, owner, node.attr, depth)
        return _each_once(m for one in found for m in _origins(resolver, one, depth))
    if isinstance(node, ast.Name):
        name, bound = node.id, binding(scope, node.id)
        if bound is None:
            return [named(resolver, scope, name)]
        where, events = bound
        return named_once(
            resolver, where, ("meanings", name, depth), lambda: _named(resolver, where, name, events, depth)
        )
    return [None]


def _named(
    resolver: ResolverView, where: Scope, name: str, events: list[Event], depth: int
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    found = [m for event in events for m in _bounds(resolver, where, name, event, depth)]
    found += [] if events else _from_stars(resolver, where, name, depth)
    return _each_once(m for one in found for m in _origins(resolver, one, depth))


def _each_once(
    found: Iterable[Bound | ModuleValue | External | TritonObject | None],
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    """What is come to in several ways is one meaning: there are more ways than there is text."""
    seen: dict[object, Bound | ModuleValue | External | TritonObject | None] = {}
    for one in found:
        seen.setdefault((id(one.scope), one.name, id(one.event)) if isinstance(one, Bound) else one, one)
    return [*seen.values()]


def _is_none(event: Event) -> bool:
    """``tl = None``, which has nothing: who takes something of it gets no further."""
    return event.how == "assign" and isinstance(event.value, ast.Constant) and event.value.value is None


def _bounds(
    resolver: ResolverView, scope: Scope, name: str, event: Event, depth: int
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    """All that one binding may mean."""
    if isinstance(event.node, ast.ImportFrom) and event.alias is not None and depth <= _DEEPEST:
        source = resolver.import_module("." * event.node.level + (event.node.module or ""), scope.module)
        if isinstance(source, ModuleValue) and source.file != scope.module.file:
            return _members(resolver, source, event.alias.name, depth + 1)
    return [_bound(resolver, scope, name, event, depth)]


def _members(
    resolver: ResolverView, owner: ModuleValue | External | TritonObject, name: str, depth: int
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    if isinstance(owner, ModuleValue) and owner.file is not None and _may_bind(resolver, owner.file, name):
        scope = resolver.scope(resolver.project.load(owner.file))
        if name in scope.table.events or scope.table.stars:
            return named_once(
                resolver, scope, ("members", name, depth), lambda: _members_there(resolver, scope, name, depth)
            )
    return [_member(resolver, owner, name, depth)]


def _members_there(
    resolver: ResolverView, scope: Scope, name: str, depth: int
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    events = scope.table.events.get(name, ())
    if events:
        return _each_once(m for event in events for m in _bounds(resolver, scope, name, event, depth + 1))
    return _each_once(_from_stars(resolver, scope, name, depth + 1))


def _may_bind(resolver: ResolverView, file: str, name: str) -> bool:
    """Whether a statement of a file, or an ``import *`` of it, may bind a name, at a glance: a package may bring in
    hundreds of files, which none of them has to be parsed for that have no such word."""
    says = resolver.project.says
    return says(file, _has_name, name) or says(file, _has_star)


def _has_name(text: str, name: str) -> bool:
    """Whether there is more of it than attributes and parts of dotted names, which bind nothing."""
    return any(text[place - 1 : place] != "." for place in places(text, name))


def _has_star(text: str) -> bool:
    return _STAR.search(text) is not None


def _from_stars(
    resolver: ResolverView, scope: Scope, name: str, depth: int
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    """What ``import *`` may bind a name to."""
    found: list[Bound | ModuleValue | External | TritonObject | None] = []
    for event in scope.table.stars if depth <= _DEEPEST else ():
        assert isinstance(event.node, ast.ImportFrom)
        source = resolver.import_module("." * event.node.level + (event.node.module or ""), scope.module)
        if isinstance(source, ModuleValue) and source.file is not None and source.file != scope.module.file:
            found += _members(resolver, source, name, depth + 1)
    return found or [None]


def _stars_may_bind(resolver: ResolverView, scope: Scope, name: str, depth: int) -> bool:
    """Whether ``import *`` may bind a name: one of a library does, and so does what binds it where it is from."""
    if not scope.table.stars:
        return False
    if depth > _DEEPEST:
        return True
    return named_once(resolver, scope, ("stars", name, depth), lambda: _is_starred(resolver, scope, name, depth))


def _is_starred(resolver: ResolverView, scope: Scope, name: str, depth: int) -> bool:
    for event in scope.table.stars:
        assert isinstance(event.node, ast.ImportFrom)
        source = resolver.import_module("." * event.node.level + (event.node.module or ""), scope.module)
        if not isinstance(source, ModuleValue) or source.file is None:
            return True
        inner = resolver.scope(resolver.project.load(source.file))
        bound = name in inner.table.events or _stars_may_bind(resolver, inner, name, depth + 1)
        if bound or resolver.touches.replaced(inner, name):
            return True
    return False


def _origins(
    resolver: ResolverView, found: Bound | ModuleValue | External | TritonObject | None, depth: int
) -> list[Bound | ModuleValue | External | TritonObject | None]:
    """What a further name of something stands for."""
    if not isinstance(found, Bound) or found.event.how != "assign" or found.event.value is None:
        return [found]
    value = found.event.value
    if depth > _DEEPEST or not isinstance(value, (ast.Name, ast.Attribute, ast.IfExp, ast.BoolOp)):
        module = _by_text(resolver, found.scope, value)
        return [found if module is None else module]
    return meanings(resolver, found.scope, value, depth + 1)


def _by_text(resolver: ResolverView, scope: Scope, node: ast.expr) -> ModuleValue | None:
    """``importlib.import_module("config")``, ``sys.modules["config"]``."""
    text: ast.expr | None = None
    if isinstance(node, ast.Call) and node.args and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
        "import_module", "__import__", "resolve_name"
    ):  # fmt: skip
        text = node.args[0]
    elif isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "modules":
        text = node.slice
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return None
    found = resolver.import_module(text.value, scope.module)
    return found if isinstance(found, ModuleValue) else None


def binding(scope: Scope, name: str) -> tuple[Scope, list[Event]] | None:
    """The scope that binds a name for code in another, and all that binds it there."""
    current: Scope | None = scope
    while current is not None:
        if current is scope or not isinstance(current.node, ast.ClassDef):
            # What is augmented was there before.
            events = [event for event in current.table.events.get(name, []) if event.how != "augment"]
            if events:
                return current, events
            if current.table.stars and isinstance(current.node, ast.Module):
                return current, []
        current = current.parent
    return None


def imported_as(scope: Scope, name: str) -> list[str]:
    """The modules that a name stands for as the statements that bind it call them: none where it is not bound by
    ``import`` alone."""
    found = binding(scope, name)
    aliases = [e.alias if isinstance(e.node, ast.Import) else None for e in found[1]] if found is not None else []
    said = [alias.name if alias.asname else alias.name.split(".")[0] for alias in aliases if alias is not None]
    return said if len(said) == len(aliases) else []


def not_followed(resolver: ResolverView, scope: Scope, name: str) -> bool:
    """Whether a file of the workspace hands a name on that could not be followed to what it stands for."""
    found = binding(scope, name)
    for event in found[1] if found is not None else ():
        if isinstance(event.node, ast.ImportFrom):
            dotted = "." * event.node.level + (event.node.module or "")
            source = resolver.import_module(dotted, scope.module)
            if isinstance(source, ModuleValue) and source.file is not None:
                return True
    return False


def _imports_package(event: Event) -> bool:
    """``import torch.nn``, which binds ``torch`` as ``import torch`` does."""
    return isinstance(event.node, ast.Import) and event.alias is not None and event.alias.asname is None


def _bound(
    resolver: ResolverView, scope: Scope, name: str, event: Event, depth: int
) -> Bound | ModuleValue | External | TritonObject | None:
    node, alias = event.node, event.alias
    if alias is None:
        return Bound(scope, name, event)
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.ImportFrom):
        source = resolver.import_module("." * node.level + (node.module or ""), scope.module)
        known = isinstance(source, (ModuleValue, External, TritonObject))
        if isinstance(source, ModuleValue) and source.file == scope.module.file:
            # `from . import part` in the package's own file: its name for the part is this very one.
            return _part(resolver, source, alias.name)
        return _member(resolver, source, alias.name, depth) if known else None
    made = resolver.import_module(alias.name if alias.asname else alias.name.split(".")[0], scope.module)
    return made if isinstance(made, (ModuleValue, External, TritonObject)) else None


def _member(
    resolver: ResolverView, owner: ModuleValue | External | TritonObject, name: str, depth: int
) -> Bound | ModuleValue | External | TritonObject | None:
    if isinstance(owner, External):
        # A function of a library has the module that it is of as its own object.
        return External(owner.path.rpartition(".")[0] if name == "__self__" else f"{owner.path}.{name}")
    if isinstance(owner, TritonObject):
        return TritonObject(f"{owner.path}.{name}")
    if owner.file is not None and resolver.project.says(owner.file, _has_name, name):
        scope = resolver.scope(resolver.project.load(owner.file))
        if name in scope.table.events:
            return named(resolver, scope, name, depth + 1)
    return _part(resolver, owner, name)


def _part(resolver: ResolverView, owner: ModuleValue, name: str) -> ModuleValue | None:
    """A module of a package."""
    dotted = f"{owner.name}{'' if owner.name.endswith('.') else '.'}{name}"
    located = resolver.project.locate(dotted, owner.importer)
    return None if located is None else ModuleValue(dotted, located.file, owner.importer)
