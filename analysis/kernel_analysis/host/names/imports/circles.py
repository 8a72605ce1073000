"""Modules that import each other: who reads the other's names while it is being imported has them as they are by then.

Looks at import statements only.
"""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from kernel_analysis.source.tree.nodes import statements

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ProjectView, ResolverView
    from kernel_analysis.source.module import Module

_MOST_FILES = 200
"""That are looked at for one answer. Where there are more, a circle is not ruled out."""


def bound_before(resolver: ResolverView, module: Module, target: Module, name: str, contents: bool) -> None:
    """Notes that a module may have what another binds first under a name that is bound again there. ``contents``: it
    stands for what can be changed. Who imports itself has its names as they are by then."""
    events = target.table.events.get(name, ())
    again = len(events) > 1 and any(not event.guards for event in events) or events and target.table.stars
    again = again or contents and resolver.touches.made(resolver.scope(target), name)
    if target is module:
        if again:
            resolver.note(f"`{module.name}` imports itself, and `{name}` may be another by then")
    elif again and reaches(resolver, target, module):
        resolver.note(
            f"`{target.name}` and `{module.name}` import each other, and `{name}` is bound, or changed, more than once"
        )


def in_itself(resolver: ResolverView, file: str | None, name: str) -> None:
    """Notes that a module which imports itself on the way may lack a name when it is asked whether it has it."""
    if file is not None:
        target = resolver.project.load(file)
        if reaches(resolver, target, target):
            resolver.note(f"`{target.name}` is imported while it imports others, and may have no `{name}` by then")


def reaches(resolver: ResolverView, start: Module, goal: Module) -> bool:
    """Whether importing one module may import the other on the way."""
    seen, todo = {start.file}, [start.file]
    while todo:
        found = resolver.imports.of(todo.pop())
        resolver.read(found)
        if goal.file in found:
            return True
        more = found - seen
        seen |= more
        if len(seen) > _MOST_FILES:
            return True
        todo += sorted(more)
    return False


class Imports:
    """What files import; known for as long as none changes, as there are far more than there can be trees of."""

    def __init__(self, project: ProjectView) -> None:
        self._project = project
        self._known: dict[str, frozenset[str]] = {}
        self._as_of = -1

    def of(self, file: str) -> frozenset[str]:
        """The files that importing one imports at once."""
        if self._as_of != self._project.host_changes:
            self._known.clear()
            self._as_of = self._project.host_changes
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = _imported(self._project, self._project.load(file))
        return known


def _names(module: Module) -> frozenset[str]:
    """What the module's own import statements may import, as they spell it; a function's are run later."""
    names: set[str] = set()
    for node, around in statements(module):
        if any(isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)) for outer in around):
            continue
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            names.add(base)
            names.update(f"{base}{'' if base.endswith('.') else '.'}{alias.name}" for alias in node.names)
    return frozenset(names)


def _imported(project: ProjectView, module: Module) -> frozenset[str]:
    """The files of that, as far as they are there by now."""
    found: set[str] = set()
    # What is installed imports nothing of the workspace.
    near = tuple(root.rstrip(os.sep) + os.sep for root in (*project.roots, os.path.dirname(module.file)))
    for name in _names(module):
        dots = len(name) - len(name.lstrip("."))
        parts = name[dots:].split(".")
        for end in range(1, len(parts) + 1):
            located = project.find_module("." * dots + ".".join(parts[:end]), module.file)
            if located is not None and located.startswith(near):
                found.add(located)
    return frozenset(found)
