"""How a signature is launched, its arguments aside: ``num_warps`` and the like, and the target that a kernel is written
for.

May not guess: what is not written is the compiler's default; ``others`` are for where that does not fit.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kernel_analysis.facts import Problem
from kernel_analysis.host.evaluate.argument import supposed
from kernel_analysis.signature.launches.launched import frame, frame_of, replaced
from kernel_analysis.signature.signature_model import LaunchOptions, Signature
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.forms import last_name, start_of

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project
    from kernel_analysis.signature.launches.frame import Frame

_NAMES: Final = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_DEFAULTS: Final = {"num_warps": 4, "num_ctas": 1}
_ASKING: Final = frozenset(("num_warps", "num_ctas", "num_threads"))
"""What kernels call to learn how they were launched."""
_GLUON: Final = "triton.experimental.gluon"
_AMD: Final = {
    "cdna3": "hip:gfx942", "cdna4": "hip:gfx950", "rdna3": "hip:gfx1100", "rdna4": "hip:gfx1200",
    "gfx1250": "hip:gfx1250",
}  # fmt: skip
_NVIDIA: Final = {"ampere": "cuda:80", "hopper": "cuda:90", "blackwell": "cuda:100"}
_ASKS_TARGET: Final = re.compile(r"\.target_info\.")
_OF_TARGETS: Final = re.compile(r"^triton\.language\.extra\.(?!libdevice)")
"""Names whose functions compile for some targets only."""
_WIDE, _NARROW = "hip:gfx942", "cuda:90"
"""The usual targets with 64 and with 32 threads in a warp."""


def of_launch(project: Project, function: JitFunction, slice_: Slice, constants: Mapping[str, Any]) -> LaunchOptions:
    """As the autotune config gives them that ``constants``, the constexpr values of a signature, come from; or else the
    first launch that says any."""
    target = _written_for(slice_, project.hardware.backend)
    around = frame(project, function.file, (), start_of(function.node))
    for values, options in zip(function.configs, function.config_options, strict=True):
        known = {name: value.value for name, value in values.items() if isinstance(value, ast.Constant)}
        if all(constants.get(name) == value for name, value in known.items()):
            found, settled = _numbers(options, around)
            return LaunchOptions(found, settled, target)
    launches = project.launches_of(function)
    settled = bool(launches) and not function.autotuned
    for launch in launches:
        written = {keyword.arg: keyword.value for keyword in launch.call.keywords if keyword.arg}
        found, known = _at(project, function, launch)
        settled = settled and known and all(keyword.arg for keyword in launch.call.keywords)
        found = found if known else {**found, **_alike(function, launch, written, constants)}
        if found:
            return LaunchOptions(found, settled, target)
    return LaunchOptions({}, settled, target)


def _alike(
    function: JitFunction, launch: Launch, written: Mapping[str, ast.expr], constants: Mapping[str, Any]
) -> dict[str, int]:
    """The options for which a launch passes the very name that it passes for a parameter: they are what that is."""
    names = [p.name for p in function.parameters if p.kind == "positional"]
    passed = [*zip(names, launch.call.args, strict=False), *((n, v) for n, v in written.items() if n not in _NAMES)]
    values = {node.id: constants.get(name) for name, node in passed if isinstance(node, ast.Name)}
    found = {
        name: values.get(node.id) for name, node in written.items() if name in _NAMES and isinstance(node, ast.Name)
    }
    return {name: value for name, value in found.items() if type(value) is int}


def options_at(project: Project, function: JitFunction, slice_: Slice, launch: Launch) -> LaunchOptions:
    """As one launch says them."""
    found, known = _at(project, function, launch)
    settled = known and not function.autotuned and all(keyword.arg for keyword in launch.call.keywords)
    return LaunchOptions(found, settled, _written_for(slice_, project.hardware.backend))


def options_of_config(project: Project, function: JitFunction, options: Mapping[str, ast.expr]) -> LaunchOptions:
    """As one autotune config says them."""
    return LaunchOptions(*_numbers(options, frame(project, function.file, (), start_of(function.node))))


def _at(project: Project, function: JitFunction, launch: Launch) -> tuple[dict[str, int], bool]:
    """What a launch says, found out once for as long as the host code is the same."""
    written = {keyword.arg: keyword.value for keyword in launch.call.keywords if keyword.arg}
    calls = [launch]
    while calls[-1].via is not None:
        calls.append(calls[-1].via)
    where = tuple([(one.file, one.call.lineno, one.call.col_offset) for one in calls])

    def find() -> tuple[dict[str, int], bool]:
        found, settled = _numbers(written, frame_of(project, launch))
        return found, settled and not replaced(project, function)

    return project.host_text.kept(function, ("options", where), find)


def _numbers(options: Mapping[str, ast.expr], around: Frame) -> tuple[dict[str, int], bool]:
    """The options whose value is known, or likely; and whether all are known, in every run."""
    values = {name: around.argument(options[name]) for name in _NAMES if name in options}
    found = {name: likely for name, value in values.items() if type(likely := supposed(value)) is int}
    return found, all(type(value.value) is int and value.sure and not value.varies for value in values.values())


def matters(problem: Problem, signature: Signature, slice_: Slice) -> bool:
    """Whether the problem may be one of a launch with other options than those that nobody said."""
    if problem.certain:
        return False
    if of_target(problem, signature, slice_):
        return True
    gluon = slice_.functions[0].gluon and "layout" in problem.kind.topics
    if gluon and problem.kind.threads == 64:
        return True
    return not signature.launch.settled and (gluon or asks(slice_))


def others(problem: Problem, signature: Signature, slice_: Slice, target: str) -> Iterator[Signature]:
    """The signature launched in other ways, as the problem wants it; the likeliest first. ``target``: the usual one."""
    launch, kind = signature.launch, problem.kind
    made_for = {64: _WIDE, 32: _NARROW}.get(kind.threads or 0, target)
    if launch.target is None and not targets_alike(made_for, target):
        # No GPU of the one kind has warps like the other's.
        launch = replace(launch, target=made_for)
        yield replace(signature, launch=launch)
    if launch.settled:
        return
    for name, likely in (("num_warps", (8, 2, 1, 16)), ("num_ctas", (2, 4))):
        wanted = kind.warps if name == "num_warps" else kind.blocks
        for number in (wanted,) if wanted else likely if asks(slice_) or "layout" in kind.topics else ():
            if name not in launch.given:
                yield replace(signature, launch=replace(launch, given={**launch.given, name: number}))


def targets_alike(one: str | None, other: str) -> bool:
    """Whether both are GPUs of one kind, of which another may only lack something."""
    return one is not None and one.split(":")[0] == other.split(":")[0]


def targeted(signature: Signature, target: str) -> Iterator[Signature]:
    """The signature for each other target that a kernel may be written for."""
    usual = dict.fromkeys((_WIDE, _AMD["cdna4"], _AMD["gfx1250"], _NARROW, _NVIDIA["blackwell"]))
    for other in usual:
        if other != target:
            yield replace(signature, launch=replace(signature.launch, target=other))


def of_target(problem: Problem, signature: Signature, slice_: Slice) -> bool:
    """Whether the problem may be one of the target: a function on the way to it asks for which it is compiled, or calls
    what only some have."""
    if problem.certain or signature.launch.target is not None or signature.launch.any_target:
        return False
    places = [at for at in (problem.at, *problem.chain) if at.function >= 0]
    asks = any(_ASKS_TARGET.search(path) for at in places for path in slice_.functions[at.function].used())
    calls = any(_OF_TARGETS.search(path) for at in places for path in slice_.functions[at.function].used(at.node))
    return asks or calls or "target" in problem.kind.topics


def spelled(launch: LaunchOptions) -> str:
    """What a kernel is launched with, for people."""
    return ", ".join(f"`{name}={launch.given.get(name, usual)}`" for name, usual in _DEFAULTS.items())


def asks(slice_: Slice) -> bool:
    """Whether a function of the slice asks how it was launched."""
    calls = (n.func for f in slice_.functions for n in f.nodes if isinstance(n, ast.Call) and not n.args)
    return any(last_name(c) in _ASKING for c in calls)


def _written_for(slice_: Slice, backend: str) -> str | None:
    """The target whose part of Gluon a kernel uses, and no other's, if it is not one of ``backend``."""
    if not slice_.functions[0].gluon:
        return None
    parts = {tuple(path.split(".")[4:6]) for f in slice_.functions for path in f.used() if path.startswith(_GLUON)}
    vendors = {part[0] for part in parts if part and part[0] in ("amd", "nvidia")}
    table = _AMD if vendors == {"amd"} else _NVIDIA if vendors == {"nvidia"} else {}
    if not table or backend == ("hip" if table is _AMD else "cuda"):
        return None
    named = [table[part[1]] for part in sorted(parts) if part[1:] and part[1] in table]
    return next(iter(named), _WIDE if table is _AMD else _NARROW)
