"""Analyses files with the same scheduler and agents as the server, and gathers what they report.

May not print results.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.span import Span
from kernel_analysis.wire import Identity, Index, Reply
from triton_ls.agents.launch import Environment
from triton_ls.cli.result import FileResult
from triton_ls.cli.terminal import complain
from triton_ls.cli.user_error import UserError
from triton_ls.file_facts import place
from triton_ls.scheduler import Job, Scheduler
from triton_ls.scheduler.scheduler import LIMITED
from triton_ls.settings import Settings

_STARTED = 0.01
"""Seconds after which the agents' processes exist, and need far longer to be of use."""


@dataclass(frozen=True, slots=True, repr=False)  # `asyncio.run` has its result's repr made, twice
class Analysis:
    """What came out, in the order of the files. ``depends``: all files that were read for it. ``final``: the files of
    which the same would be said again, as long as none of those changes. ``complete``: no file went without an answer
    that had nothing to do with it. ``said``: something that was said beside it, and should be again."""

    identity: Identity
    results: list[FileResult]
    depends: frozenset[str]
    final: frozenset[str]
    complete: bool
    said: bool


class Collector:
    """Gets the scheduler's reports for all files; ``done`` is called after each. ``settled``: what is known already."""

    def __init__(
        self, files: Sequence[str], settled: Mapping[str, FileResult], done: Callable[[int, str], None]
    ) -> None:
        self.results = {file: settled.get(file) or FileResult(file) for file in files}
        self.depends: set[str] = set()
        self.final = set(settled)
        self.open = {file for file in files if file not in settled}
        self._done = done

    def indexed(self, job: Job, index: Index) -> None:
        self.results[job.file] = FileResult(job.file, index.kernels, list(index.findings))

    def told(self, job: Job, findings: tuple[Finding, ...]) -> None:
        self.results[job.file].findings += findings

    def reported(self, job: Job, report: KernelReport) -> None:
        self.results[job.file].reports[place(report.name_span)] = report

    def early(self, job: Job, report: KernelReport) -> None:
        """Nobody watches."""

    def delayed(self, job: Job, reason: str) -> None:
        """It is said when all is done."""

    def finished(self, job: Job, reply: Reply) -> None:
        self.depends.update(reply.depends)
        if reply.final:
            self.final.add(job.file)
        self.open.discard(job.file)
        self._done(len(self.results) - len(self.open), job.file)

    def failed(self, job: Job, message: str) -> None:
        finding = Finding("not-analyzed", "warning", message, Span(job.file, 1, 1, 1, 1))
        self.results[job.file].findings.append(finding)
        self.finished(job, Reply(job.file, ""))


async def analyze(
    files: Sequence[str],
    environment: Environment,
    settings_for: Callable[[str], Settings],
    settled: Mapping[str, FileResult],
    done: Callable[[int, str], None],
    meanwhile: Callable[[], None] = lambda: None,
) -> Analysis:
    """All files but those ``settled`` by an earlier check, in parallel. ``meanwhile`` is called once, when the agents'
    processes have been started. ``UserError`` when there is no agent that could."""
    messages: list[str] = []
    size = max(1, min(_processors(), len(files) - len(settled)))
    scheduler = Scheduler(environment, size=size, reserve=0, texts=dict[str, str], tell=messages.append)
    collector = Collector(files, settled, done)
    try:
        # The longest first: whichever comes last, nobody should wait for it alone.
        for file in sorted(collector.open, key=_size, reverse=True):
            settings = settings_for(file)
            job = Job(file, collector, settings.severity, settings.timeout)
            job.file_budget, job.total_budget = settings.file_budget, settings.total_budget
            scheduler.submit(job)
        if not collector.open:
            scheduler.start()
        await asyncio.sleep(_STARTED)
        meanwhile()
        identity = await usable(scheduler, messages)
        await scheduler.drained()
    finally:
        await scheduler.close()
    for message in messages:
        complain(message)
    results = [collector.results[file] for file in files]
    complete = not scheduler.failures and not collector.open
    return Analysis(
        identity, results, frozenset(collector.depends), frozenset(collector.final), complete, bool(messages)
    )


async def usable(scheduler: Scheduler, messages: Sequence[str]) -> Identity:
    """Who the agent is, once it is known that it has a triton."""
    identity = await scheduler.identity
    if identity.triton is None:
        raise UserError(" ".join(messages).replace(LIMITED, ""))
    return identity


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:
        return 0  # it has gone meanwhile: its analysis will say so


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
