"""What is compiled because somebody asked for it: a stage of the compiler as text, what a kernel takes of a GPU, the
torch custom op around it.

May not cache or report; one function, one answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from kernel_analysis.agent.compile import Work
from kernel_analysis.agent.texts import signature_report, signature_text
from kernel_analysis.facts import Problem
from kernel_analysis.lowering import Compiler, Stage
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.launch_options import launch_options
from kernel_analysis.signature.model import Signature
from kernel_analysis.source.cut import cut
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.project import Project
from kernel_analysis.source.slice import Slice


class BadRequest(Exception):
    """The request can't be answered; the message is for the user."""


def ir(project: Project, compiler: Compiler, file: str, qualname: str, stage: str) -> dict[str, Any]:
    """The function as ``stage`` has it, with the user's line of each line of the text that comes from one."""
    _, signature, made = _made(project, compiler, file, qualname, stage)
    head = [f"{qualname} for {compiler.target}: {signature_text(signature)}"]
    if stage != "ttir":
        head.append(f"Compiled as for a launch with pointers to aligned memory and {_spelled(made.options)}.")
    mark = ";" if stage in ("llir", "amdgcn") else "//"
    places = [[number + len(head), source, line] for number, (source, line) in sorted(made.lines.items())]
    return {"text": "".join(f"{mark} {line}\n" for line in head) + made.text, "map": places}


def resources(project: Project, compiler: Compiler, file: str, qualname: str) -> dict[str, Any]:
    """What the finished kernel takes, and which text and signature that is true of."""
    slice_, signature, made = _made(project, compiler, file, qualname, "resources")
    known = signature_report(signature, slice_, 0.0, 0.0, 0)
    return {
        "key": slice_.hash,
        "target": compiler.target,
        "types": known.types,
        "constants": known.constants,
        "launch_options": launch_options(_function(project, file, qualname), signature.constants),
        "options": {name: value for name, value in made.options.items() if value is not None},
        "resources": made.resources,
    }


def custom_op(project: Project, compiler: Compiler, file: str, qualname: str) -> dict[str, Any]:
    """The lines to insert into the file (before ``line``, from 1) for a torch custom op around the kernel."""
    from kernel_analysis.custom_op import Refused, write  # no agent's start should wait for what few ask for

    function = _function(project, file, qualname)
    slice_ = cut(project, function)
    signatures = infer(project, function, slice_)
    outcome = Work(compiler, slice_).outcome(signatures)
    if not outcome.signatures:
        raise BadRequest(f"`{qualname}` could not be compiled: {outcome.facts.problems[0].message}")
    used, _ = Work(compiler, slice_).first(signatures)
    try:
        made = write(project.module(file), function, [used, *signatures], outcome.facts, _namespace(project, file))
    except Refused as refused:
        raise BadRequest(f"No custom op can be written for `{qualname}`. {refused}") from refused
    return {"insertions": [{"line": one.line, "text": one.text} for one in made]}


def _namespace(project: Project, file: str) -> str:
    """The package that a file belongs to, or its own name."""
    return re.sub(r"\W", "_", project.dotted(file).partition(".")[0]) or "kernels"


def _spelled(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items() if value is not None)


def _made(project: Project, compiler: Compiler, file: str, qualname: str, stage: str) -> tuple[Slice, Signature, Stage]:
    function = _function(project, file, qualname)
    slice_ = cut(project, function)
    signature, lowered = Work(compiler, slice_).first(infer(project, function, slice_))
    if lowered.problem is not None:
        raise BadRequest(f"`{qualname}` could not be compiled: {lowered.problem.message}")
    made = compiler.stage(slice_, signature, stage, launch_options(function, signature.constants))
    if isinstance(made, Problem):
        raise BadRequest(f"`{qualname}`: {made.message}")
    return slice_, signature, made


def _function(project: Project, file: str, qualname: str) -> JitFunction:
    function = next((f for f in project.module(file).functions if f.qualname == qualname and not f.stale), None)
    if function is None:
        raise BadRequest(f"{os.path.basename(file)} has no jit function `{qualname}` that parses.")
    return function
