"""The slices of functions to which nothing happened while another was edited: the same trees in the same host code.
Keeps trees, and so it forgets whenever they are let go."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.kernels.kept.kept_by_function import KeptByFunction
from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

if TYPE_CHECKING:
    from kernel_analysis.kernels.project_view import FilesView

_FUNCTIONS = 1024


@record
class _Kept:
    """``host``: the state of all host code; ``nodes``: the jit functions in it, each with its file; ``notes``: why what
    was found on the way may be something else."""

    written: tuple[object, ...]
    host: int
    launches: tuple[object, ...]
    nodes: tuple[tuple[str, ast.AST], ...]
    slice: Slice
    notes: tuple[str, ...]


class KeptSlices:
    def __init__(self, project: FilesView) -> None:
        self._project = project
        self._known: KeptByFunction[_Kept] = KeptByFunction(_FUNCTIONS)

    def of(self, function: JitFunction) -> Slice | None:
        """The slice that was cut of the same function before, if it would be cut so again."""
        # Whoever holds the tree of a function keeps its `id` from others.
        known = self._known.get(_whose(function), id(function.node))
        if known is None or not self._stands(known, function):
            return None
        self._project.resolver.read(known.slice.files)
        self._project.resolver.note(*known.notes)
        return known.slice

    def _stands(self, known: _Kept, function: JitFunction) -> bool:
        project = self._project
        if known.host != project.host_changes or known.written != _written(function):
            return False
        return known.launches == self._launches(function) and all(project.has_jit(*where) for where in known.nodes)

    def keep(
        self, function: JitFunction, slice_: Slice, nodes: tuple[tuple[str, ast.AST], ...], notes: set[str]
    ) -> None:
        """``nodes``: of the jit functions in the slice, as they stand in their files."""
        # As it was when it was cut: who looks for its launches may find an autotuner.
        written, host = _written(function), self._project.host_changes
        launches = self._launches(function)
        kept = _Kept(written, host, launches, nodes, slice_, tuple(sorted(notes)))
        self._known.keep(_whose(function), id(function.node), kept)

    def _launches(self, function: JitFunction) -> tuple[object, ...]:
        return tuple(launch.at for launch in self._project.launches_of(function))

    def let_go(self) -> None:
        """Hold no trees."""
        self._known.let_go()


def _whose(function: JitFunction) -> tuple[str, str]:
    return function.file, function.qualname


def _written(function: JitFunction) -> tuple[object, ...]:
    """What is asked of a function beside its tree, as it is now: another file may put an autotuner on it. Expressions
    are the same where they are the same object."""
    kind = (function.gluon, function.autotuned, function.decorated)
    return (*kind, function.file, function.qualname, function.scope, {**function.options}, [*function.wrappers])
