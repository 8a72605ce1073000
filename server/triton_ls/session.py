"""The state of the server: open documents, their latest facts, their pending work.

Handlers call it and read ``view``; the scheduler reports to it. Nothing in here waits for the compiler.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from kernel_analysis.files import file_stamp
from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.span import Span
from kernel_analysis.wire import Index, Reply
from triton_ls.agents.agent_process import Start
from triton_ls.audience import Audience
from triton_ls.configuration import Configuration
from triton_ls.file_facts import FileFacts, place
from triton_ls.old_answers import OldAnswers, is_on_disk
from triton_ls.reports import Compiled
from triton_ls.resources import KnownResources
from triton_ls.restart_timing import Rhythm
from triton_ls.runs.last import LastRuns
from triton_ls.scheduler import Job, Schedulers
from triton_ls.settings import Settings
from triton_ls.shapes import ShownShapes
from triton_ls.status import Status, status_of
from triton_ls.views import DocumentViews
from triton_ls.watch import Watcher

T = TypeVar("T")
_MOST_STEPS = 60
"""Texts that what is known is taken through before it is shown, beside those of one key each."""
_FIRST_LOOK = 10.0


class Session:
    """``text(file)``: what the editor shows. ``start``: an agent. ``audience``: who hears what happens, from the first
    document on."""

    audience: Audience

    def __init__(self, configuration: Configuration, start: Start, trusted: bool) -> None:
        self._configuration = configuration
        self._texts: dict[str, str] = {}
        self._facts: dict[str, FileFacts] = {}
        self._views = DocumentViews()
        self.resources = KnownResources(self.stage, lambda file: self.settings(file).target)
        self.shapes = ShownShapes(self.ask, self._facts.get, lambda file: self.audience.updated(file, True))
        self.last_runs = LastRuns()
        self._edits: dict[str, list[str]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._first_lines: dict[str, int] = {}
        self._schedulers = Schedulers(
            start,
            trusted,
            settings=self.settings,
            texts=lambda: self._texts,
            stale=self._out_of_date,
            tell=self._tell,
            in_background=self._in_background,
        )
        self._rhythm = Rhythm()
        self._next: set[str] = set()
        self._old = OldAnswers(self._look_at_others)
        self._background: set[asyncio.Task[None]] = set()
        self._ready = asyncio.Event()
        self.focus: str | None = None
        """The file that was opened or edited last."""
        self._watcher = Watcher(self.changed_on_disk, self._tell)

    # What the editor does --------------------------------------------------------------------------------------------

    def opened(self, file: str, text: str) -> None:
        """Of a file that is open already, by a client that did not say that it closed it, this is the next text."""
        if file in self._texts:
            if text != self._texts[file]:
                self.edited(file, text, None, None)
            else:
                self.audience.opened_again(file)
            return
        self._texts[file], self.focus = text, file
        self._old.changed([file], same=is_on_disk(file, text))
        self._schedule(file, urgent=True, delay=0)
        self._reanalyze_dependents({file}, 0)  # it need not be what is on disk

    def edited(self, file: str, text: str, line: int | None, cursor: int | None) -> None:
        """``line``: where, for the function there to be compiled first; ``cursor``: where it left the cursor."""
        added = text.count("\n") - self._texts.get(file, "").count("\n")
        self._texts[file], self.focus = text, file
        self._edits.setdefault(file, []).append(text)
        if line is not None:
            self._first_lines[file] = line
        delay = max(self.settings(file).debounce / 1000, self._rhythm.pause(file))
        self._schedule(file, urgent=True, delay=delay)
        self._old.changed([file], delay)
        self._reanalyze_dependents({file}, delay)
        self.audience.edited(file, line, cursor, added)

    def passed(self, file: str, text: str) -> None:
        """On the way to what it is edited to next, in one go, it had this text."""
        edits = self._edits.setdefault(file, [])
        if len(edits) < _MOST_STEPS:
            edits.append(text)

    def saved(self, file: str) -> None:
        """Whatever waits for a pause in typing need not wait any longer; what failed is tried again."""
        facts = self._facts.get(file)
        if file in self._timers or (facts is not None and not facts.complete and file not in self.outstanding):
            self._schedule(file, urgent=True, delay=0)
        self.audience.saved()

    def closed(self, file: str) -> None:
        """The file on disk counts again."""
        self._old.changed([file], same=is_on_disk(file, self._texts.get(file)))
        self._schedulers.outdate(file)
        for state in (self._texts, self._facts, self._edits, self._first_lines):
            state.pop(file, None)
        self.shapes.forget(file)
        self._rhythm.forget(file)
        self._old.forget(file)
        self._views.forget(file)
        if (timer := self._timers.pop(file, None)) is not None:
            timer.cancel()
        self._schedulers.keep(self._texts, shared=True)
        self._reanalyze_dependents({file}, 0)
        self.audience.closed(file)

    async def configure(self, roots: tuple[str, ...], ask: bool) -> None:
        """Learn the settings, then (re)analyse. ``ask``: the client says its own when it is asked."""
        await self._configuration.refresh(roots, ask)
        self._configured(roots)

    def take_settings(self, settings: object) -> None:
        """What a client that can't be asked says."""
        self._configuration.take(settings, "The editor's settings")

    def choose_target(self, target: object) -> None:
        """What is compiled for from now on, whatever the settings say; None: what they say."""
        self._configuration.choose_target(target)
        self._configured(self.roots)

    def _configured(self, roots: tuple[str, ...]) -> None:
        """The settings are known, or others than before: analyse all documents under them."""
        self._ready.set()
        self._schedulers.roots = roots
        self._watcher.watch(f"{root}/pyproject.toml" for root in roots)
        self._schedulers.keep(self._texts, shared=False)
        # The same key means the same facts only for the same target, and the same findings only for the same
        # severities.
        self._facts.clear()
        self.resources.forget()
        self.shapes.forget()
        self._views.clear()
        self._edits.clear()
        for file in self._texts:
            self._schedule(file, urgent=False, delay=0)
        self.audience.touched()

    def restart(self) -> None:
        """New agents for everything: the interpreter may have changed under its name."""
        self._schedulers.keep((), shared=False)
        self._configured(self.roots)

    # What handlers ask -----------------------------------------------------------------------------------------------

    @property
    def roots(self) -> tuple[str, ...]:
        """Of the workspace."""
        return self._schedulers.roots

    @property
    def texts(self) -> dict[str, str]:
        """What the editor shows, by file."""
        return dict(self._texts)

    def text(self, file: str) -> str | None:
        return self._texts.get(file)

    def settings(self, file: str) -> Settings:
        return self._configuration.settings(file)

    def current(self, file: str) -> FileFacts | None:
        """The facts, if they are those of the text that the editor shows now."""
        facts = self._facts.get(file)
        return facts if facts is not None and facts.text == self._texts.get(file) else None

    def view(self, file: str) -> FileFacts | None:
        """What may be shown on the text that the editor shows now (docs/while-typing.md)."""
        text = self._texts.get(file)
        return None if text is None else self._views.of(file, text, self._facts.get(file), self._edits.get(file, []))

    async def first_view(self, file: str) -> FileFacts | None:
        """The view; of a file that was opened a moment ago, once it was looked at."""
        end = asyncio.get_running_loop().time() + _FIRST_LOOK
        while file not in self._facts and file in self._texts and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.05)
        return self.view(file)

    @property
    def outstanding(self) -> list[str]:
        """Files that are being analysed or wait for it."""
        return self._schedulers.outstanding

    @property
    def open_files(self) -> int:
        return len(self._texts)

    def agents(self) -> list[str]:
        """A line about each agent."""
        return self._schedulers.describe()

    @property
    def busy(self) -> bool:
        """Whether something is on its way: work, or a pause before it."""
        return bool(self._timers) or bool(self.outstanding) or self._old.waiting

    def status(self) -> Status:
        """What the server is at, for the file that is looked at."""
        scheduler = self._schedulers.begun(self.focus or "")
        left = sum(self._left(file) for file in set(self.outstanding) - self._old.again)
        return status_of(scheduler, left, self.settings(self.focus or ""))

    def _left(self, file: str) -> int:
        """How many functions of a file that is being analysed have no facts; 1 where that is not known yet."""
        facts = self._facts.get(file)
        if facts is None:
            return 1
        return max(1, sum(not e.stale and place(e.name_span) not in facts.reports for e in facts.kernels))

    async def ready(self) -> None:
        """Until the settings are known."""
        await self._ready.wait()

    async def ask(self, file: str, kind: type[T], timeout: float | None = None, **params: Any) -> T:
        """What an agent says when it is asked about a file for what looks like this (``wire.ASKED``), or
        ``AgentError``. ``timeout``: where it is not the setting."""
        await self.ready()
        settings = self.settings(file)
        # Whoever asked may lose interest; somebody else may have asked the same.
        limit = max(timeout or 0.0, settings.timeout)
        return await asyncio.shield(self._schedulers.of(file).ask(file, kind, params, limit))

    async def stage(self, file: str, qualname: str, stage: str, patience: float, config: int | None = None) -> Compiled:
        """A kernel as a stage behind the front end has it, or ``AgentError``. ``config``: with which of its own."""
        await self.ready()
        settings = self.settings(file)
        limit = max(patience, settings.timeout)
        return await asyncio.shield(self._schedulers.of(file).stage(file, qualname, stage, limit, config))

    async def close(self) -> None:
        self._watcher.close()
        for timer in self._timers.values():
            timer.cancel()
        self._old.close()
        await asyncio.gather(self._schedulers.close(), *self._background)

    # What the scheduler reports --------------------------------------------------------------------------------------

    def indexed(self, job: Job, index: Index) -> None:
        if job.text is not None:
            facts, edits = self._facts.get(job.file), self._edits.get(job.file, [])
            # Somebody may have typed on since the job began.
            done = next((n + 1 for n in reversed(range(len(edits))) if edits[n] == job.text), 0)
            known = [job.text] if facts is None else edits[:done]
            self._facts[job.file] = (facts or FileFacts(job.file, "")).indexed(index, known, job.changes)
            self._edits[job.file] = edits[done:]

    def told(self, job: Job, findings: tuple[Finding, ...]) -> None:
        if (facts := self._facts.get(job.file)) is not None:
            self._facts[job.file] = replace(facts, findings=(*facts.findings, *findings))

    def reported(self, job: Job, report: KernelReport) -> None:
        if (facts := self._facts.get(job.file)) is not None:
            self._facts[job.file] = facts.reported(report)
            self.audience.updated(job.file, False)

    def early(self, job: Job, report: KernelReport) -> None:
        """What is known so far; what was found out before about the same content is more."""
        facts = self._facts.get(job.file)
        if facts is not None and place(report.name_span) not in facts.reports:
            self._facts[job.file] = facts.told_early(report)
            self.audience.updated(job.file, False)

    def finished(self, job: Job, reply: Reply) -> None:
        facts = self._facts.get(job.file)
        if facts is None or job.text is None:
            return
        self._rhythm.done(job, reply)
        self._go_on(job.file)
        self._old.answered(job.file, job.changes)
        self._facts[job.file] = replace(facts, depends=frozenset(reply.depends), complete=True)
        new = self._watcher.watch(reply.depends)
        self.audience.updated(job.file, True)
        if self.shapes.any(job.file):
            self._in_background(self.shapes.again(job.file))
        # What changes between being read and being watched, nobody says. (That a file is there though none was read
        # may stay so: it is no module, say.)
        late = {file for file, seen in reply.depends.items() if (seen or file in new) and file_stamp(file) != seen}
        if late:
            self.changed_on_disk(late)
        # Nobody knew that it would be read for this one when it was edited.
        if self._old.changed_since({*reply.depends} - {job.file}, job.changes):
            self._out_of_date([job.file])
        else:
            self._look_at_others()

    def delayed(self, job: Job, reason: str) -> None:
        self._say_why(job.file, reason)

    def failed(self, job: Job, message: str) -> None:
        self._rhythm.over(job)
        self._old.answered(job.file, job.changes)  # that there is no answer is one
        self._go_on(job.file)
        self._say_why(job.file, message)

    def _say_why(self, file: str, message: str) -> None:
        """There are no facts of this text as a whole; what is known of functions that were not edited still holds."""
        if (text := self._texts.get(file)) is not None:
            known = (self._facts.get(file) or FileFacts(file, "")).moved_through([*self._edits.get(file, []), text])
            finding = Finding("not-analyzed", "warning", message, Span(file, 1, 1, 1, 1))
            self._facts[file] = replace(known, findings=(finding,), complete=False)
            self._edits.pop(file, None)
            self.audience.updated(file, True)

    # Work ------------------------------------------------------------------------------------------------------------

    def _go_on(self, file: str) -> None:
        """What ran for an older text has ended."""
        if file in self._next and file in self._timers:
            self._schedule(file, urgent=True, delay=0)

    def _schedule(self, file: str, *, urgent: bool, delay: float) -> None:
        self._next.discard(file)
        self._old.again.discard(file)
        if (timer := self._timers.pop(file, None)) is not None:
            timer.cancel()
        if self._ready.is_set():
            loop = asyncio.get_running_loop()
            self._timers[file] = loop.call_later(delay, lambda: self._submit(file, urgent))

    def _submit(self, file: str, urgent: bool) -> None:
        del self._timers[file]
        scheduler = self._schedulers.of(file)
        if urgent and (wait := self._rhythm.wait(file)) > 0:
            # The newest text is next, however many keys come until then.
            scheduler.hurry(file)
            self._schedule(file, urgent=True, delay=wait)
            self._next.add(file)
            return
        settings = self.settings(file)
        job = Job(file, self, settings.severity, settings.timeout, urgent, self._first_lines.get(file))
        job.file_budget, job.changes = settings.file_budget, self._old.changes
        if not urgent:  # what somebody looks at is not kept waiting by what goes on behind it
            job.total_budget = settings.total_budget
        self._rhythm.began(job)
        scheduler.submit(job)
        self.audience.queued()

    def _reanalyze_dependents(self, files: Iterable[str], delay: float) -> None:
        changed = frozenset(files)
        for file in self._texts:
            facts = self._facts.get(file)
            if facts is not None and file not in changed and facts.depends & changed:
                self._schedule(file, urgent=False, delay=delay)

    def _look_at_others(self) -> None:
        """Ask about all documents that are behind once more."""
        for file in set(self._old.among(self._texts)).difference(self.outstanding, self._timers):
            self._schedule(file, urgent=False, delay=0)
            self._old.again.add(file)

    def _out_of_date(self, files: Iterable[str]) -> None:
        """An agent found out more than it knew when it was asked."""
        for file in files:
            if file in self._texts and file not in self._timers:
                self._schedule(file, urgent=False, delay=0)

    def changed_on_disk(self, files: set[str]) -> None:
        """Files that came, went or changed, by the client's word or by what was seen."""
        if any(file.endswith("pyproject.toml") for file in files):
            self._configuration.forget_projects()
            self._configured(self.roots)
        files = files - self._texts.keys()
        self._schedulers.changed(files)
        self._reanalyze_dependents(files, 0)
        if files:
            self._old.changed(files)

    def _tell(self, message: str) -> None:
        self.audience.told(message)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
