"""Constraint strings: which ``$N`` belongs to which operand and result, as Triton's lowering has it."""

from __future__ import annotations

import pytest
from asm_helpers import BIT, BYTE, HALF, LONG, POINTER, WORD

from kernel_analysis.dataflow.asm import effects
from kernel_analysis.dataflow.asm.asm_model import operands


def stored_through(
    register: int, constraints: str, types: tuple[str, ...], results: tuple[str, ...], pack: int
) -> set[int | str]:
    """The operands that a store through ``$register`` writes; ``maybe`` if that isn't certain."""
    found = effects(f"st.global.u32 [${register}], 0;", constraints, len(types), len(results), pack, types, results)
    some: set[int | str] = {operand for access in found.accesses for operand in operands(access.address)}
    return some | {"maybe" for unknown in found.unknown for _ in unknown.operands}


@pytest.mark.parametrize(
    ("constraints", "types", "results", "pack", "owners"),
    [
        ("=r,l,r", (POINTER, WORD), (WORD,), 1, {1: {0}, 2: {1}}),
        ("=r, l , r, ~{memory}", (POINTER, WORD), (WORD,), 1, {1: {0}, 2: {1}}),
        ("=&r,l,r,~{memory},~{cc}", (POINTER, WORD), (WORD,), 1, {1: {0}, 2: {1}}),
        ("=r,r,l", (BYTE, POINTER), (BYTE,), 1, {1: {0}, 2: {1}}),
        # Four bytes share a register; 32-bit and 64-bit values have one each.
        ("=r,=r,=r,=r,r,l,l,l,l", (BYTE, POINTER), (WORD,), 4, {4: {0}, 5: {1}, 8: {1}}),
        ("=r,r,r,l,l,l,l", (HALF, POINTER), (BYTE,), 4, {1: {0}, 2: {0}, 3: {1}, 6: {1}}),
        ("=r,r,l,l", (HALF, LONG), (HALF,), 2, {1: {0}, 2: {1}, 3: {1}}),
        ("=r,r,l,l", (BYTE, LONG), (BYTE,), 2, {1: {0}, 2: {1}, 3: {1}}),
        ("=r,r,l,l,l,l", (BIT, POINTER), (BYTE,), 4, {1: {0}, 2: {1}, 5: {1}}),
        ("=r,l,r", ("!tt.ptr<f32>", "i32"), ("i32",), 1, {1: {0}, 2: {1}}),
        ("=r,r,l", ("!ttg.memdesc<64xf32, #shared, #smem>", "!tt.ptr<f32>"), ("i32",), 1, {1: {0}, 2: {1}}),
        ("=r,r,l,l", ("!ttg.memdesc<64xf32, #shared, #smem>", POINTER), (BYTE,), 2, {1: {0}, 2: {1}, 3: {1}}),
        ("=l,0", (POINTER,), (POINTER,), 1, {0: {0}, 1: {0}}),
        ("=r,{r1},l", (WORD, POINTER), (WORD,), 1, {1: {0}, 2: {1}}),
    ],
)
def test_registers(
    constraints: str, types: tuple[str, ...], results: tuple[str, ...], pack: int, owners: dict[int, set[int]]
) -> None:
    assert {n: stored_through(n, constraints, types, results, pack) for n in owners} == owners


def test_a_constraint_string_that_does_not_fit() -> None:
    (unknown,) = effects("st.global.u32 [$1], 0;", "=r,l,l,l", 2, 1, 1, (POINTER, POINTER), (WORD,)).unknown
    assert unknown.operands == (0, 1)
    assert unknown.writes
    assert not unknown.reads
    assert "`st.global.u32 [$1], 0`" in unknown.reason
    # Nothing is unknown where no memory is touched.
    assert effects("add.u32 $0, $1, $2;", "=r,r,r,r,r", 2, 1).unknown == ()


def test_packing_without_types() -> None:
    # Eight registers for two operands of four elements can only be four each; five can be anything.
    asm = "st.global.u32 [$5], 0;"
    assert [operands(access.address) for access in effects(asm, "=r" + ",l" * 8, 2, 1, 4).accesses] == [(1,)]
    assert [unknown.operands for unknown in effects(asm, "=r,r,l,l,l,l", 2, 1, 4).unknown] == [(0, 1)]


def test_packed_results() -> None:
    found = effects("mov.b32 $0, $2; mov.b64 $1, $3;", "=r,=l,r,l", 2, 2, 1, (WORD, LONG), (WORD, LONG))
    assert [operands(result) for result in found.results] == [(0,), (1,)]
    # Two bytes make one register, two 64-bit values two.
    found = effects("mov.b64 $1, $4;", "=r,=l,=l,r,l,l", 2, 2, 2, (BYTE, LONG), (BYTE, LONG))
    assert [operands(result) for result in found.results] == [(), (1,)]


def test_a_tied_input_is_the_same_register() -> None:
    found = effects("{ st.global.u32 [$0], 1; add.u64 $0, $0, 4; }", "=l,0,r", 2, 1)
    assert [operands(access.address) for access in found.accesses] == [(0,)]
    assert operands(found.results[0]) == (0,)


def test_a_memory_constraint_is_an_address() -> None:
    assert [operands(access.address) for access in effects("st.global.u32 $1, $2;", "=r,m,r", 2, 1).accesses] == [(0,)]
