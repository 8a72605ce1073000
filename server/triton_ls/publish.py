"""Diagnostics to the client: pushed to most, a hint to ask again for those that pull; never more than a few a second.

May not compute any.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PACE = 0.2
_ALL = ""


class Publisher:
    """``send(file)`` shows what is known of a file now. With ``pulls`` there is one message for all files:
    ``send("")``."""

    def __init__(self, send: Callable[[str], None], pulls: Callable[[], bool]) -> None:
        self._send, self._pulls = send, pulls
        self._last: dict[str, float] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def updated(self, file: str, settled: bool) -> None:
        """There are new facts. The first of a batch and the last are shown at once, those between at a pace to read."""
        key = _ALL if self._pulls() else file
        loop = asyncio.get_running_loop()
        wait = self._last.get(key, 0.0) + PACE - loop.time()
        # A client that pulls answers each message with requests for all its documents.
        if wait <= 0 or (settled and key != _ALL):
            self._now(key)
        elif key not in self._timers:
            self._timers[key] = loop.call_later(wait, self._now, key)

    def closed(self, file: str) -> None:
        self._last.pop(file, None)
        if (timer := self._timers.pop(file, None)) is not None:
            timer.cancel()

    def _now(self, key: str) -> None:
        if (timer := self._timers.pop(key, None)) is not None:
            timer.cancel()
        self._last[key] = asyncio.get_running_loop().time()
        self._send(key)
