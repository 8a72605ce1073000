"""With what the text of a function is begun: what each of its parameters is in all the compiles at hand, and where that
is no more than a guess.

Decides nothing about memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kernel_analysis import paths
from kernel_analysis.dataflow.text.call_effects import parameter_names
from kernel_analysis.dataflow.text.paths.access_paths import Start
from kernel_analysis.facts import ParameterFacts
from kernel_analysis.signature.evidence import name_table
from kernel_analysis.signature.signature_model import ParameterType, Signature
from kernel_analysis.source.slice import AggregateRef, SliceFunction
from kernel_analysis.source.tree.syntax import annotated_constants

_ADDRESSES = ("*", "tensordesc")
_FLOATS = ("fp8", "fp16", "fp32", "bf16")


def leaves(starts: Iterable[Start]) -> Iterable[tuple[str, str]]:
    """The parameters and elements that have no items, each with its kind."""
    for start in starts:
        if start.items is None:
            yield start.name, start.kind
        else:
            yield from leaves(start.items)


def of_kernel(function: SliceFunction, signatures: Sequence[Signature]) -> list[Start]:
    """Of a kernel that compiled under these signatures."""
    constants = annotated_constants(function.node)
    starts: list[Start] = []
    fields: dict[str, tuple[str, ...]] = {}
    classes: dict[str, AggregateRef] = {}
    for signature in signatures:
        fields.update(signature.names)
        classes.update(signature.made)
    for name in parameter_names(function):
        types: dict[ParameterType, None] = {}
        sure = True
        used = False
        for signature in signatures:
            if name in signature.types:
                types[signature.types[name]] = None
            if name in signature.evidence:
                sure = sure and signature.evidence[name].fixed
                used = used or signature.evidence[name].kind != "name"
        constant = name in constants
        made = _start(name, name, list(types), signatures, (fields, classes), constant)
        if made.kind == "pointer" and len(types) > 1:
            made = replace(made, numbers=_numbers(name, signatures))
        if made.kind == "pointer" and not sure and not used and name_table.is_pointer(name) < 2:
            # Nothing but its name says so, and not for sure: what it is added to may be the address.
            made = Start(name, "unsure")
        starts.append(made if sure else unsure(made, constant))
    return starts


def _numbers(name: str, signatures: Sequence[Signature]) -> frozenset[int]:
    """The signatures in which a parameter is a number, and no constant."""
    kinds = ((number, signature.types.get(name)) for number, signature in enumerate(signatures))
    return frozenset([n for n, k in kinds if isinstance(k, str) and k != "constexpr" and not k.startswith(_ADDRESSES)])


def _start(
    name: str, path: str, types: list[ParameterType], signatures: Sequence[Signature],
    parts: tuple[Mapping[str, tuple[str, ...]], Mapping[str, AggregateRef]], constant: bool,
) -> Start:  # fmt: skip
    """``name``: what it goes by in the facts; ``path``: the same by its place alone. ``parts``: what the fields of
    tuples are called, and the classes of objects, by path."""
    if len(types) == 1 and isinstance(types[0], str) and types[0] != "constexpr":
        # Nearly always.
        if types[0].startswith(_ADDRESSES):
            return Start(name, "pointer", descriptor=types[0].startswith("tensordesc"))
        return Start(name, "constant" if constant else _kind((types[0],)))
    tuples = [kind for kind in types if isinstance(kind, tuple)]
    if tuples:
        names = parts[0].get(path, ())
        items: list[Start] = []
        for i in range(len(max(tuples, key=len))):
            inner = [kind[i] for kind in tuples if i < len(kind)]
            part = paths.part(name, i, names)
            items.append(_start(part, paths.element(path, i), inner, signatures, parts, False))
        return Start(name, "tuple", tuple(items), names, parts[1].get(path))
    if any(isinstance(kind, str) and kind.startswith(_ADDRESSES) for kind in types):
        descriptor = all(isinstance(kind, str) and kind.startswith("tensordesc") for kind in types)
        return Start(name, "pointer", descriptor=descriptor)
    if constant:
        return Start(name, "constant")
    if all(kind == "constexpr" for kind in types) and all(s.constants.get(path) is None for s in signatures):
        return Start(name, "pointer")
    return Start(name, _kind([kind for kind in types if isinstance(kind, str)]))


def guesses_a_number(signature: Signature) -> bool:
    """Whether a parameter, or an element of one, is taken for a number that may be an address."""
    types = signature.types.items()
    guessed = [kind for name, kind in types if name in signature.evidence and not signature.evidence[name].fixed]
    return any(map(_has_number, guessed))


def _has_number(kind: ParameterType) -> bool:
    if isinstance(kind, tuple):
        return any(map(_has_number, kind))
    return not kind.startswith(("*", "tensordesc", "constexpr"))


def unsure(start: Start, constant: bool) -> Start:
    """What was guessed to be a number may be an address after all."""
    if start.items is not None:
        return replace(start, items=tuple([unsure(item, False) for item in start.items]))
    return start if start.kind in ("pointer", "buffer") or constant else Start(start.name, "unsure")


def _kind(types: Sequence[str]) -> str:
    """What has less bits than an address is none, whatever becomes of it; nor is memory of the kernel's own, which no
    operation makes a number of."""
    if types and all(kind.startswith("!ttg.memdesc") for kind in types):
        return "buffer"
    return "float" if types and all(kind.startswith(_FLOATS) for kind in types) else "number"


def of_helper(function: SliceFunction, facts: Sequence[ParameterFacts]) -> list[Start]:
    """Of a helper that was compiled for these parameters; what none of its compiles has may be anything."""
    constants = annotated_constants(function.node)
    by_owner: dict[str, list[ParameterFacts]] = {}
    for fact in facts:
        by_owner.setdefault(paths.owner(fact.name), []).append(fact)
    starts: list[Start] = []
    for name in parameter_names(function):
        known = by_owner.get(name)
        if known is None:
            starts.append(Start(name, "constant" if name in constants else "pointer"))
        else:
            starts.append(_grouped(name, known))
    return starts


def _grouped(name: str, facts: Sequence[ParameterFacts]) -> Start:
    """A tuple of what is known by element, ``pair[1][0]``, or an aggregate by field."""
    alone = next((fact for fact in facts if fact.name == name), None)
    if alone is not None:
        # What was compiled for a number shows nothing of what an address would do.
        address = "unsure" if alone.mixed else "pointer"
        return Start(name, address if alone.type.startswith(_ADDRESSES) else _kind([alone.type]))
    inner: dict[int, list[ParameterFacts]] = {}
    fields: dict[str, list[ParameterFacts]] = {}
    for fact in facts:
        part = paths.step(fact.name, name)
        if isinstance(part, str):
            fields.setdefault(part, []).append(fact)
        else:
            inner.setdefault(part, []).append(fact)
    if fields:
        parts = tuple(_grouped(paths.field(name, part), known) for part, known in fields.items())
        return Start(name, "tuple", parts, tuple(fields))
    items = [
        _grouped(f"{name}[{i}]", inner[i]) if i in inner else Start(f"{name}[{i}]", "constant")
        for i in range(max(inner) + 1)
    ]
    return Start(name, "tuple", tuple(items))
