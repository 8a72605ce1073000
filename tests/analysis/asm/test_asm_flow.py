"""Inside the assembly: registers, scopes, branches; from which operand an address or a result comes."""

from __future__ import annotations

import pytest

from kernel_analysis.dataflow.asm import AsmEffects, AsmResult, effects

POINTER, INTEGER, LONG = "tensor<128x!tt.ptr<f32>>", "tensor<128xi32>", "tensor<128xi64>"


def written(found: AsmEffects) -> list[int]:
    return sorted({access.operand for access in found.accesses if access.write and not access.loaded})


def written_behind(found: AsmEffects) -> list[int]:
    return sorted({access.operand for access in found.accesses if access.write and access.loaded})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("mov.u64 a, $1; st.global.u32 [a], 0;", [0]),
        ("add.u64 a, $1, 16; st.global.u32 [a+4], 0;", [0]),
        ("cvta.to.global.u64 a, $1; st.global.u32 [a], 0;", [0]),
        ("mad.wide.s32 a, $3, 4, $1; st.global.u32 [a], 0;", [0]),
        ("mul.wide.s32 a, $3, 4; add.s64 a, $1, a; st.global.u32 [a], 0;", [0]),
        ("cvt.s64.s32 b, $3; shl.b64 b, b, 2; add.s64 a, b, $2; st.global.u32 [a], 0;", [1]),
        ("and.b64 a, $1, -128; or.b64 a, a, 4; xor.b64 a, a, b; st.global.u32 [a], 0;", [0]),
        ("mov.b64 {lo, hi}, $1; mov.b64 a, {lo, hi}; st.global.u32 [a], 0;", [0]),
        ("setp.ne.s32 p, $3, 0; selp.b64 a, $1, $2, p; st.global.u32 [a], 0;", [0, 1]),
        ("mov.u64 a, $1; mov.u64 a, $2; st.global.u32 [a], 0;", [1]),
        ("mov.u64 a, $1; setp.ne.s32 p, $3, 0; @p mov.u64 a, $2; st.global.u32 [a], 0;", [0, 1]),
        ("mov.u64 a, $1; setp.ne.s32 p, $3, 0; @!p mov.u64 a, $2; st.global.u32 [a], 0;", [0, 1]),
        ("shfl.sync.idx.b32 lo, $3, 0, 31, -1; st.global.u32 [$1], lo;", [0]),
        ("min.u64 a, $1, $2; st.global.u32 [a], 0;", [0, 1]),
        ("add.u64 $1, $1, 4; st.global.u32 [$1], 0;", [0]),
        ("ld.global.u32 lo, [$1]; st.global.u32 [$2], lo;", [1]),
        # Registers of one name in scopes that do not see each other.
        ("{ .reg .u64 t; mov.u64 t, $1; } { .reg .u64 t; mov.u64 t, $2; st.global.u32 [t], 0; }", [1]),
        ("mov.u64 a, $1; { .reg .u64 a; mov.u64 a, $2; } st.global.u32 [a], 0;", [0]),
        ("mov.u64 r11, $1; mov.u64 r12, $2; st.global.u32 [r11], 0;", [0]),
        ("mov.u64 %v3, $1; st.global.u32 [%v3], 0;", [0]),
        # Branches.
        ("bra over; st.global.u32 [$1], 0; over: st.global.u32 [$2], 0;", [1]),
        ("setp.ne.s32 p, $3, 0; @p bra over; st.global.u32 [$1], 0; over: st.global.u32 [$2], 0;", [0, 1]),
        ("mov.u64 a, $1; again: st.global.u32 [a], 0; mov.u64 a, $2; @p bra again;", [0, 1]),
        ("mov.u64 a, $1; mov.u64 b, $2; L: mov.u64 c, a; mov.u64 a, b; mov.u64 b, c; @p bra L; st.u32 [a], 0;", [0, 1]),
        ("mov.u64 a, $1; @p bra L; mov.u64 a, $2; L: st.global.u32 [a], 0;", [0, 1]),
        ("mov.u64 a, $2; @p mov.u64 a, $1; t: .branchtargets L, M; brx.idx $3, t; L: st.u32 [a], 0; M:", [0, 1]),
        ("$$L0: st.global.u32 [$1], 0; @p bra $$L0;", [0]),
        ("L${:uid}: st.global.u32 [${1}], 0; @p bra L${:uid};", [0]),
    ],
)
def test_addresses_made_inside(body: str, expected: list[int]) -> None:
    asm = f"{{ .reg .u64 a, b, c, r<20>; .reg .b64 %v<4>; .reg .b32 lo, hi; .reg .pred p; {body} mov.u32 $0, 0; }}"
    found = effects(asm, "=r,l,l,r", 3, 1, 1, (POINTER, POINTER, INTEGER), (INTEGER,))
    assert (written(found), found.unknown) == (expected, ())


def test_without_types_every_term_of_a_sum_may_be_the_base() -> None:
    asm = "{ .reg .u64 a; add.u64 a, $1, $2; st.global.u32 [a], 0; }"
    assert written(effects(asm, "=r,l,l", 2, 1)) == [0, 1]
    assert written(effects(asm, "=r,l,l", 2, 1, 1, (LONG, POINTER), (INTEGER,))) == [1]
    assert written(effects(asm, "=r,l,l", 2, 1, 1, (LONG, LONG), (INTEGER,))) == [0, 1]


def test_an_index_loaded_inside_is_no_base() -> None:
    asm = "{ .reg .u64 a; ld.global.u64 a, [$1]; add.u64 a, $2, a; st.global.u32 [a], 0; }"
    found = effects(asm, "=r,l,l", 2, 1, 1, (POINTER, POINTER), (INTEGER,))
    assert (written(found), written_behind(found)) == ([1], [])


def test_a_table_of_pointers() -> None:
    asm = "{ .reg .u64 a; ld.global.u64 a, [$1+8]; ld.global.u64 a, [a]; st.global.u32 [a+4], $2; }"
    found = effects(asm, "=r,l,r", 2, 1)
    assert (written(found), written_behind(found), found.unknown) == ([], [0], ())


@pytest.mark.parametrize(
    ("asm", "result"),
    [
        ("mov.u64 $0, $1;", AsmResult((0,))),
        ("add.u64 $0, $1, $2;", AsmResult((0, 1))),
        ("ld.global.b64 $0, [$1];", AsmResult((), (0,))),
        ("atom.global.exch.b64 $0, [$1], $2;", AsmResult((), (0,))),
        ("mov.u64 $0, %globaltimer;", AsmResult()),
        ("mov.u64 $0, 0;", AsmResult()),
        ("", AsmResult()),
        ("{ .reg .pred p; setp.eq.u64 p, $1, $2; selp.u64 $0, 1, 0, p; }", AsmResult()),
        ("{ .reg .pred p; setp.eq.u64 p, $1, 0; mov.u64 $0, 0; @p mov.u64 $0, $2; }", AsmResult((1,))),
        ("ld.global.b64 $0, [$1]; @p ld.global.b64 $0, [$2];", AsmResult((), (0, 1))),
    ],
)
def test_where_results_come_from(asm: str, result: AsmResult) -> None:
    assert effects(asm, "=l,l,l", 2, 1).results == (result,)


def test_several_results() -> None:
    found = effects("mov.b32 $0, $3; ld.global.b32 $1, [$2];", "=r,=r,l,r", 2, 2)
    assert found.results == (AsmResult((1,)), AsmResult((), (0,)))


@pytest.mark.parametrize(
    "asm",
    [
        "{ .shared .align 8 .b8 buffer[64]; .reg .u64 a; mov.u64 a, buffer; st.u32 [a], $2; }",
        "{ .local .b8 buffer[64]; st.local.u32 [buffer+4], $2; }",
        "{ .reg .u64 a; cvta.shared.u64 a, $1; st.u32 [a], $2; }",
        "{ .reg .u64 a; alloca.u64 a, 16; st.u32 [a], $2; }",
    ],
)
def test_memory_that_no_parameter_points_to(asm: str) -> None:
    found = effects(asm, "=r,l,r", 2, 1)
    assert (found.accesses, found.unknown) == ((), ())


def test_an_address_that_went_through_local_memory() -> None:
    asm = "{ .local .b64 cell; .reg .u64 a; st.local.u64 [cell], $1; ld.local.u64 a, [cell]; st.global.u32 [a], 0; }"
    found = effects(asm, "=r,l,l", 2, 1)
    assert (written(found), found.unknown) == ([0], ())


def test_very_many_branches() -> None:
    steps = "".join(f"@p bra L{n}; add.u64 r{n + 1}, r{n}, $2; st.global.u32 [r{n + 1}], 0; L{n}: " for n in range(200))
    asm = f"{{ .reg .u64 r<201>; .reg .pred p; mov.u64 r0, $1; again: {steps} @p bra again; }}"
    found = effects(asm, "=r,l,l", 2, 1, 1, (POINTER, LONG), (INTEGER,))
    assert (written(found), len(found.accesses), found.unknown) == ([0], 200, ())
