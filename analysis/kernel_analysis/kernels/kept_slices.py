"""The slices of functions to which nothing happened while another was edited: the same trees in the same host code.
Keeps trees, and so it forgets whenever they are let go."""

from __future__ import annotations

import ast
from collections import OrderedDict
from typing import TYPE_CHECKING

from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

if TYPE_CHECKING:
    from kernel_analysis.kernels.project_view import FilesView

_ENTRIES = 256
_OF_ONE = 4
"""For one function: there may be two with its name."""
_NAME = slice(3, 5)
"""Where its file and its name are in what is written."""


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
        self._known: OrderedDict[int, _Kept] = OrderedDict()

    def of(self, function: JitFunction) -> Slice | None:
        """The slice that was cut of the same function before, if it would be cut so again."""
        # Whoever holds the tree of a function keeps its `id` from others.
        known = self._known.get(id(function.node))
        if known is None or not self._stands(known, function):
            return None
        self._known.move_to_end(id(function.node))
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
        self._known[id(function.node)] = _Kept(written, host, launches, nodes, slice_, tuple(sorted(notes)))
        name = written[_NAME]
        # Those of some texts ago are cut no more, and hold their trees.
        of_it = [at for at, known in self._known.items() if known.written[_NAME] == name]
        for at in of_it[:-_OF_ONE]:
            del self._known[at]
        if len(self._known) > _ENTRIES:
            self._known.popitem(last=False)

    def _launches(self, function: JitFunction) -> tuple[object, ...]:
        return tuple(launch.at for launch in self._project.launches_of(function))

    def let_go(self) -> None:
        """Hold no trees."""
        self._known.clear()


def _written(function: JitFunction) -> tuple[object, ...]:
    """What is asked of a function beside its tree, as it is now: another file may put an autotuner on it. Expressions
    are the same where they are the same object."""
    kind = (function.gluon, function.autotuned, function.decorated)
    return (*kind, function.file, function.qualname, function.scope, {**function.options}, [*function.wrappers])
