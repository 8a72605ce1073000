"""What a file's launches and torch ops say of kernels that other files define: configs and launches that don't compile,
tensors passed twice, what an op writes.

A kernel is compiled for that only where such a question is open. May not touch the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from kernel_analysis.agent.choices.config_sets import AskedKernel, Sets
from kernel_analysis.agent.file.aliased_launches import Aliased
from kernel_analysis.agent.file.function_jobs import FunctionJob
from kernel_analysis.agent.file.inference import Inference
from kernel_analysis.agent.not_shown import come_to
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.facts import Facts
from kernel_analysis.host.tensors.launches.aliases import aliases
from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.report import Finding
from kernel_analysis.rules import aliased_arguments, config_compile_error, mutates_args, settled
from kernel_analysis.rules.mutates_args import Ops
from kernel_analysis.rules.subject import FileSubject, Subject
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.wire import Level


@dataclass(slots=True)
class Guests:
    """``subject`` compiles a kernel and reports on it; ``files``: those that an answer was read from."""

    project: Project
    inference: Inference
    sets: Sets
    aliased: Aliased
    levels: Mapping[str, Level]
    subject: Callable[[FunctionJob, list[Signature]], Subject | None]
    files: set[str] = field(default_factory=set[str])

    def findings(self, file: FileSubject, ops: Ops) -> list[Finding]:
        """About the file, beside what was said of its own kernels."""
        found: list[Finding] = []
        for function in _guests(file):
            if self.levels.get(config_compile_error.CODE) != "off":
                found += self._of_sets(file, function)
            twice = any(aliases(launch) for launch in file.launches_of(function.node))
            if twice and self.levels.get(aliased_arguments.CODE) != "off":
                found += self._of_aliases(file, function)
        if self.levels.get(mutates_args.CODE) != "off":
            found += ops.learn_others(self._known)
        return list(come_to.of_file(self.project.resolver, file.module, settled(found, file.module, self.levels)))

    def _of_sets(self, file: FileSubject, function: JitFunction) -> list[Finding]:
        def asked() -> AskedKernel | None:
            prepared = self._prepared(function)
            if prepared is None or prepared[0].slice is None:
                return None
            return AskedKernel(file, function, prepared[0].slice, prepared[1], Outcome(Facts()))

        if not self.sets.patient and not self.sets.doubts(file.module.file):
            self.sets.ask(file.module.file, function.qualname, asked)
            return []
        known = asked()
        return [] if known is None else self.sets.of_guest(known)

    def _of_aliases(self, file: FileSubject, function: JitFunction) -> list[Finding]:
        prepared = self._prepared(function)
        subject = self.subject(*prepared) if prepared is not None else None
        if prepared is None or subject is None:
            return []
        subject = Subject(self.project, subject.report, subject.facts, subject.slice, function, file.module)
        return self.aliased.findings(file, subject, prepared[1])

    def _known(self, function: JitFunction) -> Subject | None:
        prepared = self._prepared(function)
        return self.subject(*prepared) if prepared is not None else None

    def _prepared(self, function: JitFunction) -> tuple[FunctionJob, list[Signature]] | None:
        try:
            slice_ = cut(self.project, function)
        except NotCut:
            # The analysis of its own file says so.
            return None
        self.files |= slice_.files
        job = FunctionJob(function, slice_)
        return job, self.inference.signatures(self.project.load(function.file), job, slice_)


def _guests(file: FileSubject) -> Iterator[JitFunction]:
    seen: set[int] = set()
    for function in file.launched:
        if function.file != file.module.file and not function.stale and id(function.node) not in seen:
            seen.add(id(function.node))
            yield function
