"""How long to wait before another agent is started, after agents that died without a kernel to blame.

Longer after each, up to a limit; any sign of life ends it. May not start anything.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

_FIRST = 0.5
_LONGEST = 60.0
_LONGEST_WITH_WORK = 3.0
"""When somebody waits for an answer, or has just edited a file."""
_TROUBLE = 3
_STORM = 10.0
"""Seconds after such a death in which one over a kernel proves nothing against the kernel."""


class Backoff:
    """``wanted()``: whether there is work for an agent."""

    def __init__(self, wanted: Callable[[], bool]) -> None:
        self.deaths = 0
        self._wanted = wanted
        self._reason = ""
        self._last = -math.inf
        self._stirred = asyncio.Event()

    @property
    def trouble(self) -> str | None:
        """What the user has to know, if there is something."""
        if self.deaths < _TROUBLE:
            return None
        return (
            f"The analysis process dies again and again ({self._reason}). It is started anew after a pause, of "
            f"{_LONGEST_WITH_WORK:g} s at most when a file is edited."
        )

    @property
    def calm(self) -> bool:
        """Agents don't die by themselves at present."""
        return asyncio.get_running_loop().time() - self._last > _STORM

    def died(self, reason: str) -> None:
        if self.deaths < _TROUBLE:
            self._reason = reason.rstrip(".")  # of the same trouble as it was first said
        self.deaths += 1
        self._last = asyncio.get_running_loop().time()

    def forgive(self) -> None:
        """An agent did what it is there for."""
        self.deaths = 0
        self._stirred.set()

    def stir(self) -> None:
        """There is work."""
        self._stirred.set()

    async def wait(self) -> None:
        """Until it is time for another agent."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while self.deaths:
            longest = _LONGEST_WITH_WORK if self._wanted() else _LONGEST
            left = began + min(_FIRST * 2 ** min(self.deaths - 1, 20), longest) - loop.time()
            if left <= 0:
                return
            self._stirred.clear()
            alarm = loop.call_later(left, self._stirred.set)
            try:
                await self._stirred.wait()
            finally:
                alarm.cancel()
