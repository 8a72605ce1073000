"""Assembly that may have what is the compiler's, by whatever name or none: each way, beside one that has nothing."""

from __future__ import annotations

import pytest
from asm_helpers import bases

from kernel_analysis.dataflow.asm import effects, foreign


@pytest.mark.parametrize(
    "asm",
    [
        # Registers, however they are counted out or called.
        "v_mov_b32 $0, v4",
        "v_mov_b32 $0, v[4]",
        "v_mov_b32 $0, v[2+2]",
        "v_mov_b32 $0, v1000",
        "v_mov_b64 $0, v[ 4 : 5 ]",
        "v_mov_b64 $0, v[4:4+1]",
        ".set r, 4\n v_mov_b32 $0, v[r]",
        "v_mov_b32 v[2+2], 0\n v_mov_b32 $0, v[2+3]",
        "v_accvgpr_read_b32 $0, acc5",
        "s_mov_b32 $0, s[4]",
        "s_mov_b32 $0, ttmp4",
        "s_mov_b64 $0, flat_scratch",
        # What is no instruction that can be read.
        "v_mov_b32 $0, $1\n .long 0xdc700000",
        # Memory of the compiler's.
        "scratch_load_dword $0, off, off offset:16",
        "scratch_load_dword $0, $1, off",
        "ds_read_b32 $0, $1",
        "s_load_dwordx2 $0, null, 0x10",
        # A result that nothing sets.
        "s_nop 0",
        "v_mov_b32 v7, $1",
        "global_store_dword $0, $1, off",
    ],
)
def test_amd(asm: str) -> None:
    assert foreign(asm, "=v,v")


@pytest.mark.parametrize("constraints", ["={v4},v", "=v,{v4}", "={s[4:5]},v", "=&v,v"])
def test_a_register_that_is_asked_for(constraints: str) -> None:
    assert foreign("s_nop 0", constraints)


@pytest.mark.parametrize(
    "asm",
    [
        "v_mov_b32 $0, $1",
        "v_mov_b32 v[7], $1\n v_mov_b32 $0, v7",
        "global_load_dword $0, $1, off\n s_waitcnt vmcnt(0)",
    ],
)
def test_amd_of_its_own(asm: str) -> None:
    assert not foreign(asm, "=v,v")


def test_what_goes_in_comes_out() -> None:
    """A register that no instruction names."""
    (result,) = effects("s_nop 0", "=v,0", 1, 1).results
    assert bases(result) == [0]
    assert not foreign("s_nop 0", "=v,0")


@pytest.mark.parametrize(
    "asm",
    [
        # A comment does not begin in a text.
        '.pragma "nounroll//"; ld.global.u64 $0, [%rd1];',
        '.pragma "nounroll/*"; ld.global.u64 $0, [%rd1]; // */',
        "ld.local.u64 $0, [$1];",
        "ld.shared.u64 $0, [$1];",
        "nop;",
        "{ .reg .b64 r; mov.b64 $0, r; }",
        "{ .reg .b64 r; add.s64 r, $1, 8; mov.b64 $0, 0; { .reg .b64 q; st.global.b64 [q], r; } }",
    ],
)
def test_ptx(asm: str) -> None:
    assert foreign(asm, "=l,l")


@pytest.mark.parametrize(
    "asm",
    [
        "mov.b64 $0, $1;",
        '.pragma "nounroll"; mov.b64 $0, $1; // st.global.u32 [%rd1], 0;',
        "{ .reg .pred p; setp.ne.b64 p, $1, 0; @p mov.b64 $0, 1; @!p mov.b64 $0, 2; }",
        "{ .shared .b64 own; st.shared.b64 [own], $1; ld.shared.b64 $0, [own]; }",
        "{ .reg .b64 r<2>; mov.b64 r0, $1; mov.b64 $0, r0; }",
    ],
)
def test_ptx_of_its_own(asm: str) -> None:
    assert not foreign(asm, "=l,l")
