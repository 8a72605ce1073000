"""The reports of functions to which nothing happened while the body of another was edited: the same slice in the same
host code, at the same severities. Keeps trees, and so of the last few texts only; where nobody edits, none.

Decides nothing: what hangs on more than that is asked anew by whoever gives such a report.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from kernel_analysis.agent.file.function_jobs import FunctionJob
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.kernels.kept.kept_by_function import KeptByFunction
from kernel_analysis.kernels.project import Project
from kernel_analysis.record import record
from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.rules import Level
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import Slice

_FUNCTIONS = 1024


@record
class KeptReport:
    """``callers``: what the kernels came to that a helper was shown by, in their order; ``outcome``: what it came to
    itself. ``signatures``: those inferred for a kernel of which configs and launches are to be looked at. ``findings``:
    of each rule; ``further``: about what configs and launches give it. ``about``: the files that were read for it
    beside those of its slice."""

    slice: Slice
    callers: tuple[Outcome, ...]
    signatures: list[Signature]
    outcome: Outcome
    report: KernelReport
    findings: dict[str, list[Finding]]
    further: list[Finding]
    about: frozenset[str]


class KeptReports:
    def __init__(self) -> None:
        self._known: KeptByFunction[KeptReport] = KeptByFunction(_FUNCTIONS, 2)

    def get(
        self,
        project: Project,
        job: FunctionJob,
        slice_: Slice,
        callers: tuple[Outcome, ...],
        levels: Mapping[str, Level],
    ) -> KeptReport | None:
        return self._known.get(_whose(job), _key(project, slice_, callers, levels))

    def keep(self, project: Project, job: FunctionJob, kept: KeptReport, levels: Mapping[str, Level]) -> None:
        self._known.keep(_whose(job), _key(project, kept.slice, kept.callers, levels), kept)


def _whose(job: FunctionJob) -> Hashable:
    return job.function.file, job.function.qualname, job.role, job.function.node.lineno


def _key(project: Project, slice_: Slice, callers: tuple[Outcome, ...], levels: Mapping[str, Level]) -> Hashable:
    # Whoever holds a slice or an outcome keeps its `id` from others.
    return id(slice_), tuple(map(id, callers)), project.host_changes, tuple(sorted(levels.items()))
