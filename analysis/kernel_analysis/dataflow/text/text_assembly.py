"""What assembly that is written down does with its operands, in the terms of the text.

Asks ``asm`` about the instructions; where these say that anything may come of one, so does this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernel_analysis.dataflow import asm
from kernel_analysis.dataflow.asm.asm_model import behind, operands, terms
from kernel_analysis.dataflow.asm.constraints import AMBIGUOUS
from kernel_analysis.dataflow.text.given_arguments import GivenArguments
from kernel_analysis.dataflow.text.language import LanguageRow
from kernel_analysis.dataflow.text.value import NOTHING, TextValue
from kernel_analysis.record import record

_KNOWN = ("operand", "loaded")
_NONE: frozenset[int] = frozenset()
_NEITHER = _NONE, _NONE


@record
class Assembled:
    """``arguments``: its operands. The others say which of them, and those behind which of them an address was
    loaded: what is ``read`` and ``written``, what is ``stored`` and what the ``result`` holds."""

    arguments: Sequence[TextValue]
    read: tuple[frozenset[int], frozenset[int]]
    written: tuple[frozenset[int], frozenset[int]]
    stored: tuple[frozenset[int], frozenset[int]]
    result: tuple[frozenset[int], frozenset[int]]


def assembled(row: LanguageRow, given: GivenArguments) -> Assembled | None:
    """None: what it does is not in sight."""
    if not row.decided or row.decided[0][1] != "asm" or given.loose is not None:
        return None
    known: dict[str, TextValue] = {}
    for operand in (*row.decided, (2, "args")):
        found = given.operand(operand)
        known[operand[1]] = found[0] if found else NOTHING
    text, constraints, arguments = known["asm"], known["constraints"], known["args"]
    if any(type(value.const) is not str or value.dep for value in (text, constraints)):
        return None
    pack = known.get("pack", NOTHING)
    if arguments.items is None or arguments.open or pack.dep or any(item.items for item in arguments.items):
        return None
    kind = known.get("dtype") or known["result_types"]
    if kind.dep or kind.open:
        return None
    results = 1 if kind.items is None else len(kind.items)
    count = len(arguments.items)
    packed = 1 if pack is NOTHING else pack.const if type(pack.const) is int else 2
    effects = asm.effects(text.const, constraints.const, count, results, packed)
    if packed != 1:
        # How many registers an operand has, its type says: which of them is of which is not known.
        every = frozenset(range(count)), _NONE
        return Assembled(arguments.items, _NEITHER, _NEITHER, _NEITHER, every) if _only_computes(effects) else None
    addresses = [access.address for access in effects.accesses]
    every = (*addresses, *effects.results, effects.stored)
    if effects.unknown or effects.foreign or any(not _is_known(value) for value in every):
        return None
    return Assembled(
        arguments.items,
        _reaching(access.address for access in effects.accesses if access.read),
        _reaching(access.address for access in effects.accesses if access.write),
        _reaching([effects.stored]),
        _reaching(effects.results),
    )


def may_be_foreign(row: LanguageRow, given: GivenArguments) -> bool:
    """Whether it may have any address of the kernel's, and not only what it is given."""
    if not row.decided or row.decided[0][1] != "asm":
        return False
    found = [next(iter(given.operand(operand)), NOTHING) for operand in row.decided[:2]]
    if given.loose is not None or any(type(value.const) is not str or value.dep for value in found):
        return True
    return asm.foreign(found[0].const, found[1].const) is not None


def _only_computes(effects: asm.AsmEffects) -> bool:
    """Whether it touches no memory, whichever register is whose, and all that it gives is of its operands."""
    if effects.accesses or effects.unknown or effects.foreign or effects.stores or effects.stored:
        return False
    every = [term for value in effects.results for term in terms(value)]
    return all(term.kind in ("operand", "mixed") or term.why == AMBIGUOUS for term in every)


def _is_known(value: asm.Value) -> bool:
    return all(term.kind in _KNOWN and _is_known(frozenset({term.address})) for term in terms(value))


def _reaching(values: Iterable[asm.Value]) -> tuple[frozenset[int], frozenset[int]]:
    found = list(values)
    direct = frozenset([number for value in found for number in operands(value)])
    return direct, frozenset([number for value in found for number in behind(value)])
