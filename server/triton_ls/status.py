"""What the server is at, for an editor that shows it: ready, compiling, or degraded and why.

Looks at the session while there is work and tells the client when something changed. May not change anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from triton_ls.scheduler import Scheduler
from triton_ls.settings import Settings

METHOD = "triton-ls/status"
_STEP = 0.1


@dataclass(frozen=True, slots=True)
class Status:
    """``kernels``: left to compile. ``triton``: its version in ``python``, if there is one that is known."""

    state: Literal["ready", "compiling", "degraded"]
    kernels: int
    message: str
    python: str
    triton: str | None
    target: str


def status_of(scheduler: Scheduler | None, left: int, settings: Settings) -> Status:
    """Of the agents of a file that is looked at, while so many kernels are left to compile."""
    identity = scheduler.identity.result() if scheduler is not None and scheduler.identity.done() else None
    python = (identity.executable if identity is not None else "") or settings.interpreter
    triton = None if identity is None else identity.triton
    if scheduler is not None and scheduler.trouble is not None:
        return Status("degraded", left, scheduler.trouble, python, triton, settings.target)
    if left:
        message = f"compiling {left} kernel{'s' * (left != 1)}"
        return Status("compiling", left, message, python, triton, settings.target)
    if scheduler is None:
        return Status("ready", 0, "no file with kernels is open", python, None, settings.target)
    missing = scheduler.protection.missing if scheduler.protection is not None else ()
    message = " ".join([f"Triton {triton}, {settings.target}{'.' if missing else ''}", *missing])
    return Status("ready", 0, message, python, triton, settings.target)


class StatusReporter:
    """``look()`` is what there is to say now; ``busy()``: whether that may change by itself."""

    def __init__(
        self, look: Callable[[], Status], busy: Callable[[], bool], send: Callable[[dict[str, Any]], None]
    ) -> None:
        self._look, self._busy, self._send = look, busy, send
        self._last: Status | None = None
        self._task: asyncio.Task[None] | None = None

    def touch(self) -> None:
        """Something may have changed."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._follow())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(0)  # whoever touched us has yet to finish
            status = self._look()
            if status != self._last:
                self._last = status
                self._send(asdict(status))
            # Once more after the work: its end is told to nobody else.
            if not self._busy() and status.state != "compiling":
                return
            await asyncio.sleep(_STEP)
