"""Assembly with ``pack``, in a branch that no compile took: what only computes does nothing to memory, whichever
register is whose, and what it gives may be any of its operands. What touches memory may do anything.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, verdicts

COMPUTES = {
    "copied": ("mov.b32 $0, $1;", "=r,r", "[x]", "tl.int8", 4),
    "two operands": ("and.b32 $0, $1, $2;", "=r,r,r", "[x, x]", "tl.int8", 4),
    "with registers of its own": ("{ .reg .b32 t; shl.b32 t, $1, 3; or.b32 $0, t, $1; }", "=r,r", "[x]", "tl.int8", 4),
    "two results": ("mov.b32 $0, $2; mov.b32 $1, $2;", "=r,=r,r", "[x]", "(tl.int8, tl.int8)", 4),
    "more registers than packs": ("cvt.rn.f16x2.f32 $0, $2, $1;", "=r,r,r", "[x.to(tl.float32)]", "tl.float16", 2),
    "a pack that a launch decides": ("mov.b32 $0, $1;", "=r,r", "[x]", "tl.int8", "PACK"),
}
TOUCHES = {
    "read": ("ld.global.b32 $0, [$1];", "=r,l", "[w]", "tl.int32", 2),
    "written": ("st.global.b32 [$1], $2; mov.b32 $0, $2;", "=r,l,r", "[w, x]", "tl.int32", 2),
    "added to": ("atom.global.add.u32 $0, [$1], 1;", "=r,l", "[w]", "tl.int32", 2),
    "reduced": ("red.global.add.u32 [$1], 1; mov.b32 $0, 0;", "=r,l", "[w]", "tl.int32", 2),
    "what is not known": ("frobnicate.b32 $0, $1;", "=r,l", "[w]", "tl.int32", 2),
    "a call": ("call ($0), somewhere, ($1);", "=r,l", "[w]", "tl.int32", 2),
    "a register that it does not declare": ("ld.global.b32 $0, [%rd1];", "=r,l", "[w]", "tl.int32", 2),
    "a text that varies": ("mov.b32 $0, $1; // {TEXT}", "=r,l", "[w]", "tl.int32", 2),
}  # fmt: skip


def _verdicts(folder: Path, assembly: tuple[str, str, str, str, int | str], use: str) -> dict[str, str]:
    text, constraints, arguments, dtype, pack = assembly
    spelled = f'f"{text}"' if "{TEXT}" in text else repr(text)
    source = f"""
        @triton.jit
        def kernel(out, n, m, FLAG: tl.constexpr, PACK: tl.constexpr, TEXT: tl.constexpr):
            x = (tl.arange(0, 64) + n).to(tl.int8)
            w = tl.arange(0, 64) + m
            if FLAG:
                made = tl.inline_asm_elementwise(
                    {spelled}, {constraints!r}, {arguments}, dtype={dtype}, is_pure=True, pack={pack}
                )
                {use}
            tl.store(out, 1)
        """
    given = {"FLAG": False, "PACK": 4, "TEXT": "a"}
    return verdicts(facts_of(folder, source, given, out="*i8", n="i32", m="i64"))


@pytest.mark.parametrize("kind", COMPUTES)
def test_what_only_computes_touches_nothing(tmp_path: Path, kind: str) -> None:
    found = _verdicts(tmp_path, COMPUTES[kind], "pass")
    assert found["out"] == "w"
    assert found["n"] == found["m"] == ""


@pytest.mark.parametrize("kind", TOUCHES)
def test_what_touches_memory_may_do_anything(tmp_path: Path, kind: str) -> None:
    found = _verdicts(tmp_path, TOUCHES[kind], "pass")
    assert found["m"] == "?r?w"


RESULTS = {
    "copied": ("mov.b64 $0, $2; mov.b64 $1, $3;", "=l,=l,l,l", "[w]", "tl.int64", 2),
    "the second": ("mov.b64 $0, $4; mov.b64 $1, $5;", "=l,=l,l,l,l,l", "[x.to(tl.int64), w]", "tl.int64", 2),
    "put together": ("add.s64 $0, $2, $4; sub.s64 $1, $3, $5;", "=l,=l,l,l,l,l", "[x.to(tl.int64), w]", "tl.int64", 2),
    "by a pack that a launch decides": ("mov.b64 $0, $2; mov.b64 $1, $3;", "=l,=l,l,l", "[w]", "tl.int64", "PACK"),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_what_it_gives_may_be_any_of_its_operands(tmp_path: Path, kind: str) -> None:
    found = _verdicts(tmp_path, RESULTS[kind], "tl.store(made.to(tl.pointer_type(tl.int8)), 1)")
    assert found["m"] == "?w"


WRITTEN = {
    "one of two": '"mov.b32 $0, $1;" if cuda_capability_geq(9) else "neg.s32 $0, $1;"',
    "put together": "f\"{'mov' if cuda_capability_geq(9) else 'not'}.b{32} $0, $1;\"",
    "put together of what is the same": "f\"{'mov.b32'} $0, $1;\"",
}
NOT_ONLY = {
    "one of two reads": '"mov.b32 $0, $1;" if cuda_capability_geq(9) else "ld.global.b32 $0, [$1];"',
    "one of two writes": '"st.global.b32 [$1], 1; mov.b32 $0, 0;" if cuda_capability_geq(9) else "mov.b32 $0, $1;"',
    "put together to read": "f\"{'mov' if cuda_capability_geq(9) else 'ld.global'}.b32 $0, [$1];\"",
    "with a format": 'f"{1:$>3}"',
    "with a conversion": "f\"{'mov.b32'!r} $0, $1;\"",
    "of what a launch passes": 'f"{TEXT} $0, $1;"',
    "as a launch decides": '"mov.b32 $0, $1;" if TEXT else "ld.global.b32 $0, [$1];"',
    "as the kernel's options decide": 'f"mov.b32 $0, $1; // {tl.extra.cuda.num_warps()}"',
}


@pytest.mark.parametrize("arguments", ["[w]", "w2"])
@pytest.mark.parametrize("kind", [*WRITTEN, *NOT_ONLY])
def test_a_text_that_is_one_of_several_does_what_any_of_them_does(tmp_path: Path, kind: str, arguments: str) -> None:
    """``w2``: a tuple of which it is not in sight how many it has."""
    source = f"""
        from triton.language.target_info import cuda_capability_geq

        @triton.jit
        def assembled(w, w2, TEXT: tl.constexpr):
            asm: tl.constexpr = {(WRITTEN | NOT_ONLY)[kind]}
            return tl.inline_asm_elementwise(asm, "=r,l", {arguments}, dtype=tl.int32, is_pure=False, pack=1)

        @triton.jit
        def kernel(out, m, FLAG: tl.constexpr, TEXT: tl.constexpr):
            if FLAG:
                w = tl.arange(0, 64) + m
                assembled(w, (w,) * FLAG, TEXT)
            tl.store(out, 1)
        """
    facts = facts_of(tmp_path, source, {"FLAG": False, "TEXT": "a"}, out="*i8", m="i64")
    assert (verdicts(facts)["m"] == "") == (kind in WRITTEN)
