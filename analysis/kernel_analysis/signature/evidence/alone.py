"""What can't be compiled by itself, because nothing that it needs can be handed to it: only a kernel that calls it
shows what it does."""

from __future__ import annotations

from kernel_analysis import paths
from kernel_analysis.signature.evidence.roles import object_of
from kernel_analysis.signature.notes import Notes
from kernel_analysis.signature.parameter_evidence import Choice
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.kernel import JitFunction

_GUESSED = ("use", "name", "assumed")


def why_not(function: JitFunction, signature: Signature) -> str | None:
    """Why a function is not compiled by itself; None for one that is."""
    owner = object_of(function)
    if owner is not None and not signature.made:
        what = f"`{function.parameters[0].name}` is an object of `{owner}`"
    elif signature.memory:
        what = f"`{signature.memory[0]}` is, or holds, memory that a kernel allocates"
    else:
        return None
    return f"{what}, so it is analysed as part of the kernels that call it, and none in sight that compiles does"


def of_memory(seen: Notes, choices: dict[str, Choice]) -> tuple[str, ...]:
    """The parameters that are given to what takes memory, and of which nothing says that they are something else."""
    taken = {paths.owner(path) for path, clue in seen.clues.items() if clue.weight("memory")}
    return tuple(
        name
        for name, choice in choices.items()
        if name in taken and choice.type != "constexpr" and not choice.made and choice.evidence.kind in _GUESSED
    )
