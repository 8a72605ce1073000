"""The constraint string: which asm register ``$N`` carries which operand or result of the Triton operation.

Follows Triton's lowering of ``tt.elementwise_inline_asm``; where that can't be told, a register belongs to several.
It may not look at the asm.
"""

from __future__ import annotations

import re
from dataclasses import field

from kernel_analysis.record import record

_ELEMENT = re.compile(r"tensor<(?:\d+x)*(.*?)(?:,\s*#.*)?>$", re.S)
_WIDTH = re.compile(r"(?:b?f|tf|[su]?i)([0-9]{1,4})")

REGISTER_BITS = 32
AMBIGUOUS = "the constraint string does not fit the operands, so it can't be told which operand this is"


@record
class Layout:
    """``carries[N]``: the operands that register ``$N`` may hold on entry (one, if it is certain). ``alias[N]``: the
    register that an input is tied to. ``outputs[N]``: the results that output ``$N`` may be part of. ``memory``:
    registers printed as ``[address]``."""

    carries: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    alias: dict[int, int] = field(default_factory=dict[int, int])
    outputs: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    memory: frozenset[int] = frozenset()


def layout(
    constraints: str,
    operands: int,
    results: int,
    pack: int,
    operand_types: tuple[str, ...],
    result_types: tuple[str, ...],
) -> Layout:
    """Without types, sub-32-bit operands under ``pack`` > 1 can't be counted; then a register belongs to any of
    them."""
    codes = _codes(constraints)
    outputs = [n for n, code in enumerate(codes) if code.startswith(("=", "+"))]
    inputs = [n for n, code in enumerate(codes) if not code.startswith("=")]
    # `+r` is one register, read and written. LLVM rejects it in this place: all that matters is to lose nothing.
    alias = {n: int(codes[n]) for n in inputs if re.fullmatch("[0-9]{1,4}", codes[n]) and int(codes[n]) < len(codes)}
    alias = {n: target for n, target in alias.items() if target not in alias}
    owners = _owners(len(inputs), operands, pack, operand_types)
    carries: dict[int, frozenset[int]] = {}
    for n, owner in zip(inputs, owners, strict=True):
        target = alias.get(n, n)
        carries[target] = carries.get(target, frozenset()) | owner
    return Layout(
        carries=carries,
        alias=alias,
        outputs=dict(zip(outputs, _owners(len(outputs), results, pack, result_types), strict=True)),
        memory=frozenset(n for n, code in enumerate(codes) if code.lstrip("=&*") in ("m", "o", "Q")),
    )


def count(constraints: str) -> tuple[int, int]:
    """How many registers go in and come out."""
    codes = _codes(constraints)
    return sum(not code.startswith("=") for code in codes), sum(code.startswith(("=", "+")) for code in codes)


def _codes(constraints: str) -> list[str]:
    """What stands for a register."""
    return [code for code in _split(constraints) if code and not code.startswith(("~", "!"))]


def _split(constraints: str) -> list[str]:
    """Split at commas outside ``{register}``: the next brace behind is none that closes."""
    codes: list[str] = []
    end, inside = len(constraints), False
    for match in reversed([*re.finditer("[{},]", constraints)]):
        if match[0] != ",":
            inside = match[0] == "}"
        elif not inside:
            codes.append(constraints[match.end() : end].strip())
            end = match.start()
    return [constraints[:end].strip(), *reversed(codes)]


def _owners(registers: int, values: int, pack: int, types: tuple[str, ...]) -> list[frozenset[int]]:
    """For each register in order the values it may belong to."""
    if len(types) == values:
        counts = [_registers(kind, pack) for kind in types]
        if sum(counts) == registers:
            return [frozenset({i}) for i, count in enumerate(counts) for _ in range(count)]
    elif registers == values * pack:
        # No value can have more than `pack` registers, so each has exactly that.
        return [frozenset({r // pack}) for r in range(registers)]
    return [frozenset(range(values))] * registers


def _registers(kind: str, pack: int) -> int:
    """How many asm registers a value of this MLIR type takes."""
    if "memdesc" in kind:  # Gluon: one shared memory address, whatever `pack` says
        return 1
    element = match.group(1) if (match := _ELEMENT.match(kind)) else kind
    width = int(found.group(1)) if (found := _WIDTH.match(element)) else 64
    together = min(REGISTER_BITS // width if 0 < width < REGISTER_BITS else 1, pack)
    return -(-pack // together)
