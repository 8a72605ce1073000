"""One ``analyze`` request: a file's functions one after the other, each reported as soon as it is known.

Never raises: what fails costs its own function its facts, and its report says why. May not touch the wire itself.
"""

from __future__ import annotations

import hashlib
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kernel_analysis import wire
from kernel_analysis.agent.choices.config_sets import AskedKernel, Sets
from kernel_analysis.agent.file.aliased_launches import Aliased
from kernel_analysis.agent.file.analyze_request import Request
from kernel_analysis.agent.file.calling_kernels import Callers, CallersHere
from kernel_analysis.agent.file.function_jobs import TOO_DEEP, FunctionJob, entries, in_order, jobs_of
from kernel_analysis.agent.file.imported_kernels import Guests
from kernel_analysis.agent.file.inference import Inference
from kernel_analysis.agent.file.kept_reports import KeptReport, KeptReports
from kernel_analysis.agent.file.told_once import ToldOnce
from kernel_analysis.agent.kept.cache import Cache, cache_key
from kernel_analysis.agent.kept.last_compiled import History
from kernel_analysis.agent.kept.presented import Presented
from kernel_analysis.agent.not_shown.broken_by_edit import broken_by_edit
from kernel_analysis.agent.not_shown.other_targets import excused, not_launched, of_host, of_report
from kernel_analysis.agent.protocol.requests import NoCompiler
from kernel_analysis.attempt.compile import Work
from kernel_analysis.attempt.outcome import Outcome, placed, unknown
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler
from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.rules import (
    aliased_arguments,
    config_compile_error,
    file_findings,
    findings,
    op_findings,
    settled,
)
from kernel_analysis.rules.kept_launches import KeptLaunches
from kernel_analysis.rules.mutates_args import Ops
from kernel_analysis.rules.subject import FileSubject, Subject
from kernel_analysis.signature.evidence import alone
from kernel_analysis.signature.launches.variants_of.specialized import specialized
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Slice


@dataclass(slots=True)
class FileAnalysis:
    """``history``: None where nobody edits. ``compiler`` imports Triton when it is first called; ``compile_options``
    names what else an outcome depends on; ``notify`` sends a notification; ``obsolete`` tells that nobody waits for the
    rest. ``final``: nothing was left out for want of time or because something broke."""

    project: Project
    inference: Inference
    cache: Cache
    sets: Sets
    aliased: Aliased
    presented: Presented
    launched: KeptLaunches
    reports: KeptReports
    history: History | None
    compiler: Callable[[], Compiler]
    compile_options: str
    notify: Callable[[wire.Said], None]
    obsolete: Callable[[], bool]
    request: Request
    compiles: int = 0
    final: bool = True
    _ops: Ops | None = None
    _file: FileSubject | None = None
    _about: set[str] = field(default_factory=set[str])
    _told: ToldOnce = field(default_factory=ToldOnce)
    _here: CallersHere = field(default_factory=CallersHere)
    _inferred: dict[int, list[Signature]] = field(default_factory=dict[int, list[Signature]])
    _keys: dict[int, tuple[str, list[Signature]]] = field(default_factory=dict[int, "tuple[str, list[Signature]]"])
    _uncompiled: int = 0
    _started: float | None = None

    def run(self) -> wire.Reply:
        """The reply; what was found out has been sent by then."""
        self.project.elsewhere.heard = lambda: self.notify(wire.Reading(self.request.file, self.request.generation))
        try:
            module, jobs = self._look()
        except RecursionError:
            if self.project.careful:
                raise
            self.project.be_careful()
            module, jobs = self._look()
        depends = {module.file}
        if self.history is None:
            self._expect(module, jobs)
        for job in in_order(jobs, self.request.first_line):
            if self.obsolete():
                self.final = False
                break
            self._turn(job)
            depends |= job.read_from(self.project)
            report = self._report(module, job)
            self._end()
            if self.history is None:  # an editor keeps each function's, while another is edited
                report.findings = self._told.new(report.findings)
            self.notify(wire.Reported(self.request.file, self.request.generation, report))
            self.cache.flush()
        depends |= self._look_at_guests() | self._about
        return wire.Reply(
            file=self.request.file,
            generation=self.request.generation,
            digest=hashlib.sha256(module.text.encode("utf-8", "surrogatepass")).hexdigest(),
            depends={file: self.project.read_at(file) for file in sorted(depends)},
            compiles=self.compiles,
            final=self.final,
        )

    def _look(self) -> tuple[Module, list[FunctionJob]]:
        """What there is in the file."""
        module = self.project.module(self.request.file)
        self.project.functions(module)  # what was found on the way is told of the file
        # Before the first function's turn: no function is to blame for it.
        with self.project.resolver.reading() as self._about:
            self._file = FileSubject(self.project, module, self.launched)
            about_file = of_host(self.project.resolver, module, file_findings(self._file, self.request.levels))
        jobs = jobs_of(self.project, module, self.request.skip, self._turn, patient=self.history is None)
        self.final = all(job.slice is not None or job.files is not None for job in jobs)
        rows = tuple(entries(module, jobs))
        self.notify(wire.Index(rows, about_file, self.request.file, self.request.generation))
        return module, jobs

    def _look_at_guests(self) -> set[str]:
        """What launches in the file say of kernels of others, and the files that this was read from."""
        if self._file is None or self.obsolete():
            return set()
        self._ops = self._ops or Ops(self._file)
        guests = Guests(self.project, self.inference, self.sets, self.aliased, self.request.levels, self._guest)
        try:
            with self.project.resolver.reading() as read:
                found = guests.findings(self._file, self._ops)
        except Exception:  # noqa: BLE001 - invariant: an analysis never raises to its caller
            traceback.print_exc(file=sys.stderr)
            self.final = False
            return set()
        if found:
            self.notify(wire.About(self.request.file, self.request.generation, tuple(found)))
        return {*read, *guests.files}

    def _guest(self, job: FunctionJob, signatures: list[Signature]) -> Subject | None:
        """What is known of another file's kernel."""
        if job.slice is None or job.key in self.request.skip:
            return None
        outcome = self._of_other(job, job.slice, signatures)
        report = self._present(job, job.slice, outcome)
        module = self.project.load(job.function.file)
        if not outcome.signatures:
            return None
        return Subject(self.project, report, outcome.facts, job.slice, job.function, module)

    def _of_other(self, job: FunctionJob, slice_: Slice, signatures: list[Signature]) -> Outcome:
        """What compiling another file's kernel comes to. It has a turn of its own: what it costs is its fault."""
        self._turn(job)
        outcome = self._compiled(self.project.load(job.function.file), job, slice_, signatures)
        self._end()
        return outcome

    def _turn(self, job: FunctionJob) -> None:
        """All that is done from here on is about this function."""
        self.notify(wire.Turn(self.request.file, self.request.generation, job.key, job.function.qualname))

    def _start(self, job: FunctionJob) -> None:
        """The compiler is about to run."""
        self._started = time.monotonic() if self._started is None else self._started
        self.notify(wire.Started(self.request.file, self.request.generation, job.key, job.function.qualname))

    def _end(self) -> None:
        """It is done with a function, if it had to run for it."""
        if self.request.budget is not None and self._started is not None:
            self.request.budget.spend(time.monotonic() - self._started)
        self._started = None

    def _report(self, module: Module, job: FunctionJob) -> KernelReport:
        try:
            return self._whole_report(module, job)
        except RecursionError:
            reason = TOO_DEEP
        except Exception as error:  # noqa: BLE001 - invariant: an analysis never raises to its caller
            traceback.print_exc(file=sys.stderr)
            self.final = False
            reason = f"the analysis failed on this function ({type(error).__name__}: {error})"
        return replace(job, slice=None).failed_report(reason, self.request.levels)

    def _whole_report(self, module: Module, job: FunctionJob) -> KernelReport:
        if job.slice is None:
            why = job.error or "the function could not be cut out of its file"
            failed = job.failed_report(why, self.request.levels)
            failed.findings += self._of_ops(module, job, None)
            return failed
        known = self._known(job, job.slice)
        if known is not None:
            return self._as_known(module, job, job.slice, known)
        outside, self._about = self._about, set()
        try:
            return self._new_report(module, job, job.slice)
        finally:
            self._about |= outside

    def _known(self, job: FunctionJob, slice_: Slice) -> KeptReport | None:
        """What was said of a function to which nothing happened since."""
        if self.history is None or job.key in self.request.skip or not self.sets.is_fine(slice_):
            return None
        return self.reports.get(self.project, job, slice_, self._here.callers(slice_), self.request.levels)

    def _as_known(self, module: Module, job: FunctionJob, slice_: Slice, known: KeptReport) -> KernelReport:
        self._about |= known.about
        self._here.done(job, known.outcome)
        if known.signatures and self._file is not None:
            self.sets.ask_about(AskedKernel(self._file, job.function, slice_, known.signatures, known.outcome))
        subject = Subject(self.project, known.report, known.outcome.facts, slice_, job.function, module)
        found = findings(subject, self.request.levels, known.findings) + self._of_ops(module, job, subject)
        report = replace(known.report, findings=found + known.further)
        self._about |= of_report(self.project.resolver, module, report)
        return known.report if report.findings == known.report.findings else report

    def _new_report(self, module: Module, job: FunctionJob, slice_: Slice) -> KernelReport:
        callers = self._here.callers(slice_)
        outcome = self._outcome(module, job, slice_)
        with self.project.resolver.reading() as read:
            outcome = excused(self.project, module, job.function, slice_, outcome)
        self._about |= read
        outcome, of_sets = self._of_sets(module, job, slice_, outcome)
        outcome = not_launched(self.project, job.function, slice_, outcome, self._about)
        self._here.done(job, outcome)
        report = self._present(job, slice_, outcome)
        known = (
            next((s for s in self._file.stacks if s.function.node is job.function.node), None) if self._file else None
        )
        if known is not None and report.signatures and job.role == "kernel":
            types = report.signatures[0].types
            report.specializes, report.variants = specialized(self.project, job.function, known, types)
        subject = Subject(self.project, report, outcome.facts, slice_, job.function, module)
        by_rule: dict[str, list[Finding]] = {}
        report.findings = findings(subject, self.request.levels, by_rule) + self._of_ops(module, job, subject)
        if job.role == "kernel" and self._file is not None and self.request.levels.get(aliased_arguments.CODE) != "off":
            of_sets += self.aliased.findings(self._file, subject, self._signatures(module, job, slice_))
        further = settled(of_sets, module, self.request.levels)
        report.findings += further
        self._about |= of_report(self.project.resolver, module, report)
        if self._uncompiled > 1:  # that there is no compiler is said once a file
            report.findings = [finding for finding in report.findings if finding.code != "not-analyzed"]
        if self.history is not None and outcome.signatures and not job.elsewhere:
            asked = (
                [] if self.request.levels.get(config_compile_error.CODE) == "off" else self._inferred.get(id(job), [])
            )
            kept = KeptReport(slice_, callers, asked, outcome, report, by_rule, further, frozenset(self._about))
            self.reports.keep(self.project, job, kept, self.request.levels)
        return report

    def _of_ops(self, module: Module, job: FunctionJob, subject: Subject | None) -> list[Finding]:
        """What the file's torch ops do wrong, as soon as their kernels are known."""
        if self._ops is None:
            self._ops = Ops(self._file or FileSubject(self.project, module))
        return op_findings(self._ops, job.function, subject, self.request.levels)

    def _of_sets(
        self, module: Module, job: FunctionJob, slice_: Slice, outcome: Outcome
    ) -> tuple[Outcome, list[Finding]]:
        """What configs and launches set that does not compile: that is their error, and not the kernel's."""
        off = self.request.levels.get(config_compile_error.CODE) == "off"
        if off or job.role != "kernel" or self.request.skip.get(job.key) or self._file is None:
            return outcome, []
        failed = any(problem.code == "compile-error" for problem in outcome.facts.problems)
        if not outcome.signatures and not failed:
            return outcome, []
        signatures = self._signatures(module, job, slice_)
        return self.sets.judged(self._file, job.function, slice_, signatures, outcome)

    def _present(self, job: FunctionJob, slice_: Slice, outcome: Outcome) -> KernelReport:
        return self.presented.report(slice_, job.function, job.role, outcome, editor=self.history is not None)

    def _outcome(self, module: Module, job: FunctionJob, slice_: Slice) -> Outcome:
        reason = self.request.skip.get(job.key)
        if reason is not None:
            self.final = False
            return unknown(reason)
        if job.role == "helper":
            outcome = self._here.outcome(slice_)
            if outcome is not None:
                return outcome
        signatures = self._signatures(module, job, slice_)
        reason = alone.why_not(job.function, signatures[0])
        outcome = self._compiled(module, job, slice_, signatures) if reason is None else unknown(reason)
        if not outcome.signatures and all(p.code == "not-analyzed" for p in outcome.facts.problems):
            outcome = self._as_called_elsewhere(job, slice_) or outcome
        if reason is not None:
            return outcome
        return placed(self._with_history(module, job, slice_, signatures, outcome), signatures[0])

    def _as_called_elsewhere(self, job: FunctionJob, slice_: Slice) -> Outcome | None:
        """What kernels of other files show of a function that nobody launches; None where none does."""
        function = job.function
        if function.decorated or self.obsolete() or self.project.launches_of(function):
            return None
        callers = Callers(self.project, self.inference, self.request.skip, self._of_other)
        outcome = callers.outcome(function, slice_)
        self._about |= callers.files
        self._turn(job)
        if outcome is not None:
            job.role, job.elsewhere = "helper", True
        return outcome

    def _expect(self, module: Module, jobs: list[FunctionJob]) -> None:
        """Nobody watches: what is known of all kernels is asked for at once."""
        keys: list[str] = []
        for job in jobs:
            if job.slice is not None and job.role == "kernel" and job.key not in self.request.skip:
                self._turn(job)
                try:
                    keys.append(self._key(job.slice, self._signatures(module, job, job.slice), self.compiler()))
                except NoCompiler:
                    return
                except Exception:  # noqa: BLE001 - the kernel's own report will say what
                    continue
        self.cache.expect(keys)

    def _signatures(self, module: Module, job: FunctionJob, slice_: Slice) -> list[Signature]:
        known = self._inferred.get(id(job))
        if known is None:
            known = self._inferred[id(job)] = self.inference.signatures(module, job, slice_)
        return known

    def _key(self, slice_: Slice, signatures: list[Signature], compiler: Compiler) -> str:
        if id(signatures) not in self._keys:
            key = cache_key(slice_.hash, signatures, compiler.triton_version, self.compile_options)
            self._keys[id(signatures)] = key, signatures
        return self._keys[id(signatures)][0]

    def _compiled(self, module: Module, job: FunctionJob, slice_: Slice, signatures: list[Signature]) -> Outcome:
        try:
            compiler = self.compiler()
        except NoCompiler as error:
            self._uncompiled += 1
            self.final = False
            return unknown(str(error))
        key = self._key(slice_, signatures, compiler)
        known = self.cache.get(key)
        if known is not None:
            return replace(known, signatures=[replace(s, cached=True) for s in known.signatures])
        if self.request.budget is not None and self.request.budget.seconds <= 0:
            self.final = False
            return unknown(self.request.budget.reason)
        self._start(job)
        work = Work(compiler, slice_)
        if self.history is not None and job.function.file == self.request.file:
            work.early = lambda first: self._show_early(module, job, slice_, placed(first, signatures[0]))
        try:
            outcome = work.outcome(signatures)
        finally:
            self.compiles += work.compiles
        self.final = self.final and not work.cut_short
        self.cache.put(key, outcome, for_all=not work.cut_short)
        return outcome

    def _show_early(self, module: Module, job: FunctionJob, slice_: Slice, outcome: Outcome) -> None:
        """What is known before all signatures were compiled; with findings only where nothing can change any more."""
        report = self._present(job, slice_, outcome)
        if report.status == "analyzed":
            report.findings = findings(
                Subject(self.project, report, outcome.facts, slice_, job.function, module), self.request.levels
            )
        self.notify(wire.Early(self.request.file, self.request.generation, report))

    def _with_history(
        self, module: Module, job: FunctionJob, slice_: Slice, signatures: list[Signature], outcome: Outcome
    ) -> Outcome:
        """The outcome as it is to be shown, given that the function compiled a moment ago; not what others get from
        the cache."""
        same = [function for function in module.functions if function.qualname == job.function.qualname]
        if self.history is None or len(same) != 1:
            return outcome
        if outcome.signatures:
            self.history.compiled(job.function, outcome.signatures)
            return outcome
        # Only what was blamed on a guess is in question.
        if not any(problem.needed for problem in outcome.facts.problems):
            return outcome
        before = self.history.last(job.function)
        if not before:
            return outcome
        case = repr((slice_.hash, signatures[0].types, signatures[0].constants, before))
        if case not in self.history.judged:
            self._start(job)
            work = Work(self.compiler(), slice_)
            self.history.judged[case] = broken_by_edit(work, signatures, before)
            self.compiles += work.compiles
        problem = self.history.judged[case]
        return outcome if problem is None else replace(outcome, facts=replace(outcome.facts, problems=[problem]))
