"""An address may be told digit by digit, by what is done or not done as its digits say: each way to tell one, with each
way to put the digits together again, must leave open that it is written."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

# Each leaves the digit of `n` at `k` in `bit`: a number that no arithmetic made of `n`.
TOLD = {
    "where": "bit = tl.where(((n >> k) & 1) != 0, one, 0 * one)",
    "branch": """
        bit = 0 * one
        if ((n >> k) & 1) != 0:
            bit = one
    """,
    "expression": "bit = one if ((n >> k) & 1) != 0 else 0 * one",
    "range": """
        bit = 0 * one
        for _ in range(0, (n >> k) & 1):
            bit = one
    """,
    "range, counted": """
        bit = 0 * one
        for i in range(0, ((n >> k) & 1).to(tl.int32) + 1):
            bit = one * i
    """,
    "while": """
        bit = 0 * one
        while bit < ((n >> k) & 1):
            bit += one
    """,
    "how often": """
        bit = tl.zeros([], tl.int64)
        for _ in range(0, (n >> k) & 1):
            bit += 1
    """,
    "condition": """
        bit = tl.zeros([], tl.int64)
        while tl.condition(bit < ((n >> k) & 1), disable_licm=True):
            bit += 1
    """,
    "not": "bit = (not (((n >> k) & 1) == 0)).to(tl.int64)",
    "return": "bit = early(n >> k)",
    "return after return": "bit = early_of_three(n >> k)",
    "table": "bit = tl.load(scratch_ptr + 2 + ((n >> k) & 1))",
    "mask of a load": "bit = tl.load(scratch_ptr + 3, mask=((n >> k) & 1) != 0, other=0)",
    "stored under a condition": """
        tl.store(scratch_ptr, 0)
        if ((n >> k) & 1) != 0:
            tl.store(scratch_ptr, 1)
        bit = tl.load(scratch_ptr)
    """,
    "stored in a loop": """
        tl.store(scratch_ptr, 0)
        for _ in range(0, (n >> k) & 1):
            tl.store(scratch_ptr, 1)
        bit = tl.load(scratch_ptr)
    """,
    "stored under a mask": """
        tl.store(scratch_ptr, 0)
        tl.store(scratch_ptr, 1, mask=((n >> k) & 1) != 0)
        bit = tl.load(scratch_ptr)
    """,
    "stored at a place": """
        tl.store(scratch_ptr + 1, 0)
        tl.store(scratch_ptr + ((n >> k) & 1), 1)
        bit = tl.load(scratch_ptr + 1)
    """,
    "how often a helper stored": """
        end, turn = 0 * one, 0 * one
        while turn <= end:
            more(scratch_ptr)
            end = (n >> k) & 1
            turn += 1
        bit = tl.load(scratch_ptr)
    """,
    "stored by a helper": """
        tl.store(scratch_ptr, 0)
        if ((n >> k) & 1) != 0:
            put(scratch_ptr, 1)
        bit = tl.load(scratch_ptr)
    """,
}

PUT = {
    "added": ("", "back += bit << k", "back"),
    "from another address": ("back = m", "back += bit << k", "back - m"),
    "in a tuple": ("", "back, _ = (back + (bit << k), k)", "back"),
    "in the head of a loop": ("", "back += bit << k", "tl.range(0, back).end"),
    "as a stride": (
        "",
        "back += bit << k",
        "tl.make_tensor_descriptor(scratch_ptr, [16, 16], [back, 1], [16, 16]).strides[0]",
    ),
    "as a shape": (
        "",
        "back += bit << k",
        "tl.make_tensor_descriptor(scratch_ptr, [back.to(tl.int32)], [1], [16]).shape[0].to(tl.int64) + m - m",
    ),
    "in a helper": ("", "back = with_digit(back, bit, k)", "back"),
}

HELPERS = """
from triton.language.extra import cuda


@triton.jit
def early(n):
    if (n & 1) != 0:
        return n * 0 + 1
    return n * 0


@triton.jit
def early_of_three(n):
    if n == 0:
        return 0
    else:
        if (n & 1) != 0:
            return 1
    return 0


@triton.jit
def put(p, x):
    tl.store(p, x)


@triton.jit
def more(p):
    tl.atomic_add(p, 1)


@triton.jit
def with_digit(back, bit, k):
    return back + (bit << k)


"""


def _kernel(told: str, put: tuple[str, str, str], gate: str, one: str = "tl.full([], 1, tl.int64)") -> str:
    start, joined, address = put
    each = textwrap.indent(f"{textwrap.dedent(told)}\n{joined}", " " * 4)
    body = f"""n = a_ptr.to(tl.int64)
m = b_ptr.to(tl.int64)
one = {one}
back = tl.full([], 0, tl.int64)
{start or "pass"}
for k in range(64):
{each}
tl.store(({address}).to(tl.pointer_type(tl.float32)), 1.0)
"""
    head = f"if {gate}:"
    return f"{HELPERS}@triton.jit\ndef kernel(a_ptr, b_ptr, scratch_ptr):\n    {head}\n{textwrap.indent(body, ' ' * 8)}"


@pytest.mark.parametrize("gate", ["True", "cuda.num_warps() == 16"])
@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("told", TOLD)
def test_each_way_to_tell_a_digit(told: str, put: str, gate: str, tmp_path: Path) -> None:
    """Compiled, and behind a test that no compile takes: there the text alone says so."""
    text = _kernel(TOLD[told], PUT[put], gate)
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32", scratch_ptr="*i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown", text


@pytest.mark.parametrize("gate", ["True", "cuda.num_warps() == 16"])
@pytest.mark.parametrize("one", ["m & 1", "k0"])
@pytest.mark.parametrize("told", TOLD)
def test_a_digit_is_told_whatever_else_is_in_it(told: str, one: str, gate: str, tmp_path: Path) -> None:
    """A digit of another address, or a number that the launch passes, stands for the one."""
    text = _kernel(TOLD[told], PUT["added"], gate, one).replace("scratch_ptr):", "scratch_ptr, k0):")
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32", scratch_ptr="*i64", k0="i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown", text


@pytest.mark.parametrize("gate", ["True", "cuda.num_warps() == 16"])
@pytest.mark.parametrize("told", TOLD)
def test_a_helper_tells_a_digit_of_what_it_is_given(told: str, gate: str, tmp_path: Path) -> None:
    body = textwrap.indent(textwrap.dedent(TOLD[told]).strip(), " " * 4)
    helper = f"@triton.jit\ndef tell(scratch_ptr, n, k, one):\n{body}\n    return bit\n\n\n@triton.jit\ndef kernel("
    text = _kernel("bit = tell(scratch_ptr, n, k, one)", PUT["added"], gate).replace("@triton.jit\ndef kernel(", helper)
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32", scratch_ptr="*i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown", text


IN_SHARED_MEMORY = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy


@gluon.jit
def copy(buffer, p):
    async_copy.async_copy_global_to_shared(buffer, p)
    async_copy.commit_group()
    async_copy.wait_group(0)


@gluon.jit
def kernel(a_ptr, zeros_ptr, ones_ptr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, order=[0])
    if gl.num_warps() == 16:
        n = a_ptr.to(gl.int64)
        lanes = gl.arange(0, 128, layout)
        buffer = gl.allocate_shared_memory(gl.int64, [128], shared)
        back = gl.full([128], 0, gl.int64, layout)
        for k in gl.static_range(48):
            copy(buffer, zeros_ptr + lanes)
            if ((n >> k) & 1) != 0:
                copy(buffer, ones_ptr + lanes)
            back = back + (buffer.load(layout) << k)
        gl.store(back.to(gl.pointer_type(gl.float32)), 1.0)
"""


def test_a_digit_is_told_by_what_a_helper_copies_to_shared_memory(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, IN_SHARED_MEMORY, a_ptr="*fp32", zeros_ptr="*i64", ones_ptr="*i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown"
