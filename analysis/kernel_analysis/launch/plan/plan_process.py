"""The planning process: a question as JSON on standard input, a launch (or why there is none) on standard output.

Imports no torch, and runs nothing of the user's: ``agent.planning_process`` starts it, with what it gives up before it
looks at a text.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import cast

from kernel_analysis.kernels import run_comment
from kernel_analysis.kernels.project import Project
from kernel_analysis.launch import choices, script
from kernel_analysis.launch.launch_model import Device, LaunchRefused
from kernel_analysis.launch.plan import Planner
from kernel_analysis.lowering import Compiler, TritonUnavailable
from kernel_analysis.run_wire import PinAnswer, Plan, Planned, PlannedLaunch, Refusal, Script
from kernel_analysis.source.kernel import JitFunction

Seal = Callable[[str, Iterable[str], Iterable[str]], None]
"""Of the file that is asked about, the workspace and what is installed: gives up all but reading those."""


def main(user_path: list[str], seal: Seal) -> None:
    """Answers one question."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    question = json.load(sys.stdin)
    try:
        reply = _launch(question, user_path, seal)
    except LaunchRefused as refused:
        reply = _refusal(refused)
    except (TritonUnavailable, ValueError) as error:
        reply = _refusal(LaunchRefused(str(error)))
    except Exception as error:  # noqa: BLE001 - the user gets a sentence, the log the rest
        traceback.print_exc()
        reply = _refusal(LaunchRefused(f"No launch could be made: {type(error).__name__}: {error}"))
    answer.write(json.dumps(reply))
    answer.close()
    sys.stderr.flush()
    os._exit(0)  # Triton's bindings report every object that the interpreter's end leaves behind


def _refusal(refused: LaunchRefused) -> Refusal:
    place = None if refused.place is None else list(refused.place)
    return {"refused": str(refused), "missing": list(refused.missing), "place": place, "kind": refused.kind}


def _launch(question: Plan, user_path: list[str], seal: Seal) -> Planned | Script | PinAnswer:
    device = Device(**question["device"])
    project = Project(question["roots"], user_path, device.target, patient=True)
    compiler = Compiler(device.target)  # imports Triton, which needs more than what is left then
    seal(question["file"], question["roots"], project.installed)
    for file, text in question["documents"].items():
        project.set_text(file, text)
    function = _function(project, question["file"], question["kernel"])
    if function.gluon and device.interpreted:
        raise LaunchRefused(
            f"`{function.qualname}` is a Gluon kernel, which Triton's interpreter can't run; it needs a GPU."
        )
    planner = Planner(project, function, compiler, device, question["processors"])
    launch = planner.plan(question["label"], question["smaller"])
    if question["wanted"] == "script":
        return {"script": script.text(launch, os.path.basename(question["file"]))}
    if question["wanted"] == "pin":
        place = run_comment.place(project.module(question["file"]), function)
        if place is None:
            raise LaunchRefused(f"`{function.qualname}` stands in a string, where no comment can be written.")
        return {"pin": [place[0], "\n".join(place[1] + line for line in launch.pragma.split("\n"))]}
    more = not launch.pinned and launch.scale + 1 < choices.scales(device)
    return {"launch": cast("PlannedLaunch", launch.to_json()), "smaller": launch.scale + 1 if more else None}


def _function(project: Project, file: str, name: str) -> JitFunction:
    functions = [f for f in project.module(file).functions if not f.stale]
    found = [f for f in functions if name in (f.qualname, f.name)]
    exact = [f for f in found if f.qualname == name] or found
    if not exact:
        names = ", ".join(f.qualname for f in functions)
        raise LaunchRefused(
            f"{os.path.basename(file)} has no jit function {name}. "
            + (f"It has {names}." if names else "It has none at all."),
            kind="no-kernel",
        )
    return exact[0]
