"""What ``from x import *`` brings in under a name. Looks at files and syntax only, as the resolver does."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import Definition, External, Items, ModuleValue, Scope, Unknown
from kernel_analysis.host.names import circles, guards
from kernel_analysis.host.names.packages import triton_has
from kernel_analysis.source.scopes import Event
from kernel_analysis.source.slice import TritonObject

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver

_BUILTINS = frozenset(dir(builtins))


def brought(resolver: Resolver, scope: Scope, name: str, stars: list[Event]) -> Definition | None:
    """What ``from x import *`` brings in under that name."""
    why: set[str] = set()
    for event in reversed(stars):
        with resolver.aside(why):
            happened, undecided = guards.happens(resolver, scope, event)
        elsewhere = guards.elsewhere(resolver, scope, event)
        if happened is False and not elsewhere:
            continue
        found = _brought(resolver, scope, name, event)
        if found is None:
            continue
        why.update(elsewhere)
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
    return None


def _brought(resolver: Resolver, scope: Scope, name: str, event: Event) -> Definition | None:
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
        if name in _BUILTINS:
            resolver.hidden(target, name)
        else:
            _unspelled(resolver, target, source.name, name)
    elif isinstance(source, External) and not name.startswith("_"):
        # What is in a library's file is not looked at.
        resolver.note(f"`{name}` may be another by the `import *` on {scope.module.at(node.lineno)}")
    return None


def _unspelled(resolver: Resolver, target: Scope, module: str, name: str) -> None:
    """Notes that a module may have a name which none of its statements binds: ``globals()[text] = 1``."""
    resolver.touches.unbound(target, name)
    if name in target.module.reassigned:
        resolver.note(f"`{name}` is set in `{module}` by a `global` statement")
    if "__getattr__" in target.table.events:
        resolver.note(f"`{name}` may be what `__getattr__` of `{module}` gives")
