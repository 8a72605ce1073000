"""The integers of a kernel that a launch passes as 1: Triton compiles these as constants, which decide what else is
compiled. Knows no compiler.
"""

from __future__ import annotations

from dataclasses import replace

from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.slice import Slice


def as_constants(slice_: Slice, signature: Signature) -> Signature | None:
    """The signature of the launches that pass 1; None where none does, or Triton is told not to look."""
    names = [name for name, evidence in signature.evidence.items() if evidence.one and signature.types[name] == "i32"]
    if not names or "do_not_specialize" in slice_.functions[0].options:
        return None
    types = {name: "constexpr" if name in names else type for name, type in signature.types.items()}
    evidence = {**signature.evidence, **{name: Evidence("launch", "a launch passes 1", True) for name in names}}
    constants = {**signature.constants, **dict.fromkeys(names, 1)}
    return replace(signature, types=types, constants=constants, evidence=evidence)
