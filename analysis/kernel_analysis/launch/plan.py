"""Makes a launch of a kernel without asking: the kernel under the values to launch it with, tried with smaller and
smaller sizes until one fits the machine. Runs no code of the user's and imports no torch."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from kernel_analysis.agent.compile import Work
from kernel_analysis.dataflow import analyze
from kernel_analysis.facts import Facts
from kernel_analysis.ir import Ir
from kernel_analysis.launch import choices, pragma
from kernel_analysis.launch.attempt import Attempt, TooBig, plain
from kernel_analysis.launch.fakes import UNKNOWN
from kernel_analysis.launch.model import Device, Launch, Refused
from kernel_analysis.lowering import Compiler
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.model import Evidence, Signature
from kernel_analysis.source.cut import cut
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.project import Project

_SECONDS = 2.0
_TOO_BIG = ("exceeds triton maximum tensor numel", "compiling it takes too long")


class Planner:
    """For one kernel of one project. ``processors``: how many the device has."""

    def __init__(
        self, project: Project, function: JitFunction, compiler: Compiler, device: Device, processors: int
    ) -> None:
        self.project, self.function, self.device, self.processors = project, function, device, processors
        self.slice = cut(project, function)
        self._work, self._compiler = Work(compiler, self.slice), compiler
        compiler.seconds = math.inf
        self._base = self._lower(infer(project, function, self.slice))
        self._lowered: dict[str, tuple[Signature, Ir, Facts] | None] = {}

    def plan(self, label: str | None = None, smaller: int = 0) -> Launch:
        """The first launch that fits the machine; ``label``: which of those that are pinned above the kernel;
        ``smaller``: how many sizes are left out, the largest first. Raises Refused."""
        pinned = self._pinned(label)
        problem = "every launch that was tried is too large for this machine"
        for scale in range(smaller, choices.scales(self.device)):
            try:
                launch = Attempt(self, choices.Sizes(self.device, scale), pinned).launch()
                launch.scale, launch.pinned = scale, pinned is not None
                return launch
            except TooBig as error:
                problem = str(error)
            except pragma.Mistake as mistake:
                raise _mistaken(mistake) from mistake
        raise Refused(f"No launch of `{self.function.qualname}` is small enough for this machine: {problem}.")

    @property
    def base(self) -> Signature:
        """The likeliest signature."""
        return self._base[0]

    def _pinned(self, label: str | None) -> pragma.Pinned | None:
        launches, mistakes = pragma.read(self.project.load(self.function.file), self.function)
        if mistakes:
            raise _mistaken(mistakes[0])
        found = [one for one in launches if label is None or one.label == label]
        if label and not found:
            known = ", ".join(one.label for one in launches if one.label)
            raise Refused(
                f"No launch `{label}` is pinned above `{self.function.qualname}`; there are: {known or 'none'}."
            )
        return found[0] if found else None

    def _lower(self, signatures: list[Signature]) -> tuple[Signature, Ir, Facts]:
        used, lowered = self._work.first(signatures)
        if lowered.ir is None:
            assert lowered.problem is not None
            span = self.slice.span(lowered.problem.at)
            message = f"`{self.function.qualname}` does not compile: {lowered.problem.message}"
            raise Refused(message, place=None if span is None else (span.file, span.line))
        return used, lowered.ir, analyze(lowered.ir, self.slice, used)

    def lowered(
        self, constants: dict[str, Any], types: dict[str, str], strict: bool = False
    ) -> tuple[Signature, Ir, Facts]:
        """The kernel under other constexpr values or types. Where it can't be compiled with them: as it is, or Refused
        where that is ``strict``."""
        base = self._base[0]
        types = {name: kind for name, kind in types.items() if base.types.get(name) != kind}
        kinds = {**base.types, **types}
        mine = {name: v for name, v in constants.items() if kinds.get(name) == "constexpr" and plain(v)}
        if all(base.constants.get(name, UNKNOWN) == v for name, v in mine.items()) and not types:
            return self._base
        key = repr((sorted(mine.items()), sorted(types.items())))
        if key not in self._lowered:
            chosen = Evidence("launch", "chosen for the launch", True)
            kept = {n: v for n, v in base.constants.items() if n not in types}
            signature = replace(
                base,
                constants={**kept, **mine},
                types=kinds,
                evidence={**base.evidence, **dict.fromkeys([*mine, *types], chosen)},
            )
            self._compiler.seconds = math.inf if strict else _SECONDS
            try:
                self._lowered[key] = self._lower([signature])
            except Refused as refused:
                if strict:
                    raise
                if any(sign in str(refused) for sign in _TOO_BIG):
                    raise TooBig("its blocks or unrolled loops are too large to be compiled") from refused
                self._lowered[key] = None
        return self._lowered[key] or self._base


def _mistaken(mistake: pragma.Mistake) -> Refused:
    return Refused(
        f"The comment that pins the launch: {mistake.message}.", place=(mistake.span.file, mistake.span.line)
    )
