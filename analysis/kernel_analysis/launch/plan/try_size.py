"""One try at a launch, with extents of one size: what is given, the cases of it, its arguments, the text of its module.
Runs no code of the user's."""

from __future__ import annotations

from typing import Any

from kernel_analysis.kernels import run_comment
from kernel_analysis.kernels.project import Project
from kernel_analysis.launch.choices import Sizes
from kernel_analysis.launch.follow import Follower
from kernel_analysis.launch.launch_model import Device, ExecutableLaunch, LaunchRefused
from kernel_analysis.launch.plan import launch_notes
from kernel_analysis.launch.plan.arguments import arguments, shown, size
from kernel_analysis.launch.plan.case import Case, Cases
from kernel_analysis.launch.plan.compiled import CompiledKernel
from kernel_analysis.launch.plan.known_arguments import Given, given, plain, without_numbers_for_texts
from kernel_analysis.launch.plan.machine_limits import Limits, meant
from kernel_analysis.launch.standalone import Rendered
from kernel_analysis.signature.launches.launched import frame
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import MadeOfTriton
from kernel_analysis.source.tree.forms import start_of

_MOST_CONFIGS = 32


def attempt(
    compiled: CompiledKernel, sizes: Sizes, pin: run_comment.Pinned | None, device: Device, processors: int
) -> ExecutableLaunch:
    """A launch with these sizes. Raises TooBig, Refused, run_pragma.Mistake."""
    project, function = compiled.project, compiled.function
    follower = Follower(project, sizes.shape, sizes.scalar, processors)
    names = [p.name for p in function.parameters if p.kind == "positional"]
    known = given(follower, project.launches_of(function), names, pin)
    without_numbers_for_texts(known, compiled.base.signature.constants)
    limits = Limits(device, processors, pinned=pin is not None, last=sizes.last)
    make = Cases(compiled, sizes, known, follower, limits)
    pinned = known.pinned
    configs = [(c, o) for c, o in _configs(project, function) if all(pinned.get(n, v) == v for n, v in c.items())]
    tried = (configs or [({}, {})])[: 1 if device.interpreted else None]
    cases = make.all([({**known.values, **constants}, options) for constants, options in tried])
    first, last = cases[0], cases[-1]
    passed, unproven = arguments(cases, known, sizes)
    _check(limits, cases, 0 if known.made else sum(map(size, passed)))
    if device.interpreted and compiled.slice.aggregates:
        raise LaunchRefused(
            f"`{function.qualname}` uses aggregates, which Triton's interpreter does not have; it needs a GPU."
        )
    rendered = Rendered(project, compiled.slice)
    constants = _constants(rendered, function, cases)  # which may need more imports
    source = f"{rendered.text}\n\n{constants}"
    options = _options(known)
    partly = [f"the first of {len(configs)} autotune configs is run"] if len(configs) > len(cases) else []
    told_so_far = [*known.assumed, *(sentence for case in cases for sentence in case.assumed), *unproven, *partly]
    return ExecutableLaunch(
        label=pin.label if pin is not None else "",
        pragma=launch_notes.comment(first, passed, options, function.autotuned),
        kernel=function.qualname,
        entry=rendered.entry,
        source=source,
        grid=first.grid,
        arguments=passed,
        configs=[
            {"constants": {k: shown(v) for k, v in c.constants.items()}, "options": {**options, **c.options}}
            for c in cases
        ],
        grid_of=[case.grid for case in cases],
        options=options,
        assumed=list(dict.fromkeys([*told_so_far, *launch_notes.chosen(first, last)])),  # cases assume the same
        flops=first.touched.flops or None,
        timed=not first.feeds_itself,
        places=rendered.places(source),
    )


def _check(limits: Limits, cases: list[Case], size: int) -> None:
    """``size``: the bytes of the buffers; of pinned ones it is the author who decides."""
    limits.check_memory(size)
    limits.check_work(cases[0].touched, cases[0].grid)
    for case in cases:
        limits.check_time(case.touched, case.grid, case.options.get("num_warps", 4))


def _configs(project: Project, function: JitFunction) -> list[tuple[dict[str, Any], dict[str, int]]]:
    """Constexpr values and options of each autotune config."""
    around = frame(project, function.file, (), start_of(function.node))
    out: list[tuple[dict[str, Any], dict[str, int]]] = []
    for values, options in zip(function.configs, function.config_options, strict=True):
        constants = {n: around.argument(v).value for n, v in values.items()}
        numbers = {n: around.argument(v).value for n, v in options.items()}
        if all(plain(v) for v in constants.values()):
            out.append((constants, {n: v for n, v in numbers.items() if type(v) is int and n in run_comment.OPTIONS}))
    return out[:_MOST_CONFIGS]


def _options(known: Given) -> dict[str, int]:
    """The compiler's options; one that is followed may be a number that nobody means."""
    return {
        name: value
        for name, value in known.values.items()
        if name in run_comment.OPTIONS and type(value) is int and (name in known.pinned or meant(name, value))
    }


def _constants(rendered: Rendered, function: JitFunction, cases: list[Case]) -> str:
    """The constexpr values of each case, as the module's last lines."""
    plain_ones = {p.name for p in function.parameters if not p.constexpr}

    def said(name: str, value: Any) -> str:
        # A number is one that is known when the kernel is compiled, if the parameter says so, or else the launch.
        passed = name in plain_ones and isinstance(value, (bool, int, float))
        return rendered.expression(MadeOfTriton("triton.language.constexpr", (value,)) if passed else value)

    lines: list[str] = []
    for case in cases:
        values = case.signature.constants.items()
        lines.append("{" + ", ".join(f'"{name}": {said(name, value)}' for name, value in values) + "}")
    return "CONSTANTS = [\n" + "".join(f"    {line},\n" for line in lines) + "]\n"
