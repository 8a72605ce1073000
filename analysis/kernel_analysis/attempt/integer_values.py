"""What Triton compiles an integer as that a launch passes: of 32 bits, of 64 where its value wants them, a constant
where it is 1. Knows no compiler.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.slice import Slice

MOST_ALONE = 4
"""More are tried together only."""


def as_constants(slice_: Slice, signature: Signature) -> Signature | None:
    """The signature of the launches that pass 1; None where none does, or Triton is told not to look."""
    names = [name for name, evidence in signature.evidence.items() if evidence.one and signature.types[name] == "i32"]
    return _ones(slice_, signature, names) if names else None


def of_any_size(signature: Signature, names: Iterable[str]) -> list[str]:
    """Those of the parameters that are integers of which the launches in sight don't say how large they are."""
    return [name for name in names if signature.evidence[name].any_size and signature.types[name] == "i32"]


def otherwise(slice_: Slice, signature: Signature, names: list[str]) -> Iterator[Signature]:
    """What launches may pass for them instead: large ones, 1; for all of them, and for each alone."""
    groups = [names] if names else []
    groups += [[name] for name in names if 1 < len(names) <= MOST_ALONE]
    for group in groups:
        large = {name: Evidence("launch", "a launch passes a large integer", True) for name in group}
        types = {**signature.types, **dict.fromkeys(group, "i64")}
        yield replace(signature, types=types, evidence={**signature.evidence, **large})
    for group in groups:
        if (ones := _ones(slice_, signature, group)) is not None:
            yield ones


def settled(signature: Signature, names: Iterable[str]) -> Signature:
    """How large they are is nothing that matters."""
    evidence = {name: replace(signature.evidence[name], any_size=False) for name in names}
    return replace(signature, evidence={**signature.evidence, **evidence})


def said(signature: Signature, names: Iterable[str]) -> Signature:
    """Launches pass what they are said to pass, or don't compile."""
    evidence = {name: replace(signature.evidence[name], certain=False, said=True) for name in names}
    return replace(signature, evidence={**signature.evidence, **evidence})


def _ones(slice_: Slice, signature: Signature, names: list[str]) -> Signature | None:
    if "do_not_specialize" in slice_.functions[0].options:
        return None
    types = {name: "constexpr" if name in names else type for name, type in signature.types.items()}
    evidence = {**signature.evidence, **{name: Evidence("launch", "a launch passes 1", True) for name in names}}
    constants = {**signature.constants, **dict.fromkeys(names, 1)}
    return replace(signature, types=types, constants=constants, evidence=evidence)
