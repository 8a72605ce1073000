"""Inside the assembly: registers, scopes, branches; from which operand an address or a result comes."""

from __future__ import annotations

import pytest
from asm_helpers import FIELDS, LONG, POINTER, WORD, bases, behind, registers, unclear, written, written_behind

from kernel_analysis.dataflow.asm import effects
from kernel_analysis.dataflow.asm.asm_model import operands


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
    types = (POINTER, POINTER, WORD)
    found = effects(asm, "=r,l,l,r", 3, 1, 1, types, (WORD,))
    assert (written(found, types), found.unknown) == (expected, ())


@pytest.mark.parametrize(
    ("types", "base", "other"),
    [
        ((POINTER, POINTER), [0, 1], []),
        ((LONG, POINTER), [1], []),
        ((POINTER, WORD), [0], []),
        ((LONG, WORD), [0], []),
        ((LONG, LONG), [], [0, 1]),
        ((WORD, WORD), [], [0, 1]),
    ],
)
def test_what_the_operands_are_tells_the_base_from_an_offset(
    types: tuple[str, str], base: list[int], other: list[int]
) -> None:
    asm = "{ .reg .u64 a; add.u64 a, $1, $2; st.global.u32 [a], 0; }"
    (access,) = effects(asm, "=r,l,l", 2, 1, 1, types, (WORD,)).accesses
    assert (bases(access.address, types), unclear(access.address, types)) == (base, other)


@pytest.mark.parametrize(
    "body",
    [
        "mad.lo.u64 a, $1, 1, $2;",
        "mad.lo.u64 a, 1, $1, $2;",
        "mul.lo.u64 a, $1, 1; add.u64 a, a, $2;",
        "sub.u64 a, $2, $1; sub.u64 a, $2, a;",
        "add.u64 a, $1, $2; sub.u64 a, a, $2;",
        "xor.b64 a, $1, $2; xor.b64 a, a, $2;",
        "neg.s64 a, $1; sub.s64 a, $2, a; sub.s64 a, a, $2;",
        "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, $1; cvt.u64.u32 a, hi; shl.b64 a, a, 32; or.b64 a, a, $2; }",
        "{ .reg .pred p; setp.ne.u64 p, $2, 0; selp.b64 a, $1, 0, p; }",
        "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, $1; prmt.b32 lo, lo, hi, 0x3210; mov.b64 a, {lo, hi}; }",
        "bfe.u64 a, $1, 0, 64;",
        "{ .local .b64 cell; st.local.u64 [cell], $1; ld.local.u64 a, [cell]; }",
    ],
)
@pytest.mark.parametrize("types", [(LONG, LONG), (LONG, WORD), (POINTER, POINTER), (POINTER, LONG), (POINTER, WORD)])
def test_no_type_rules_an_operand_out(body: str, types: tuple[str, str]) -> None:
    """`$1` may be the address, whatever is added to it. (A number that is added to a pointer is an offset.)"""
    asm = f"{{ .reg .u64 a; {body} st.global.u32 [a], 0; }}"
    found = effects(asm, "=r,l,l", 2, 1, 1, types, (WORD,))
    assert 0 in {i for access in found.accesses for f in (bases, unclear) for i in f(access.address, types)}


def test_an_index_loaded_inside_is_no_base() -> None:
    asm = "{ .reg .u64 a; ld.global.u64 a, [$1]; add.u64 a, $2, a; st.global.u32 [a], 0; }"
    found = effects(asm, "=r,l,l", 2, 1, 1, (POINTER, POINTER), (WORD,))
    assert (written(found), written_behind(found)) == ([1], [])


def test_a_table_of_pointers() -> None:
    asm = "{ .reg .u64 a; ld.global.u64 a, [$1+8]; ld.global.u64 a, [a]; st.global.u32 [a+4], $2; }"
    found = effects(asm, "=r,l,r", 2, 1)
    assert (written(found), written_behind(found), found.unknown) == ([], [0], ())


@pytest.mark.parametrize(
    ("asm", "direct", "loaded"),
    [
        ("mov.u64 $0, $1;", [0], []),
        ("add.u64 $0, $1, $2;", [0, 1], []),
        ("ld.global.b64 $0, [$1];", [], [0]),
        ("atom.global.exch.b64 $0, [$1], $2;", [], [0]),
        ("mov.u64 $0, %globaltimer;", [], []),
        ("mov.u64 $0, 0;", [], []),
        ("", [], []),
        ("{ .reg .pred p; setp.eq.u64 p, $1, 0; mov.u64 $0, 0; @p mov.u64 $0, $2; }", [1], []),
        ("ld.global.b64 $0, [$1]; @p ld.global.b64 $0, [$2];", [], [0, 1]),
    ],
)
def test_where_results_come_from(asm: str, direct: list[int], loaded: list[int]) -> None:
    (result,) = effects(asm, "=l,l,l", 2, 1).results
    assert (bases(result), behind(result), unclear(result)) == (direct, loaded, [])


@pytest.mark.parametrize(
    "asm",
    [
        "{ .reg .pred p; setp.ne.u64 p, $1, $2; selp.u64 $0, 1, 0, p; }",
        "{ .reg .pred p; setp.ne.u64 p, $1, $2; mov.u64 $0, 0; @p mov.u64 $0, 1; }",
        "{ .reg .pred p; setp.ne.u64 p, $1, $2; mov.u64 $0, 0; @!p bra E; mov.u64 $0, 1; E: }",
        "{ .reg .pred p; .reg .u32 r; setp.ne.u64 p, $1, $2; vote.sync.ballot.b32 r, p, -1; cvt.u64.u32 $0, r; }",
    ],
)
def test_a_digit_of_what_is_tested(asm: str) -> None:
    """An address may be put together from them."""
    (result,) = effects(asm, "=l,l,l", 2, 1).results
    assert (bases(result), unclear(result)) == ([], [0, 1])


def test_what_cannot_be_read_may_be_a_label_or_a_branch() -> None:
    found = effects(
        "{ .reg .u64 q; mov.u64 q, $1; %= st.u32 [q], 1; mov.u64 q, $2; @p bra %=; mov.u32 $0, 0; }", "=r,l,l", 2, 1
    )
    assert {operand for item in found.unknown for operand in operands(item.reaching)} == {0, 1}


def test_several_results() -> None:
    found = effects("mov.b32 $0, $3; ld.global.b32 $1, [$2];", "=r,=r,l,r", 2, 2)
    assert [(bases(result), behind(result)) for result in found.results] == [([1], []), ([], [0])]


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


def test_an_offset_in_shared_memory_is_no_address() -> None:
    asm = "{ .shared .b8 buffer[64]; .reg .u32 a; mov.u32 a, buffer; add.u32 a, a, $1; st.u32 [a], 0; }"
    (access,) = effects(asm, "=r,r", 1, 1).accesses
    assert FIELDS.is_empty(registers((WORD,)).address(access.address))
    assert bases(access.address, (POINTER,)) == [0]


def test_an_address_that_went_through_local_memory() -> None:
    asm = "{ .local .b64 cell; .reg .u64 a; st.local.u64 [cell], $1; ld.local.u64 a, [cell]; st.global.u32 [a], 0; }"
    found = effects(asm, "=r,l,l", 2, 1)
    assert (written(found), found.unknown) == ([0], ())


def test_very_many_branches() -> None:
    steps = "".join(f"@p bra L{n}; add.u64 r{n + 1}, r{n}, $2; st.global.u32 [r{n + 1}], 0; L{n}: " for n in range(200))
    asm = f"{{ .reg .u64 r<201>; .reg .pred p; mov.u64 r0, $1; again: {steps} @p bra again; }}"
    found = effects(asm, "=r,l,l", 2, 1, 1, (POINTER, LONG), (WORD,))
    assert (written(found, (POINTER, LONG)), len(found.accesses), found.unknown) == ([0], 200, ())
