"""What ``from x import *`` brings in under a name. Looks at files and syntax only, as the resolver does."""

from __future__ import annotations

import ast
import builtins
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import Definition, Items, ModuleValue, Scope, Unknown
from kernel_analysis.host.names import guards
from kernel_analysis.host.names.imports import circles
from kernel_analysis.host.names.imports.packages import HANDED_ON, triton_has
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.scopes import Event

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_BUILTINS = frozenset(dir(builtins))


def brought(resolver: ResolverView, scope: Scope, name: str, stars: list[Event]) -> Definition | None:
    """What ``from x import *`` brings in under that name."""
    why: set[str] = set()
    for event in reversed(stars):
        answered: set[str] = set()
        with resolver.aside(answered):
            happened, undecided = guards.happens(resolver, scope, event)
        elsewhere = answered.union(guards.elsewhere(resolver, scope, event))
        if happened is False and not elsewhere:
            continue
        found = _brought(resolver, scope, name, event)
        if found is None:
            continue
        if found.value == HANDED_ON.get(name) and name in scope.table.events:
            return found  # Triton's own, whichever of them it is from
        why |= elsewhere
        if happened is None:
            why.add(f"it depends on {undecided}")
        if happened is False:
            continue  # here; elsewhere it may be the one
        if name in scope.table.events and found.module is not scope.module:
            if circles.reaches(resolver, found.module, scope.module):
                why.add(f"`{found.module.name}` and `{scope.module.name}` import each other")
        if name in scope.module.reassigned:
            why.add(f"`{name}` is set by a function with a `global` statement")
        resolver.note(*why)
        return replace(found, others=None) if why else found
    resolver.note(*why)
    return None


def _brought(resolver: ResolverView, scope: Scope, name: str, event: Event) -> Definition | None:
    node = event.node
    assert isinstance(node, ast.ImportFrom)
    source = resolver.import_module("." * node.level + (node.module or ""), scope.module)
    if isinstance(source, TritonObject):
        if not name.startswith("_") and triton_has(resolver, f"{source.path}.{name}"):
            return Definition(TritonObject(f"{source.path}.{name}"), scope.module, node)
    elif isinstance(source, ModuleValue) and source.file is not None:
        target = resolver.scope(resolver.project.load(source.file))
        resolver.read((source.file,))
        exported = resolver.in_scope(target, "__all__") if name != "__all__" else None
        if exported is not None and isinstance(exported.value, Items):
            if not any(listed == name for listed in exported.value.values):
                return None
        elif name.startswith("_"):
            return None
        elif exported is not None and not (isinstance(exported.value, Unknown) and exported.value.missing):
            resolver.note(f"`__all__` of `{source.name}` is not known")
        found = resolver.in_scope(target, name)
        if found is not None and not (isinstance(found.value, Unknown) and found.value.missing):
            return found
        if found is not None and name in target.table.events:
            # From a module that is not there: where the code runs, it is.
            resolver.note(f"`{name}` may be what `{source.name}` has by that name")
        if name in _BUILTINS:
            resolver.hidden(target, name)
        else:
            _unspelled(resolver, target, source, name)
    elif isinstance(source, ModuleValue):
        _inner(resolver, source, name)
    elif not name.startswith("_"):
        return _not_in_sight(resolver, scope, name, node, isinstance(source, Unknown) and source.missing)
    return None


def _not_in_sight(
    resolver: ResolverView, scope: Scope, name: str, node: ast.ImportFrom, missing: bool
) -> Definition | None:
    """What a star may bring in of which no text says what it has: a library's file is not looked at, another package is
    not there (``missing``)."""
    if name in HANDED_ON:
        # Only Triton's own modules go by these names. Of a file that has one itself it stays that.
        if missing and not node.level and name not in scope.table.events:
            return Definition(HANDED_ON[name], scope.module, node)
        return None
    resolver.note(f"`{name}` may be another by the `import *` on {scope.module.at(node.lineno)}")
    return None


def _inner(resolver: ResolverView, source: ModuleValue, name: str) -> None:
    """Notes that a name may be a module of the package: a star brings those in that somebody has imported."""
    inner = f"{source.name}{'' if source.name.endswith('.') else '.'}{name}"
    resolver.read(resolver.project.looked_for(inner, source.importer))
    if resolver.project.locate(inner, source.importer) is not None:
        resolver.note(f"`{name}` may be the module `{inner}`")


def _unspelled(resolver: ResolverView, target: Scope, source: ModuleValue, name: str) -> None:
    """Notes that a module may have a name which none of its statements binds: ``globals()[text] = 1``, a module of its
    package, what stands where its text is broken or can't be read."""
    module = target.module
    resolver.touches.unbound(target, name)
    if name in module.reassigned:
        resolver.note(f"`{name}` is set in `{source.name}` by a `global` statement")
    if "__getattr__" in target.table.events:
        resolver.note(f"`{name}` may be what `__getattr__` of `{source.name}` gives")
    if module.is_broken_name(name):
        resolver.note(f"`{name}` stands in a part of `{source.name}` that has a syntax error")
    if module.note is not None and not module.text:
        resolver.note(f"`{name}` may be in `{source.name}`, which can't be read")
    if os.path.basename(module.file) == "__init__.py":
        _inner(resolver, source, name)
