"""A launch of a kernel: tried with smaller and smaller sizes until one fits the machine."""

from __future__ import annotations

from kernel_analysis.kernels import run_comment
from kernel_analysis.kernels.project import Project
from kernel_analysis.launch import choices
from kernel_analysis.launch.launch_model import Device, ExecutableLaunch, LaunchRefused
from kernel_analysis.launch.plan.compiled import CompiledKernel
from kernel_analysis.launch.plan.machine_limits import TooBig
from kernel_analysis.launch.plan.try_size import attempt
from kernel_analysis.lowering import Compiler
from kernel_analysis.source.kernel import JitFunction


class Planner:
    """For one kernel of one project. ``processors``: how many the device has."""

    def __init__(
        self, project: Project, function: JitFunction, compiler: Compiler, device: Device, processors: int
    ) -> None:
        self._project, self._function, self._device, self._processors = project, function, device, processors
        self._compiled = CompiledKernel(project, function, compiler)

    def plan(self, label: str | None = None, smaller: int = 0) -> ExecutableLaunch:
        """The first launch that fits the machine; ``label``: which of those that are pinned above the kernel;
        ``smaller``: how many sizes are left out, the largest first. Raises Refused."""
        pin = self._pinned(label)
        problem = "every launch that was tried is too large for this machine"
        for scale in range(smaller, choices.scales(self._device)):
            try:
                sizes = choices.Sizes(self._device, scale)
                launch = attempt(self._compiled, sizes, pin, self._device, self._processors)
                launch.scale, launch.pinned = scale, pin is not None
                return launch
            except TooBig as error:
                problem = str(error)
            except run_comment.Mistake as mistake:
                raise _mistaken(mistake) from mistake
        raise LaunchRefused(f"No launch of `{self._function.qualname}` is small enough for this machine: {problem}.")

    def _pinned(self, label: str | None) -> run_comment.Pinned | None:
        launches, mistakes = run_comment.read(self._project.load(self._function.file), self._function)
        if mistakes:
            raise _mistaken(mistakes[0])
        found = [one for one in launches if label is None or one.label == label]
        if label and not found:
            known = ", ".join(one.label for one in launches if one.label)
            raise LaunchRefused(
                f"No launch `{label}` is pinned above `{self._function.qualname}`; there are: {known or 'none'}."
            )
        return found[0] if found else None


def _mistaken(mistake: run_comment.Mistake) -> LaunchRefused:
    return LaunchRefused(
        f"The comment that pins the launch: {mistake.message}.", place=(mistake.span.file, mistake.span.line)
    )
