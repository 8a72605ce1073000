"""What the jit functions of the same file pass to a helper that they call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernel_analysis.signature.known import Choice
from kernel_analysis.source.kernel import JitFunction

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project


def apply(project: Project, function: JitFunction, choices: dict[str, Choice]) -> None:
    """Replace guesses by what a caller is seen to pass."""
    from kernel_analysis.signature import infer, roles, spelling
    from kernel_analysis.signature.model import Evidence
    from kernel_analysis.source.cut import cut

    for caller in project.load(function.file).functions:
        if caller.node is function.node or not roles.calls(caller.node, function.name) or roles.is_helper(caller):
            continue
        slice = cut(project, caller)
        index = next((i for i, f in enumerate(slice.functions) if f.node is function.node), None)
        if index is None:
            continue
        walk = infer.concrete(slice, infer.infer(project, caller, slice)[0])
        call = next((c for c in walk.calls if c.callee == index), None)
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
