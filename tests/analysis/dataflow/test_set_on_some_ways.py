"""A register of assembly that is set on some ways only has on the others what the compiler left in it, which may be any
address of the kernel's. Each way to leave it unset with each way to take it for an address, compiled and behind a test
that no compile takes."""

from __future__ import annotations

from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, verdicts

from products import part

UNSET = {
    "under a predicate": "@p mov.b64 r, $1;",
    "under the opposite": "@!p mov.b64 r, $1;",
    "under two, of which one is set between": "@p mov.b64 r, $1; setp.eq.s32 p, $2, 5; @!p mov.b64 r, $1;",
    "under two": "@p mov.b64 r, $1; @!q mov.b64 r, $1;",
    "twice under one": "@p mov.b64 r, $1; @p mov.b64 r, $1;",
    "jumped over": "@p bra DONE; mov.b64 r, $1; DONE:",
    "on one of two ways": "@p bra LEFT; bra DONE; LEFT: mov.b64 r, $1; DONE:",
    "set later": "mov.b64 s, r; mov.b64 r, $1; mov.b64 r, s;",
    "in a loop that may not turn": "bra TEST; TURN: mov.b64 r, $1; setp.eq.s32 p, $2, 5; TEST: @p bra TURN;",
    "half of it": "@p mov.b64 {lo, hi}, $1; mov.b64 r, {lo, hi};",
}
SET = {
    "under both": "@p mov.b64 r, $1; @!p mov.b64 r, $1;",
    "before": "mov.b64 r, 0; @p mov.b64 r, $1;",
    "behind": "@p mov.b64 r, $1; mov.b64 r, $1;",
    "on both of two ways": "@p bra LEFT; mov.b64 r, $1; bra DONE; LEFT: mov.b64 r, $1; DONE:",
    "in a loop": "TURN: mov.b64 r, $1; setp.eq.s32 p, $2, 5; @p bra TURN;",
}
TAKEN = {
    "stored to": "st.global.b32 [r], 0; mov.b64 $0, 0;",
    "stored behind": "st.global.b32 [r+8], 0; mov.b64 $0, 0;",
    "copied": "mov.b64 s, r; st.global.b32 [s], 0; mov.b64 $0, 0;",
    "added to": "add.s64 s, r, 8; st.global.b32 [s], 0; mov.b64 $0, 0;",
    "an atomic": "red.global.add.u32 [r], 1; mov.b64 $0, 0;",
    "handed to a function": "call (s), f, (r); mov.b64 $0, 0;",
    "given back": "mov.b64 $0, r;",
    "given back, added to": "add.s64 $0, r, 16;",
}
_KERNEL = """
from triton.language.extra import cuda


@triton.jit
def kernel(a_ptr, b_ptr, n):
    if {gate}:
        x = tl.inline_asm_elementwise({asm!r}, "=l,l,r", [b_ptr, n], tl.int64, is_pure=False, pack=1)
        tl.store(x.to(tl.pointer_type(tl.float32)), 1.0)
"""
_HEAD = "{{ .reg .pred p, q; .reg .b64 r, s; .reg .b32 lo, hi; setp.ne.s32 p, $2, 0; setp.ne.s32 q, $2, 1; {} {} }}"
GATES = ("True", "cuda.num_warps() == 16")


def _written(gate: str, way: str, taken: str, folder: Path) -> bool:
    text = _KERNEL.format(gate=gate, asm=_HEAD.format(way, taken))
    return "w" in verdicts(facts_of(folder, text, a_ptr="*fp32", b_ptr="*fp32", n="i32"))["a_ptr"]


@pytest.mark.parametrize(("gate", "way", "taken"), part(every(GATES, UNSET, TAKEN)))
def test_each_register_that_is_not_always_set(gate: str, way: str, taken: str, tmp_path: Path) -> None:
    assert _written(gate, UNSET[way], TAKEN[taken], tmp_path)


@pytest.mark.parametrize(("gate", "way", "taken"), part(every(GATES, SET, [t for t in TAKEN if "hand" not in t])))
def test_each_register_that_is(gate: str, way: str, taken: str, tmp_path: Path) -> None:
    assert not _written(gate, SET[way], TAKEN[taken], tmp_path)


def test_what_is_loaded_under_a_predicate_alone_is_no_address_where_none_is_made(tmp_path: Path) -> None:
    text = """
        @triton.jit
        def kernel(a_ptr, b_ptr, n):
            x = tl.inline_asm_elementwise(
                "{ .reg .pred p; setp.ne.s32 p, $2, 0; @p ld.global.b32 $0, [$1]; }", "=r,l,r", [b_ptr, n],
                tl.int32, is_pure=False, pack=1,
            )
            tl.store(b_ptr + x, 1.0)
    """
    found = verdicts(facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32", n="i32"))
    assert found["a_ptr"] == ""
    assert found["b_ptr"] == "rw"
