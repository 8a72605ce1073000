"""What the kernels of the same file pass to a helper that they call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kernel_analysis.signature import roles, spelling
from kernel_analysis.signature.known import Choice
from kernel_analysis.signature.model import Evidence
from kernel_analysis.signature.notes import Notes
from kernel_analysis.source.cut import cut
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project

_MOST = 3
"""Callers to look at: each costs as much as a signature of its own."""


def apply(
    project: Project,
    function: JitFunction,
    choices: dict[str, Choice],
    seen: Callable[[JitFunction, Slice], Notes],
) -> None:
    """Replace guesses by what a caller passes; ``seen`` walks a caller under its likeliest signature."""
    functions = project.load(function.file).functions
    direct = [f for f in functions if f.node is not function.node and roles.calls(f.node, function.name)]
    # A helper that only other helpers call is reached through a kernel of the file, if at all.
    callers = [f for f in direct or functions if roles.role(f, functions) == "kernel"]
    if not callers:
        # The file's helpers are for the kernels of other files.
        callers = [f for f in direct if not any(g is not f and roles.calls(g.node, f.name) for g in functions)]
    for caller in callers[:_MOST]:
        slice = cut(project, caller)
        index = next((i for i, f in enumerate(slice.functions) if f.node is function.node), None)
        call = next((c for c in seen(caller, slice).calls if c.callee == index), None) if index is not None else None
        if call is None:
            continue
        for name, value in call.arguments.items():
            type = spelling.type_of(value)
            choice = choices.get(name)
            if choice is None or type is None or choice.evidence.certain:
                continue
            evidence = Evidence("call", f"{caller.name} passes it", False, caller.node.lineno)
            choices[name] = Choice(type, evidence, {name: value.const} if type == "constexpr" else {}, choice.others)
        return
