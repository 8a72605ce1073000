"""Analyses files with the same scheduler and agents as the server, and gathers what they report.

May not print results.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.span import Span
from triton_ls.agents.launch import Environment
from triton_ls.cli.errors import UserError
from triton_ls.facts import Place, place
from triton_ls.reports import Entry, Identity, Index, Reply
from triton_ls.scheduler import Job, Scheduler
from triton_ls.scheduler.scheduler import LIMITED
from triton_ls.settings import Settings


@dataclass
class FileResult:
    """``reports`` by the place of the function's name, as in ``Facts``."""

    file: str
    kernels: tuple[Entry, ...] = ()
    findings: list[Finding] = field(default_factory=list[Finding])
    reports: dict[Place, KernelReport] = field(default_factory=dict[Place, KernelReport])


def environment(settings: Settings, roots: tuple[str, ...]) -> Environment:
    return Environment(
        settings.interpreter, settings.target, settings.cache_file, settings.memory_limit, roots, patient=True
    )


class Collector:
    """Gets the scheduler's reports for all files; ``done`` is called after each."""

    def __init__(self, files: Sequence[str], done: Callable[[int, str], None]) -> None:
        self.results = {file: FileResult(file) for file in files}
        self._open = set(files)
        self._done = done
        self.all_done = asyncio.Event()

    def indexed(self, job: Job, index: Index) -> None:
        self.results[job.file] = FileResult(job.file, index.kernels, list(index.findings))

    def reported(self, job: Job, report: KernelReport) -> None:
        self.results[job.file].reports[place(report.name_span)] = report

    def finished(self, job: Job, reply: Reply) -> None:
        self._open.discard(job.file)
        self._done(len(self.results) - len(self._open), job.file)
        if not self._open:
            self.all_done.set()

    def failed(self, job: Job, message: str) -> None:
        finding = Finding("not-analyzed", "warning", message, Span(job.file, 1, 1, 1, 1))
        self.results[job.file].findings.append(finding)
        self.finished(job, Reply(job.file, ""))


async def analyze(
    files: Sequence[str],
    environment: Environment,
    settings_for: Callable[[str], Settings],
    done: Callable[[int, str], None],
) -> tuple[Identity, list[FileResult]]:
    """All files, in parallel. ``UserError`` when there is no agent that could."""
    messages: list[str] = []
    size = max(1, min(_processors(), len(files)))
    scheduler = Scheduler(environment, size=size, reserve=0, texts=dict[str, str], tell=messages.append)
    collector = Collector(files, done)
    try:
        for file in files:
            settings = settings_for(file)
            scheduler.submit(Job(file, collector, settings.severity, settings.timeout))
        if not files:
            scheduler.start()
        identity = await usable(scheduler, messages)
        if files:
            await collector.all_done.wait()
    finally:
        await scheduler.close()
    for message in messages:
        print(f"triton-ls: {message}", file=sys.stderr)
    return identity, [collector.results[file] for file in files]


async def usable(scheduler: Scheduler, messages: Sequence[str]) -> Identity:
    """Who the agent is, once it is known that it has a triton."""
    identity = await scheduler.identity
    if identity.triton is None:
        raise UserError(" ".join(messages).replace(LIMITED, ""))
    return identity


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
