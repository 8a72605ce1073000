"""What can't be told: unknown instructions, AMD assembly, lost addresses, garbage."""

from __future__ import annotations

import pytest
from asm_helpers import bases
from hypothesis import given
from hypothesis import strategies as st

from kernel_analysis.dataflow.asm import Term, effects


@pytest.mark.parametrize(
    ("asm", "instruction", "operands"),
    [
        ("frobnicate.b32 $0, $2;", "frobnicate.b32 $0, $2", (1,)),
        ("{ .reg .u64 a; mov.u64 a, $3; frobnicate.b64 $0, [a+4]; }", "frobnicate.b64 $0, [a+4]", (2,)),
        ("st.global.u32 [$1], $2; @p frob [$3], 1;", "@p frob [$3], 1", (2,)),
        ("cp.frob [$1], [$3];", "cp.frob [$1], [$3]", (0, 2)),
        ("call (a), f, ($1, $2);", "call (a), f, ($1, $2)", (0, 1)),
        ("frob;", "frob", ()),
        # A forgotten semicolon: what follows may not be lost.
        ("mov.u32 $0, 0\n st.global.u32 [$1], $2;", "mov.u32 $0, 0 st.global.u32 [$1], $2", (0, 1)),
        ("ld.global.u32 $0, [$1], [$3];", "ld.global.u32 $0, [$1], [$3]", (0, 2)),
        ("%%% [$1]", "%%% [$1]", (0,)),
        ("st.global.u32 $1, $2;", "st.global.u32 $1, $2", (0, 1)),
    ],
)
def test_exactly_what_reaches_an_unknown_instruction(asm: str, instruction: str, operands: tuple[int, ...]) -> None:
    (unknown,) = effects(asm, "=r,l,r,l", 3, 1).unknown
    assert (unknown.instruction, unknown.operands) == (instruction, operands)
    assert f"`{instruction}`" in unknown.reason
    assert unknown.reads
    assert unknown.writes


def test_what_an_unknown_instruction_leaves_behind_stays_unknown() -> None:
    asm = "{ .reg .u64 a; frob.b64 a, $1; st.global.u32 [a], $2; mov.u32 $0, $2; }"
    first, second = effects(asm, "=r,l,r,l", 3, 1).unknown
    assert (first.instruction, first.operands) == ("frob.b64 a, $1", (0,))
    assert (second.instruction, second.operands, second.anywhere) == ("st.global.u32 [a], $2", (0,), True)
    assert "frob.b64 a, $1" in second.reason
    assert (second.reads, second.writes) == (False, True)


def test_a_value_loaded_through_an_operand_that_reaches_an_unknown_instruction() -> None:
    (unknown,) = effects("{ .reg .u64 a; ld.global.u64 a, [$1]; frob [a]; }", "=r,l", 1, 1).unknown
    assert (unknown.operands, unknown.loaded) == ((), (0,))


@pytest.mark.parametrize(
    "asm",
    [
        "st.global.u32 [4096], $2;",
        "st.global.u32 [some_symbol], $2;",
        "{ .reg .u64 a; mov.u64 a, %clock64; st.global.u32 [a], $2; }",
        "{ .reg .u64 a; ld.shared.u64 a, [$2]; st.global.u32 [a], $2; }",
        "{ .reg .u64 a; ld.param.u64 a, [kernel_param_0]; st.global.u32 [a], $2; }",
        "st.global.u32 [%rd12], $2;",
    ],
)
def test_an_address_from_nowhere(asm: str) -> None:
    (unknown,) = effects(asm, "=r,l,r", 2, 1).unknown
    assert (unknown.operands, unknown.anywhere, unknown.reads, unknown.writes) == ((), True, False, True)
    assert "can't be traced" in unknown.reason


@pytest.mark.parametrize(
    ("asm", "instruction", "operands", "stores"),
    [
        ("global_store_dword $1, $2, off\ns_waitcnt vmcnt(0)", "global_store_dword $1, $2, off", (0, 1), True),
        ("v_mov_b32 v7, $2\n\tglobal_load_dword $0, v7, $1", "global_load_dword $0, v7, $1", (0, 1), False),
        ("v_lshlrev_b32 v7, 2, $2\nflat_atomic_add v[6:7], v8", "flat_atomic_add v[6:7], v8", (1,), True),
        ("s_load_dwordx2 s[4:5], $1, 0x0", "s_load_dwordx2 s[4:5], $1, 0x0", (0,), False),
        ("s_frobnicate $1", "s_frobnicate $1", (0,), False),
    ],
)
def test_amd(asm: str, instruction: str, operands: tuple[int, ...], stores: bool) -> None:
    found = effects(asm, "=v,v,v", 2, 1)
    (unknown,) = found.unknown
    assert (unknown.instruction, unknown.operands) == (instruction, operands)
    assert "AMD" in unknown.reason
    assert found.stores == (instruction if stores else None)


@pytest.mark.parametrize(
    "asm",
    [
        "s_memrealtime $0\n s_waitcnt vmcnt(0)",
        "s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\n s_waitcnt lgkmcnt(0)",
        "s_getreg_b32 $0, hwreg(4, 8, 8)",
        "s_sleep 127",
        "s_waitcnt vmcnt(0)\ns_barrier\nv_mov_b32 $0, $1",
        "v_fma_f32 $0, $1, $2, $1 ; a comment",
        "s_nop 0; v_cvt_pk_bf16_f32 $0, $1, $2",
        "ds_bpermute_b32 $0, $1, $2",
    ],
)
def test_amd_without_memory(asm: str) -> None:
    found = effects(asm, "=v,v,v", 2, 1)
    assert (found.accesses, found.unknown, found.stores) == ((), (), None)


def test_amd_results() -> None:
    (result,) = effects("v_mov_b32 v3, $2\nv_add_u32 $0, v3, 1", "=v,v,v", 2, 1).results
    assert result == frozenset({frozenset({Term("operand", "bits", 1)})})


WORDS = """st ld.global.u32 mov [ ] { } $ $1 ${ $$ @ @p , : L ( ) | + bra .reg .shared .b32 <4> 0x 1 %tid
 // /* */ _ v_mov_b32 s[ ; ; ² 999999999999999999999999"""
PIECES = st.sampled_from([*WORDS.split(), "\n", " ", '"', "\x01"])


@given(
    st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=60).map("".join)),
    st.text("=lrh0129,&+~{}m² ", max_size=20),
)
@pytest.mark.slow("a thousand random texts")
def test_garbage_never_raises(asm: str, constraints: str) -> None:
    for operands, results, pack in ((0, 1, 1), (2, 1, 1), (3, 2, 4)):
        assert len(effects(asm, constraints, operands, results, pack).results) == results


@pytest.mark.parametrize(
    "asm", ["(" * 5000, "{" * 5000, "mov " + "{" * 5000 + "}" * 5000, "$" + "9" * 9000, "[" * 5000, "st [ ], 1"]
)
def test_deep_or_long_garbage(asm: str) -> None:
    assert effects(asm, "=r,l," + "9" * 5000, 1, 1).accesses == ()


DATA = [
    "add.u64 {d}, {a}, {b};",
    "mov.b64 {d}, {a};",
    "and.b64 {d}, {a}, 127;",
    "mad.lo.u64 {d}, {a}, 4, {b};",
    "selp.b64 {d}, {a}, {b}, p;",
    "@p mov.b64 {d}, {a};",
    "{{ .reg .b64 q; xor.b64 q, {a}, {b}; mov.b64 {d}, q; }}",
    "setp.lt.u64 p, {a}, {b};",
    "bar.sync 0;",
    "shl.b64 {d}, {a}, 3; // a comment;",
]


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, int]:
    """Data instructions on temporaries and integer operands around one store through a copy of operand k's address."""
    operand = draw(st.integers(0, 3))
    temporaries = st.sampled_from(["t0", "t1", "t2"])
    sources = st.sampled_from(["t0", "t1", "t2", "$5", "$6"])
    lines = draw(
        st.lists(
            st.builds(
                lambda form, d, a, b: form.format(d=d, a=a, b=b), st.sampled_from(DATA), temporaries, sources, sources
            ),
            max_size=12,
        )
    )
    store = draw(
        st.sampled_from(
            [
                "st.global.b64 [$%d], t0;",
                "mov.b64 w, $%d; st.global.b64 [w+8], t1;",
                "add.s64 w, $%d, t1; @p st.b64 [w], t2;",
                "mad.lo.s64 w, t0, 8, $%d; st.relaxed.gpu.global.b64 [w], 0;",
                "cvta.to.global.u64 w, $%d; st.global.v2.b64 [w], {t0, t1};",
            ]
        )
    )
    at = draw(st.integers(0, len(lines)))
    body = "\n".join([*lines[:at], store % (operand + 1), *lines[at:]])
    return (
        f"{{ .reg .b64 t<3>, w; .reg .pred p; mov.u64 t0, 0; mov.u64 t1, 0; mov.u64 t2, 0; {body} mov.u64 $0, t0; }}",
        operand,
    )


@given(programs())
def test_one_store_among_data_instructions(program: tuple[str, int]) -> None:
    asm, operand = program
    types = ("!tt.ptr<i64>",) * 4 + ("i64", "i64")
    found = effects(asm, "=l,l,l,l,l,l,l", 6, 1, 1, types, ("i64",))
    assert [(bases(access.address, types), access.read, access.write) for access in found.accesses] == [
        ([operand], False, True)
    ]
    assert found.unknown == ()
    assert found.stores == found.accesses[0].instruction


def test_scopes_in_each_other() -> None:
    """As deep as anybody writes them; deeper, all that follows is one statement that can't be read."""
    for depth, count in ((40, 0), (60, 1), (3000, 1)):
        text = "{ " * depth + "st.global.u32 [$1], $2; " + "} " * depth
        found = effects(text, "=r,l,r", 2, 1)
        assert len(found.unknown) == count
        assert (found.foreign is not None) == bool(count)
        assert any(unknown.writes for unknown in found.unknown) or [a.write for a in found.accesses] == [True]
