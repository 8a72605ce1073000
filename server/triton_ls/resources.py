"""What kernels take of the GPU: found out when somebody asks, and known from then on.

Holds what was found; who may be shown it is asked of the facts (``Compiled.holds_for``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from triton_ls.reports import Compiled


class _Stage(Protocol):
    def __call__(self, file: str, qualname: str, stage: str, patience: float) -> Awaitable[Compiled]: ...


class KnownResources:
    """``stage``: has a kernel compiled; ``target(file)``: for which GPU."""

    def __init__(self, stage: _Stage, target: Callable[[str], str]) -> None:
        self._stage, self._target = stage, target
        self._found: dict[tuple[str, str], Compiled] = {}

    async def find(self, file: str, qualname: str, patience: float) -> Compiled:
        """Compile a kernel to the end, in at most so many seconds. ``AgentError``."""
        target = self._target(file)
        found = await self._stage(file, qualname, "resources", patience)
        if self._target(file) == target:
            self._found[file, qualname] = found
        return found

    def of(self, file: str) -> dict[str, Compiled]:
        """The kernels of a file that were compiled to the end, by qualified name."""
        return {qualname: made for (where, qualname), made in self._found.items() if where == file}

    def forget(self) -> None:
        """The settings are others."""
        self._found.clear()
