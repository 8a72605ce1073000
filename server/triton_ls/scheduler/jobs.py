"""What can be asked of an agent, as plain data. May not know processes."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.wire import Index, Level, Reply
from triton_ls.agents.agent_process import AgentError

_order = itertools.count(1)


class Listener(Protocol):
    """Who asked for an analysis. Each job ends in one call of ``finished`` or ``failed``; nothing is called for a job
    once it is obsolete."""

    def indexed(self, job: Job, index: Index) -> None: ...

    def told(self, job: Job, findings: tuple[Finding, ...]) -> None:
        """What more there is to say about the file as a whole."""

    def reported(self, job: Job, report: KernelReport) -> None: ...

    def early(self, job: Job, report: KernelReport) -> None: ...

    def delayed(self, job: Job, reason: str) -> None:
        """It still waits, for this reason, and will for a while."""

    def finished(self, job: Job, reply: Reply) -> None: ...

    def failed(self, job: Job, message: str) -> None: ...


@dataclass(slots=True, eq=False)
class Job:
    """Analyse one file. ``urgent``: somebody looks at it. ``text``: what the editor showed when the job started; None:
    the file's own; ``started``: when that was, on the loop's clock. ``file_budget``, ``total_budget``: seconds that
    slow kernels may cost, see ``budget``; ``lost`` of it; ``cut``: nothing more is compiled. ``skips``: functions that
    cost this job an agent. ``changes``: how often anything had been edited when it was asked for."""

    file: str
    listener: Listener
    severity: Mapping[str, Level]
    timeout: float
    urgent: bool = False
    first_line: int | None = None
    order: int = field(default_factory=lambda: next(_order))
    generation: int = 0
    started: float | None = None
    text: str | None = None
    obsolete: bool = False
    attempts: int = 0
    file_budget: float = math.inf
    total_budget: float = math.inf
    lost: float = 0.0
    cut: bool = False
    skips: dict[str, str] = field(default_factory=dict[str, str])
    changes: int = 0
    again: float | None = None
    """Seconds after its end when it is worth a try to ask once more."""

    def ask_again(self, wait: float | None) -> None:
        """Not before so many seconds have passed; None: that is no use."""
        if wait is not None:
            self.again = max(wait, self.again or 0.0)

    def fail(self, message: str) -> None:
        """It ends without an answer."""
        if not self.obsolete:
            self.listener.failed(self, message)


@dataclass(slots=True, eq=False)
class AgentQuestion:
    """Ask an agent for something about one file that is compiled on demand: what ``kind``, one of ``wire.ASKED``, says
    how it looks; the future fails with ``AgentError``."""

    file: str
    kind: type[Any]
    params: Mapping[str, Any]
    timeout: float
    answer: asyncio.Future[Any]
    urgent: bool = True
    order: int = field(default_factory=lambda: next(_order))
    obsolete: bool = False

    def fail(self, message: str) -> None:
        """It ends without an answer."""
        if not self.answer.done():
            self.answer.set_exception(AgentError(message))
