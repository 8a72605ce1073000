"""What Triton compiles an integer as that a launch passes, by itself or in a tuple: of 32 bits, of 64 where its value
wants them, a constant where it is 1. Knows no compiler.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kernel_analysis import paths
from kernel_analysis.signature.body.clues import with_values
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature
from kernel_analysis.source.slice import Slice

_BOOL = "a launch passes a bool for an integer"
MOST_ALONE = 4
"""More are tried together only."""


def as_constants(slice_: Slice, signature: Signature) -> Signature | None:
    """The signature of the launches that pass 1; None where none does, or Triton is told not to look."""
    found = _ones(slice_, signature, _narrow(signature, [p for e in signature.evidence.values() for p in e.ones]))
    if found is None:
        return None
    # Who passes it is as certain as before.
    before = {n: replace(e, certain=signature.evidence[n].certain) for n, e in found.evidence.items()}
    return replace(found, evidence=before)


def as_launched(slice_: Slice, signatures: list[Signature]) -> list[Signature]:
    """What launches pass, with 1 as an integer like any other and as what Triton makes of it."""
    return [*signatures, *filter(None, (as_constants(slice_, signature) for signature in signatures))]


def are_all_ones(signature: Signature, ones: Signature) -> bool:
    """Whether no launch passes anything else: what goes wrong as it stands goes wrong for nobody."""
    others = [path for evidence in signature.evidence.values() for path in evidence.others]
    return not any(path in ones.constants for path in others)


def of_any_size(signature: Signature, names: Iterable[str]) -> list[str]:
    """The paths of what is an integer, of the parameters or of the elements of those that are tuples, of which the
    launches in sight don't say how large it is."""
    return _narrow(signature, [path for name in names for path in signature.evidence[name].any_size])


def otherwise(slice_: Slice, signature: Signature, sizes: list[str]) -> Iterator[Signature]:
    """What launches may pass for them instead: large ones, 1; for all of them, and for each alone. What is not known to
    be an integer for sure may be a bool, which goes for one wherever that is asked for."""
    groups = [sizes] if sizes else []
    groups += [[path] for path in sizes if 1 < len(sizes) <= MOST_ALONE]
    for group in groups:
        yield _with(signature, group, "i64", "a launch passes a large integer")
    for group in groups:
        if (ones := _ones(slice_, signature, group)) is not None:
            yield ones
    unsure = [[p for p in group if not signature.evidence[paths.owner(p)].certain] for group in groups]
    for group in unsure:
        if group:
            yield _with(signature, group, "i1", _BOOL)


def is_of_bools(signature: Signature) -> bool:
    """Whether it is for launches that pass bools where integers are expected: few operations take these, and say so in
    their own words."""
    return any(evidence.detail == _BOOL for evidence in signature.evidence.values())


def settled(signature: Signature, sizes: Iterable[str]) -> Signature:
    """How large they are is nothing that matters."""
    evidence = {name: replace(signature.evidence[name], any_size=()) for name in owners(sizes)}
    return replace(signature, evidence={**signature.evidence, **evidence})


def said(signature: Signature, sizes: Iterable[str]) -> Signature:
    """Launches pass what they are said to pass, or don't compile."""
    evidence = {name: replace(signature.evidence[name], certain=False, said=True) for name in owners(sizes)}
    return replace(signature, evidence={**signature.evidence, **evidence})


def owners(sizes: Iterable[str]) -> set[str]:
    """The parameters that they are or are in."""
    return set(map(paths.owner, sizes))


def _narrow(signature: Signature, listed: Iterable[str]) -> list[str]:
    return [path for path in listed if paths.type_at(signature.types[paths.owner(path)], paths.indices(path)) == "i32"]


def _ones(slice_: Slice, signature: Signature, group: Sequence[str]) -> Signature | None:
    """With those that Triton looks at as 1; None where there are none."""
    group = [path for path in group if _is_looked_at(slice_, path)]
    if not group:
        return None
    found = _with(signature, group, "constexpr", "a launch passes 1")
    return replace(found, constants={**signature.constants, **dict.fromkeys(group, 1)})


def _is_looked_at(slice_: Slice, path: str) -> bool:
    """Whether Triton compiles it as a constant where it is 1: that ``do_not_specialize`` lists a tuple says nothing of
    its elements."""
    function = slice_.functions[0]
    listed = function.options.get("do_not_specialize") or ()
    if paths.indices(path) or not isinstance(listed, tuple):
        return bool(paths.indices(path))
    number = [argument.arg for argument in with_values(function.node)].index(path)
    return path not in listed and number not in listed


def _with(signature: Signature, group: Sequence[str], type: ParameterType, detail: str) -> Signature:
    """With that type for each of them. What a tuple's other elements are is as certain as before."""
    types, evidence = dict(signature.types), dict(signature.evidence)
    for path in group:
        name, where = paths.owner(path), paths.indices(path)
        types[name] = paths.with_type(types[name], where, type)
        evidence[name] = replace(evidence[name], detail=detail) if where else Evidence("launch", detail, True)
    return replace(signature, types=types, evidence=evidence)
