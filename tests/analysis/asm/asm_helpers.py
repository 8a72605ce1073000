"""What the effects of an assembly mean for its operands, whose types say what they are."""

from __future__ import annotations

from collections.abc import Sequence

from kernel_analysis.dataflow.asm import AsmEffects, Value
from kernel_analysis.dataflow.memory.asm_origins import Registers
from kernel_analysis.dataflow.memory.origin import Fields, Origin, bits

POINTER, BYTE, HALF, WORD, LONG, BIT = (
    f"tensor<128x{element}>" for element in ("!tt.ptr<f32>", "i8", "f16", "i32", "i64", "i1")
)
WIDTH = 16
FIELDS = Fields(WIDTH)


def registers(types: Sequence[str] = ()) -> Registers:
    """With operands of these types; without, all are pointers."""

    def operand(index: int) -> Origin:
        kind = types[index] if index < len(types) else POINTER
        if "!tt.ptr" in kind:
            return FIELDS.base(index)
        return FIELDS.integer(index) if "i64" in kind else FIELDS.part(index)

    return Registers(FIELDS, operand, lambda why: FIELDS.reason(0))


def bases(value: Value, types: Sequence[str] = ()) -> list[int]:
    """The operands whose address it may be."""
    return list(bits(FIELDS.bases(registers(types).address(value))))


def behind(value: Value, types: Sequence[str] = ()) -> list[int]:
    """The operands through which it was loaded, if it is an address."""
    return list(bits(FIELDS.tables(registers(types).address(value))))


def unclear(value: Value, types: Sequence[str] = ()) -> list[int]:
    """The operands that went into it."""
    origin = registers(types).address(value)
    return list(bits(FIELDS.unclear(origin) | FIELDS.unclear_tables(origin)))


def written(found: AsmEffects, types: Sequence[str] = ()) -> list[int]:
    """The operands that are written through."""
    return sorted({i for access in found.accesses if access.write for i in bases(access.address, types)})


def written_behind(found: AsmEffects, types: Sequence[str] = ()) -> list[int]:
    """Those through which the address that is written through was loaded."""
    return sorted({i for access in found.accesses if access.write for i in behind(access.address, types)})
