"""What was found out of the launches of a file, kept while somebody edits the bodies of kernels: the same call in the
same host code, of a function that is the same tree. Keeps trees, and so of the last few texts only.

Decides nothing: it gives what was found before, read in the file as it is now.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.decorators.layers import Stack, stack
from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.host.tensors.placing import place
from kernel_analysis.kernels.kept.kept_by_function import KeptByFunction
from kernel_analysis.kernels.project import Project
from kernel_analysis.record import record
from kernel_analysis.report import Finding
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.module import Module

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_MOST = 4096
_MOST_TEXTS = 16
Group: TypeAlias = "list[tuple[JitFunction, Launch]]"
"""The launches that are one call."""


@record
class KeptLaunch:
    """``trees`` are held, so that nothing else has their ``id``; ``files``: those that it was read from; ``findings``:
    what rules say of it, each with the files that they read."""

    trees: tuple[ast.AST, ...]
    found: tuple[Certain, ...]
    files: frozenset[str]
    findings: dict[str, tuple[list[Finding], frozenset[str]]] = field(
        default_factory=dict[str, "tuple[list[Finding], frozenset[str]]"]
    )


@record
class _KeptStack:
    tree: ast.FunctionDef
    found: Stack | None
    files: frozenset[str]


class KeptLaunches:
    def __init__(self) -> None:
        # Nothing is the same object again once it was another.
        self._known: KeptByFunction[KeptLaunch] = KeptByFunction(_MOST, 1)
        self._stacks: KeptByFunction[_KeptStack] = KeptByFunction(_MOST, 2)
        self._found_in: dict[Hashable, Module] = {}
        self._last: Module | None = None

    def of(self, project: Project, file: str, group: Group, find: Callable[[], list[Certain]]) -> KeptLaunch:
        """What one call launches for sure, as ``find`` gives it, or gave it."""
        call = group[0][1].call
        key = id(call), project.host_changes, *((id(function.node), launch.unseen) for function, launch in group)
        whose = file, call.lineno, call.col_offset
        known = self._known.get(whose, key)
        if known is None:
            with project.resolver.reading() as files:
                found = find()
            known = KeptLaunch((call, *(function.node for function, _ in group)), tuple(found), frozenset(files))
            self._hold(whose, project.load(file))
            self._known.keep(whose, key, known)
        else:
            project.resolver.read(known.files)
        return known

    def stack(self, project: Project, function: JitFunction) -> Stack | None:
        """What stands on a function."""
        key, whose = (id(function.node), project.host_changes), (function.file, function.qualname)
        known = self._stacks.get(whose, key)
        if known is not None:
            project.resolver.read(known.files)
            if known.found is None:
                return None
            scope = _scope(project.resolver, known.found.scope)
            if scope is not None:
                return replace(known.found, function=function, scope=scope)
        with project.resolver.reading() as files:
            found = stack(project.resolver, function)
        self._hold(whose, project.load(function.file))
        self._stacks.keep(whose, key, _KeptStack(function.node, found, frozenset(files)))
        return found

    def _hold(self, whose: Hashable, module: Module) -> None:
        """What is found holds the text that it was found in: of many kernels that were edited in turn, each its own."""
        self._found_in[whose] = module
        if module is not self._last:
            self._last = module
            if len({id(known) for known in self._found_in.values()}) > _MOST_TEXTS:
                self._known.let_go()
                self._stacks.let_go()
                self._found_in = {whose: module}


def as_now(
    project: Project, module: Module, known: KeptLaunch, group: Group, find: Callable[[], list[Certain]]
) -> list[Certain]:
    """The launches in the file as it is now: their names are looked up in that."""
    if all(one.at.scope.module is module for one in known.found):
        return [*known.found]
    functions = {id(function.node): (function, launch) for function, launch in group}
    found: list[Certain] = []
    for one in known.found:
        function, launch = functions[id(one.function.node)]
        at, scope = place(project.resolver, module, launch.call), _scope(project.resolver, one.stack.scope)
        if at is None or scope is None:
            return find()
        found.append(replace(one, launch=launch, at=at, stack=replace(one.stack, function=function, scope=scope)))
    return found


def _scope(resolver: ResolverView, scope: Scope) -> Scope | None:
    """The scope of the same statements in the file as it is now."""
    module = resolver.project.load(scope.module.file)
    if module is scope.module:
        return scope
    around: list[ast.AST] = []
    current = scope
    while current.parent is not None:
        around.insert(0, current.node)
        current = current.parent
    if current.locals is not None or current.node is not scope.module.tree:
        return None
    return resolver.scope(module, tuple(around))
