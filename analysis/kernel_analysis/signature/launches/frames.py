"""What expressions at a launch mean: one who answers for all launches of a file, for as long as nothing has changed
that the answers rest on. Evaluates nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from kernel_analysis.signature.launches.host import STEPS, Host
from kernel_analysis.source.tree import scopes

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project
    from kernel_analysis.signature.launches.frame import Entry, Frame

_LEVELS: Final = 2


def frame(
    project: Project,
    file: str,
    functions: Sequence[scopes.FunctionNode],
    at: tuple[int, int],
    entry: Entry | None = None,
) -> Frame:
    """What expressions at a place (line and column) of a file mean, in these functions, the innermost last; ``entry``:
    the call by which that was entered."""
    return project.load(file).keeps(_HostOfFile).of(project).frame(file, functions, at, _LEVELS, entry)


class _HostOfFile:
    """Who answers for the launches of a file, kept with that as of an epoch of the project: they ask much the same, of
    the calls of the functions around them."""

    def __init__(self) -> None:
        self._host: Host | None = None
        self._epoch = -1

    def of(self, project: Project) -> Host:
        """With all its steps before it."""
        if self._host is None or self._epoch != project.epoch:
            self.forget()
            self._host, self._epoch = Host(project), project.epoch
        self._host.left = STEPS
        return self._host

    def forget(self) -> None:
        if self._host is not None:
            self._host.frames.clear()  # they are in a circle with it, and hold trees
        self._host = None
