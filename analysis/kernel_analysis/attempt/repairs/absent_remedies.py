"""What to change where a kernel computes with what is None: launches in sight leave it out, or seem to."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.attempt.repairs.diagnosis import Change, Doctor
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import UNKNOWN, Clue
from kernel_analysis.signature.parameter_evidence import EXTENT
from kernel_analysis.source.tree.syntax import annotated_constants


def present(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """Numbers and pointers in the place of what is None: of all that the kernel never asks whether it is there, as they
    mostly come together, then of what stands at the place."""
    signature = doctor.signature
    # What a launch is likely to pass, too: `**strides(x)` where one `return` of several has None for each.
    absent = [n for n, e in signature.evidence.items() if signature.constants.get(n, UNKNOWN) is None and not e.certain]
    clues = {name: seen.clues.get(name, Clue()) for name in absent}
    computed = [n for n, clue in clues.items() if not clue.weight("none") and not clue.weight("flag")]
    constants = annotated_constants(doctor.slice.functions[0].node)
    for group in (computed, [name for name in absent if name in suspects]):
        change: Change = {}
        for name in group:
            if name in constants:
                change[name] = "constexpr", EXTENT
            else:
                change[name] = ("*fp32" if clues[name].weight("pointer") else "i32"), None
        yield change
