"""The jit functions of one file, cut out and put in the order to compile them in. Never raises for one function's
sake."""

from __future__ import annotations

import math
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from kernel_analysis import wire
from kernel_analysis.attempt.helper_facts import HelperIdentity, identity
from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.report import Finding, KernelReport, ProblemReport
from kernel_analysis.rules import Level
from kernel_analysis.signature.evidence.roles import role
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Slice

TOO_DEEP = "its code is nested too deeply to be analysed"
_TOO_LATE = "looking at the functions before it in this file took too long"
# For the functions of one file, before the first of them is compiled, where somebody edits: the first file of a large
# workspace takes several times as long, and has all that the next ones need.
_MOST_SECONDS = 5.0
_MOST_PARAMETERS = 1000


@dataclass(slots=True)
class FunctionJob:
    """``slice`` None: it was not cut, for the reason ``error``. ``members``: the identities of the slice's other
    functions. ``uncut``: the key until it is cut. ``files``: where it was read that it can't be; None: another time it
    may. ``elsewhere``: it was shown by kernels of other files."""

    function: JitFunction
    slice: Slice | None
    role: Literal["kernel", "helper"] = "kernel"
    error: str | None = None
    members: frozenset[HelperIdentity] = frozenset()
    uncut: str = ""
    files: frozenset[str] | None = None
    elsewhere: bool = False

    @property
    def key(self) -> str:
        return self.slice.hash if self.slice else self.uncut

    def read_from(self, project: Project) -> set[str]:
        """The files that it and its launches stand in."""
        launches = project.launches_of(self.function) if self.role == "kernel" else ()
        own = self.slice.files if self.slice is not None else self.files or frozenset[str]()
        return {*own, *(file for launch in launches for file in launch.files)}

    def failed_report(self, reason: str, levels: Mapping[str, Level]) -> KernelReport:
        """All there is to say where not even a slice is known."""
        function, place = self.function, self.function.name_span
        report = KernelReport(
            self.key, function.file, function.name, function.qualname, self.role, "failed", function.span, place
        )
        report.problems = [ProblemReport("not-analyzed", reason, place)]
        if levels.get("not-analyzed") != "off":
            message = f"{self.role} `{function.name}`: {reason}"
            report.findings = [Finding("not-analyzed", "information", message, place)]
        return report


def jobs_of(
    project: Project,
    module: Module,
    skip: Mapping[str, str] | None = None,
    turn: Callable[[FunctionJob], None] = lambda job: None,
    patient: bool = True,
) -> list[FunctionJob]:
    """One for each function that parses at present, in the order of the text. ``turn`` hears of each before it is
    cut; ``skip``: the reasons to do nothing about some, by key; ``patient``: it takes as long as it takes."""
    end = math.inf if patient else time.process_time() + _MOST_SECONDS
    jobs: list[FunctionJob] = []
    for function in module.functions:
        if not function.stale:
            job = FunctionJob(function, None, uncut=_uncut(module, function))
            job.error = (skip or {}).get(job.key) or (_TOO_LATE if time.process_time() > end else None)
            if job.error is None:
                turn(job)
                with project.resolver.reading() as files:
                    _cut(project, job, files)
            jobs.append(job)
    called = {member for job in jobs for member in job.members}
    for job in jobs:
        if job.slice is not None:
            name = job.function.name
            # What is typed at present may be a call all the same.
            is_called = identity(job.slice.functions[0]) in called or module.is_called_in_broken(name)
            job.role = role(job.function, (), {name} if is_called else ())
        else:
            job.role = role(job.function, module.functions)
    return jobs


def in_order(jobs: list[FunctionJob], first_line: int | None) -> list[FunctionJob]:
    """The function around ``first_line`` first; helpers after all that call them, whose types they take: what is said
    of one does not hang on where the cursor is."""
    kernels = [job for job in jobs if job.role == "kernel"]
    helpers = _callers_first([job for job in jobs if job.role == "helper"])
    edited = [job for job in jobs if first_line is not None and _around(job.function, first_line)]
    # The innermost: a kernel may be nested in another function.
    focus = min(edited, key=lambda job: job.function.span.end_line - job.function.span.line, default=None)
    if focus is None:
        return kernels + helpers
    needed = [] if focus.role == "kernel" else [job for job in kernels + helpers if _reaches(job, focus)]
    needed = [job for job in needed if job is not focus]
    ahead = [*needed, focus]
    return ahead + [job for job in kernels + helpers if all(job is not other for other in ahead)]


def _callers_first(helpers: list[FunctionJob]) -> list[FunctionJob]:
    """In the order of the text, but for those whose callers stand below them."""
    calling: dict[HelperIdentity, list[FunctionJob]] = {}
    for job in helpers:
        for member in job.members:
            calling.setdefault(member, []).append(job)
    ordered: dict[int, FunctionJob] = {}
    for job in helpers:
        callers = [] if job.slice is None else calling.get(identity(job.slice.functions[0]), [])
        # Who calls a caller has all in its slice that this has, and that.
        for each in [*sorted(callers, key=lambda caller: -len(caller.members)), job]:
            ordered.setdefault(id(each), each)
    return [*ordered.values()]


def _reaches(caller: FunctionJob, helper: FunctionJob) -> bool:
    """Whether the helper is part of the other's slice."""
    return helper.slice is not None and identity(helper.slice.functions[0]) in caller.members


def _around(function: JitFunction, line: int) -> bool:
    return function.span.line <= line <= function.span.end_line


def _uncut(module: Module, function: JitFunction) -> str:
    """The key of a function as long as its slice is not known."""
    node = function.node
    text = "\n".join(module.lines[node.lineno - 1 : node.end_lineno])
    return f"uncut:{function.file}:{function.qualname}:{zlib.crc32(text.encode('utf-8', 'surrogatepass'))}"


def _cut(project: Project, job: FunctionJob, files: set[str]) -> None:
    """Finds the slice of a job, or why there is none; ``files`` are told of what is read for it."""
    count = len(job.function.parameters)
    if count > _MOST_PARAMETERS:
        job.error = f"it has {count:,} parameters, and at most {_MOST_PARAMETERS:,} are looked at"
        job.files = frozenset()
        return
    try:
        slice_ = job.slice = cut(project, job.function)
    except NotCut as why:
        job.error, job.files = str(why), frozenset(files)
    except RecursionError:
        job.error = TOO_DEEP
    except Exception as error:  # noqa: BLE001 - one function's text must not cost the others their facts
        traceback.print_exc(file=sys.stderr)
        job.error = f"the analysis failed on this function ({type(error).__name__}: {error})"
    else:
        job.members = frozenset(identity(f) for f in slice_.functions[1:]) - {identity(slice_.functions[0])}


def _role_of_stale(module: Module, function: JitFunction) -> Literal["kernel", "helper"]:
    """By its last tree that parsed, and by what the rest of the file calls."""
    others = [other for other in module.functions if other.qualname != function.qualname]
    return role(function, others, {function.name} if module.is_called_in_broken(function.name) else ())


def entries(module: Module, jobs: list[FunctionJob]) -> Iterator[wire.Entry]:
    """All jit functions of a file, those in a part that does not parse among them."""
    roles: dict[int, tuple[str, Literal["kernel", "helper"]]] = {id(job.function): (job.key, job.role) for job in jobs}
    for function in module.functions:
        key, its_role = roles.get(id(function)) or (f"stale:{function.qualname}", _role_of_stale(module, function))
        yield wire.Entry(
            key, function.name, function.qualname, its_role, function.span, function.name_span, function.stale
        )
