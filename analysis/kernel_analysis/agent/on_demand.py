"""What is compiled because somebody asked for it: the front end's module as text, to read or to be taken further
(``stages``), and the torch custom op around a kernel.

May not cache or report; one function, one answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kernel_analysis import paths, wire
from kernel_analysis.agent.protocol.requests import BadRequest
from kernel_analysis.attempt.compile import Work
from kernel_analysis.attempt.repairs.bound_otherwise import bound
from kernel_analysis.attempt.signature_text import signature_report, signature_text
from kernel_analysis.facts import Problem
from kernel_analysis.host.decorators.configs import OPTION_DEFAULTS
from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler, Stage
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.infer import infer, of_configs
from kernel_analysis.signature.signature_model import LaunchOptions, ParameterType, Signature
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice


def ir(project: Project, compiler: Compiler, file: str, qualname: str) -> wire.Printed:
    """The function as the front end makes it, with the user's line of each line of the text that comes from one."""
    made = lower(project, compiler, file, qualname, aligned=False)
    shown = compiler.stage(made.module, "ttir", made.gluon, {}, made.files)
    return stage_text("ttir", made.head, shown)


def slice_of(project: Project, function: JitFunction) -> Slice:
    """All that it is compiled from; BadRequest where it is not cut out."""
    try:
        return cut(project, function)
    except NotCut as why:
        raise BadRequest(f"`{function.qualname}` can't be cut out of its file: {why}.") from why


def configs(project: Project, file: str, qualname: str) -> wire.ConfigList:
    """The autotune configs of a kernel, in words; ``vary`` says why there may be others."""
    function = function_of(project, file, qualname)
    known = of_configs(project, function, slice_of(project, function))
    if function.autotuned and not known:
        raise BadRequest(f"`{qualname}` has configs that are made by code which can't be followed.")
    vary = function.configs_vary if known else None
    return wire.ConfigList([_spelled({**values, **launch.given}) for values, launch in known], vary)


def lower(
    project: Project, compiler: Compiler, file: str, qualname: str, aligned: bool = True, config: int | None = None
) -> wire.FrontEnd:
    """The function as the front end makes it, for the process that takes it further, and what that is true of.
    ``aligned``: for a launch with the options that are written at one; ``config``: with that one's values."""
    function = function_of(project, file, qualname)
    slice_ = slice_of(project, function)
    work = Work(compiler, slice_)
    signature, lowered = work.first(infer(project, function, slice_))
    problem = lowered.problem
    if config is not None:
        known = of_configs(project, function, slice_)
        if config >= len(known):
            raise BadRequest(f"`{qualname}` has {len(known)} configs, so no number {config}.")
        signature = _configured(signature, *known[config])
        problem = work.problem(signature)
    if problem is not None:
        raise BadRequest(f"`{qualname}` could not be compiled: {problem.message}")
    options = dict(signature.launch.given)
    if aligned and signature.launch.target is not None:
        raise BadRequest(f"`{qualname}` is written for `{signature.launch.target}`: choose that target to compile it.")
    module = compiler.front_end(bound(slice_, signature), signature, options, aligned)
    if isinstance(module, Problem):
        raise BadRequest(f"`{qualname}`: {module.message}")
    known = signature_report(signature, slice_, 0.0, 0.0, 0)
    return wire.FrontEnd(
        module=module,
        gluon=slice_.functions[0].gluon,
        options=options,
        files=[part.file for part in slice_.functions],
        head=f"{qualname} for {compiler.target}: {signature_text(signature)}",
        about=wire.CompiledFor(slice_.hash, compiler.target, known.types, known.constants, options),
    )


def _configured(signature: Signature, values: Mapping[str, Any], launch: LaunchOptions) -> Signature:
    """The signature with what a config sets: what it says nothing of, an autotuner passes as its default."""
    known = {n: v for n, v in values.items() if n in signature.types and v is not UNKNOWN}
    constants = {path: v for path, v in signature.constants.items() if paths.owner(path) not in known}
    types: dict[str, ParameterType] = {**signature.types, **dict.fromkeys(known, "constexpr")}
    given = {**OPTION_DEFAULTS, **launch.given}
    options = LaunchOptions(given, launch.settled, signature.launch.target)
    return replace(signature, types=types, constants={**constants, **known}, launch=options)


def _spelled(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={'?' if value is UNKNOWN else value}" for name, value in values.items())


def stage_text(stage: str, head: str, made: Stage) -> wire.Printed:
    """A stage to read, and where its lines come from."""
    comments = [head]
    if stage != "ttir":
        spelled = ", ".join(f"{name}={value}" for name, value in made.options.items() if value is not None)
        comments.append(f"Compiled as for a launch with pointers to aligned memory and {spelled}.")
    mark = ";" if stage in ("llir", "amdgcn") else "//"
    places = [(number + len(comments), source, line) for number, (source, line) in sorted(made.lines.items())]
    return wire.Printed("".join(f"{mark} {line}\n" for line in comments) + made.text, places)


def custom_op(project: Project, compiler: Compiler, file: str, qualname: str) -> wire.Insertions:
    """The lines to insert into the file (before ``line``, from 1) for a torch custom op around the kernel."""
    from kernel_analysis.custom_op import OpRefused, write  # no agent's start should wait for what few ask for

    function = function_of(project, file, qualname)
    slice_ = slice_of(project, function)
    signatures = infer(project, function, slice_)
    outcome = Work(compiler, slice_).outcome(signatures)
    if not outcome.signatures:
        raise BadRequest(f"`{qualname}` could not be compiled: {outcome.facts.problems[0].message}")
    used, _ = Work(compiler, slice_).first(signatures)
    try:
        module, namespace = project.module(file), _namespace(project, file)
        made = write(project.resolver, module, function, [used, *signatures], outcome.facts, namespace)
    except OpRefused as refused:
        raise BadRequest(f"No custom op can be written for `{qualname}`. {refused}") from refused
    return wire.Insertions(tuple(made))


def _namespace(project: Project, file: str) -> str:
    """The package that a file belongs to, or its own name."""
    return re.sub(r"\W", "_", project.dotted(file).partition(".")[0]) or "kernels"


def function_of(project: Project, file: str, qualname: str) -> JitFunction:
    """The function that somebody means. BadRequest where there is none."""
    function = next((f for f in project.module(file).functions if f.qualname == qualname and not f.stale), None)
    if function is None:
        raise BadRequest(f"{os.path.basename(file)} has no jit function `{qualname}` that parses.")
    return function
