"""The kernels that call a helper, of its file and of others: what they show of it.

Follows names through the workspace; a kernel is compiled for that only where such a question is open. May not touch the
wire.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from kernel_analysis.agent.file.function_jobs import FunctionJob
from kernel_analysis.agent.file.inference import Inference
from kernel_analysis.attempt.helper_facts import HelperIdentity, identity, outcome_of_helper
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.evidence import roles
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

_MOST_KERNELS = 2
"""To compile for one helper."""
_MOST_FUNCTIONS = 16
"""To look at for one helper: those that call it, those that call these."""


class CallersHere:
    """The functions of one file that were looked at, by the helpers that they reach."""

    def __init__(self) -> None:
        self._reaching: dict[HelperIdentity, list[tuple[int, str, Slice, Outcome]]] = {}

    def done(self, job: FunctionJob, outcome: Outcome) -> None:
        if job.slice is not None:
            for member in job.members:
                done = job.function.span.line, job.function.name, job.slice, outcome
                self._reaching.setdefault(member, []).append(done)

    def outcome(self, slice_: Slice) -> Outcome | None:
        """What they show of a helper."""
        return outcome_of_helper(slice_, [(name, kernel, found) for _, name, kernel, found in self._of(slice_)])

    def callers(self, slice_: Slice) -> tuple[Outcome, ...]:
        """What they came to themselves."""
        return tuple(found for _, _, _, found in self._of(slice_))

    def _of(self, slice_: Slice) -> list[tuple[int, str, Slice, Outcome]]:
        # As they stand in the file: which of them was looked at first is a matter of where the cursor is.
        return sorted(self._reaching.get(identity(slice_.functions[0]), ()), key=itemgetter(0))


@dataclass(slots=True)
class Callers:
    """``compiled``: what compiling a kernel comes to; ``files``: those that an answer was read from."""

    project: Project
    inference: Inference
    skip: Collection[str]
    compiled: Callable[[FunctionJob, Slice, list[Signature]], Outcome]
    files: set[str] = field(default_factory=set[str])

    def outcome(self, helper: JitFunction, slice_: Slice) -> Outcome | None:
        """What the first kernel that compiles shows of the helper; None where none does."""
        tried = 0
        for function, cut_out in self._kernels(helper, slice_):
            job = FunctionJob(function, cut_out)
            if job.key in self.skip:
                continue
            if tried >= _MOST_KERNELS:
                break
            tried += 1
            signatures = self.inference.signatures(self.project.load(function.file), job, cut_out)
            found = self.compiled(job, cut_out, signatures)
            outcome = outcome_of_helper(slice_, [(function.name, cut_out, found)])
            if outcome is not None:
                return outcome
        return None

    def _kernels(self, helper: JitFunction, slice_: Slice) -> Iterator[tuple[JitFunction, Slice]]:
        """Kernels of other files that reach the helper, those that call it themselves first."""
        own = identity(slice_.functions[0])
        todo = [helper]
        for function in todo:
            for caller in self._calling(function):
                if len(todo) >= _MOST_FUNCTIONS or any(caller.node is other.node for other in todo):
                    continue
                todo.append(caller)
                is_kernel = roles.role(caller, self.project.load(caller.file).functions) == "kernel"
                if not is_kernel or caller.file == helper.file:
                    continue
                try:
                    kernel = cut(self.project, caller)
                except NotCut:
                    continue  # its own file's report says why
                self.files |= kernel.files
                if any(identity(other) == own for other in kernel.functions[1:]):
                    yield caller, kernel

    def _calling(self, function: JitFunction) -> Iterator[JitFunction]:
        """The jit functions that may call one, of its own file and of others."""
        project = self.project
        names = {function.name, *project.elsewhere.called(function.name)}
        for file in (function.file, *project.elsewhere.calling(project.load(function.file), function.name)):
            self.files.add(file)
            module = project.load(file)
            for other in project.functions(module):
                if not other.stale and any(roles.calls(other.node, name) for name in names):
                    yield other
