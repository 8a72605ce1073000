"""Inline assembly: what memory it touches, through which operand of ``tl.inline_asm_elementwise``, and where its
results come from.

Pure text analysis: never raises, needs no Triton, runs no assembler. What it can't tell is UNKNOWN with the
instruction named.
"""

from __future__ import annotations

from functools import lru_cache

from kernel_analysis.dataflow.asm.asm_model import NEVER_SET, AsmAccess, AsmEffects, AsmUnknown, Term, Value, never_set

__all__ = ["NEVER_SET", "AsmAccess", "AsmEffects", "AsmUnknown", "Term", "Value", "effects", "foreign", "never_set"]


@lru_cache(maxsize=512)
def effects(
    asm: str,
    constraints: str,
    operands: int,
    results: int,
    pack: int = 1,
    operand_types: tuple[str, ...] = (),
    result_types: tuple[str, ...] = (),
) -> AsmEffects:
    """``operands`` and ``results`` are those of the Triton operation. The types, in MLIR's spelling, tell how
    sub-32-bit values are packed into registers; without them the answer is safe but less sharp."""
    # Only now: few kernels have any, and every agent's start would take longer.
    from kernel_analysis.dataflow.asm.accesses import amd_effects, ptx_effects
    from kernel_analysis.dataflow.asm.constraints import layout

    registers = layout(constraints, operands, results, max(pack, 1), operand_types, result_types)
    return amd_effects(asm, registers, results) or ptx_effects(asm, registers, results)


def foreign(asm: str, constraints: str) -> bool:
    """Whether assembly may have, or give back, any address of the kernel's, whatever its operands are."""
    from kernel_analysis.dataflow.asm.constraints import count

    operands, results = count(constraints)
    found = effects(asm, constraints, operands, results)
    return found.foreign is not None or any(map(never_set, found.results))
