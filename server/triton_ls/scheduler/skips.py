"""What cost an agent its life, functions or whole files: which of it is left alone, why, and until when.

A key stands for content, so an edit lifts it. May not know processes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

_SIZE = 1000
_WAITS = (1.0, 4.0, 15.0)
"""Seconds before that over which an agent died is tried once more, after the first such death and the next."""


@dataclass(frozen=True, slots=True)
class _Skip:
    """``had``: the time that was not enough; ``until``: of the clock; ``deaths``: how many agents it cost."""

    reason: str
    had: float
    until: float
    deaths: int


class Skips:
    """``clock``: in seconds, only its differences count."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: dict[str, _Skip] = {}

    def wants_more(self, key: str, reason: str, timeout: float) -> None:
        """It did not get through with this much time: that comes out the same the next time."""
        self._add(key, _Skip(reason, timeout, math.inf, 0))

    def died(self, key: str, reason: str, *, calm: bool) -> float | None:
        """An agent died over it: its fault, or that of whoever killed the agent. How long to wait before another try
        shows which; None when it has had its tries. ``calm``: agents don't die without it."""
        known = self._known.get(key)
        before = known.deaths if known is not None else 0
        # Where agents die of something else, one more death proves nothing.
        deaths = before + 1 if calm else max(1, before)
        wait = _WAITS[deaths - 1] if deaths <= len(_WAITS) else None
        self._add(key, _Skip(reason, math.inf, math.inf if wait is None else self._clock() + wait, deaths))
        return wait

    def did_well(self, key: str) -> None:
        """It got through: whatever it cost before was not its fault."""
        self._known.pop(key, None)

    def for_timeout(self, timeout: float) -> dict[str, str]:
        """Those that hold now for a job that gives the compiler no more time than they had."""
        now = self._clock()
        return {key: s.reason for key, s in self._known.items() if timeout <= s.had and now < s.until}

    def _add(self, key: str, skip: _Skip) -> None:
        self._known.pop(key, None)
        self._known[key] = skip
        while len(self._known) > _SIZE:
            del self._known[next(iter(self._known))]
