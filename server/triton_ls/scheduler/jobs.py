"""What can be asked of an agent, as plain data. May not know processes."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kernel_analysis.report import KernelReport
from triton_ls.reports import Index, Reply

_order = itertools.count(1)


class Listener(Protocol):
    """Who asked for an analysis. Nothing is called for a job once it is obsolete."""

    def indexed(self, job: Job, index: Index) -> None: ...

    def reported(self, job: Job, report: KernelReport) -> None: ...

    def early(self, job: Job, report: KernelReport) -> None: ...

    def finished(self, job: Job, reply: Reply) -> None: ...

    def failed(self, job: Job, message: str) -> None: ...


@dataclass(slots=True, eq=False)
class Job:
    """Analyse one file. ``urgent``: somebody looks at it. ``text``: what the editor showed when the job started; None:
    the file's own."""

    file: str
    listener: Listener
    severity: Mapping[str, str]
    timeout: float
    urgent: bool = False
    first_line: int | None = None
    order: int = field(default_factory=lambda: next(_order))
    generation: int = 0
    text: str | None = None
    obsolete: bool = False
    attempts: int = 0


@dataclass(slots=True, eq=False)
class Question:
    """Ask an agent for something about one file that is compiled on demand: its result comes as it is; the future
    fails with ``AgentError``."""

    file: str
    method: str
    params: Mapping[str, Any]
    timeout: float
    answer: asyncio.Future[dict[str, Any]]
    urgent: bool = True
    order: int = field(default_factory=lambda: next(_order))
    obsolete: bool = False


class Skips:
    """Functions that cost an agent its life, by key, with the reason to show. A key stands for content, so an edit
    lifts it."""

    _SIZE = 1000

    def __init__(self) -> None:
        self._reasons: dict[str, tuple[str, float]] = {}

    def add(self, key: str, reason: str, timeout: float) -> None:
        self._reasons[key] = (reason, timeout)
        while len(self._reasons) > self._SIZE:
            del self._reasons[next(iter(self._reasons))]

    def for_timeout(self, timeout: float) -> dict[str, str]:
        """Those that hold for a job that gives the compiler no more time than they had."""
        return {key: reason for key, (reason, had) in self._reasons.items() if timeout <= had}
