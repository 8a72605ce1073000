"""What assembly that is written down does with its operands, in the terms of the text.

Asks ``asm`` about the instructions; where these say that anything may come of one, so does this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernel_analysis.dataflow import asm
from kernel_analysis.dataflow.asm.asm_model import behind, operands, terms
from kernel_analysis.dataflow.asm.constraints import AMBIGUOUS
from kernel_analysis.dataflow.asm.constraints import count as register_count
from kernel_analysis.dataflow.text.given_arguments import GivenArguments
from kernel_analysis.dataflow.text.language import LanguageRow
from kernel_analysis.dataflow.text.value import NOTHING, TextValue, heap, texts
from kernel_analysis.record import record

_KNOWN = ("operand", "loaded")
_NONE: frozenset[int] = frozenset()
_NEITHER = _NONE, _NONE


@record
class Assembled:
    """``arguments``: its operands. The others say which of them, and those behind which of them an address was
    loaded: what is ``read`` and ``written``, what is ``stored`` and what the ``result`` holds.
    ``foreign``: that may be any address that the kernel has."""

    arguments: Sequence[TextValue]
    read: tuple[frozenset[int], frozenset[int]]
    written: tuple[frozenset[int], frozenset[int]]
    stored: tuple[frozenset[int], frozenset[int]]
    result: tuple[frozenset[int], frozenset[int]]
    foreign: bool


def assembled(row: LanguageRow, given: GivenArguments) -> Assembled | None:
    """None: what it does is not in sight."""
    if not row.decided or row.decided[0][1] != "asm" or given.loose is not None:
        return None
    known: dict[str, TextValue] = {}
    for operand in (*row.decided, (2, "args")):
        found = given.operand(operand)
        known[operand[1]] = found[0] if found else NOTHING
    constraints, arguments, kind = known["constraints"], known["args"], known.get("dtype") or known["result_types"]
    said = texts(known["asm"])
    if not said or type(constraints.const) is not str or known["asm"].dep or constraints.dep or kind.dep or kind.open:
        return None
    results = 1 if kind.items is None else len(kind.items)
    pack, items = known.get("pack", NOTHING), arguments.items
    if items is None or arguments.open or any(item.items for item in items):
        # It is not in sight how many they are: each register may be of any of them.
        items, packed = (heap([arguments]),), 2
        count = register_count(constraints.const)[0]
        many = [asm.effects(text, constraints.const, count, results) for text in sorted(said)]
    else:
        packed = 1 if pack is NOTHING else pack.const if type(pack.const) is int and not pack.dep else 2
        many = [asm.effects(text, constraints.const, len(items), results, packed) for text in sorted(said)]
    if packed != 1:
        # How many registers an operand has, its type says: which of them is of which is not known.
        every = frozenset(range(len(items))), _NONE
        only = all(map(_only_computes, many))
        return Assembled(items, _NEITHER, _NEITHER, _NEITHER, every, any(map(_gives_any, many))) if only else None
    accesses = [access for effects in many for access in effects.accesses]
    given_back = [value - asm.NEVER_SET for effects in many for value in effects.results]
    stored = [effects.stored for effects in many]
    every = (*[access.address for access in accesses], *given_back, *stored)
    if any(effects.unknown or effects.foreign for effects in many) or any(not _is_known(value) for value in every):
        return None
    return Assembled(
        items,
        _reaching(access.address for access in accesses if access.read),
        _reaching(access.address for access in accesses if access.write),
        _reaching(stored),
        _reaching(given_back),
        any(map(_gives_any, many)),
    )


def may_be_foreign(row: LanguageRow, given: GivenArguments) -> bool:
    """Whether it may have any address of the kernel's, and not only what it is given."""
    if not row.decided or row.decided[0][1] != "asm":
        return False
    text, constraints = [next(iter(given.operand(operand)), NOTHING) for operand in row.decided[:2]]
    if given.loose is not None or type(constraints.const) is not str or text.dep or constraints.dep:
        return True
    said = texts(text)
    return not said or any(asm.foreign(one, constraints.const) for one in said)


def _gives_any(effects: asm.AsmEffects) -> bool:
    return any(map(asm.never_set, effects.results))


def _only_computes(effects: asm.AsmEffects) -> bool:
    """Whether it touches no memory, whichever register is whose, and all that it gives is of its operands."""
    if effects.accesses or effects.unknown or effects.foreign or effects.stores or effects.stored:
        return False
    every = [term for value in effects.results for term in terms(value - asm.NEVER_SET)]
    return all(term.kind in ("operand", "mixed") or term.why == AMBIGUOUS for term in every)


def _is_known(value: asm.Value) -> bool:
    return all(term.kind in _KNOWN and _is_known(frozenset({term.address})) for term in terms(value))


def _reaching(values: Iterable[asm.Value]) -> tuple[frozenset[int], frozenset[int]]:
    found = list(values)
    direct = frozenset([number for value in found for number in operands(value)])
    return direct, frozenset([number for value in found for number in behind(value)])
