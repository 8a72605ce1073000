"""What inline assembly touches, as far as a buffer can be made for it: at which operands, and how many bytes. Reads the
text only; whatever else it does is a reason to refuse the launch."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kernel_analysis.dataflow import asm
from kernel_analysis.dataflow.memory.asm_origins import effects_of
from kernel_analysis.ir import Op
from kernel_analysis.record import record

_PLAIN = re.compile(r"(?:ld|st|atom|red)\.")
_ADDRESS = re.compile(r"\[([^\]]*)\]")
_DIRECT = re.compile(r"\s*\$\{?(\d+)\}?\s*(?:\+\s*(-?\d+))?\s*")
_TYPE = re.compile(r"\.(?:b|u|s|f|bf|e)(\d+)")
_COUNT = re.compile(r"\.[vx](\d)\b")


class NotBounded(Exception):
    """The message says what the assembly does, as the end of a sentence about the kernel."""


@record
class AsmBytes:
    """Some bytes behind the address that an operand holds."""

    operand: int
    offset: int
    size: int


def accesses(op: Op, types: Mapping[str, str], pointers: frozenset[int]) -> list[AsmBytes]:
    """``pointers``: the operands that are known to hold addresses. Raises NotBounded."""
    effects = effects_of(types, op)
    for item in effects.unknown:
        if item.anywhere or item.loaded or pointers.intersection(item.operands):
            raise NotBounded(f"what its inline assembly does to memory is not known: {item.reason.rstrip('.')}")
    found: list[AsmBytes] = []
    for access in effects.accesses:
        if not (access.read or access.write):
            continue
        written = f"its inline assembly touches memory in a way that can't be bounded: `{access.instruction}`"
        inside = _ADDRESS.findall(access.instruction)
        direct = [_DIRECT.fullmatch(text) for text in inside]
        kind = _TYPE.search(access.mnemonic)
        operand = _operand(access.address)
        if (
            operand is None
            or len(direct) != 1
            or direct[0] is None
            or kind is None
            or not _PLAIN.match(access.mnemonic)
        ):
            raise NotBounded(written)
        count = _COUNT.search(access.mnemonic)
        size = max(1, int(kind[1]) // 8) * (int(count[1]) if count is not None else 1)
        found.append(AsmBytes(operand, int(direct[0][2] or 0), size))
    return found


def _operand(address: asm.Value) -> int | None:
    """The operand that an address is, as it was given; None where it is made of more, or of something else."""
    if len(address) != 1:
        return None
    terms = [term for one in address for term in one]
    plain = len(terms) == 1 and terms[0].kind == "operand" and terms[0].how == "whole"
    return terms[0].operand if plain else None
