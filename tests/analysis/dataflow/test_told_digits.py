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
    "in a helper": ("", "back = with_digit(back, bit, k)", "back"),
}

HELPERS = """
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
def with_digit(back, bit, k):
    return back + (bit << k)


"""


def _kernel(told: str, put: tuple[str, str, str]) -> str:
    start, joined, address = put
    body = textwrap.indent(f"{textwrap.dedent(told)}\n{joined}", " " * 8)
    return f"""{HELPERS}
@triton.jit
def kernel(a_ptr, b_ptr, scratch_ptr):
    n = a_ptr.to(tl.int64)
    m = b_ptr.to(tl.int64)
    one = tl.full([], 1, tl.int64)
    back = 0 * one
    {start or "pass"}
    for k in range(64):
{body}
    tl.store(({address}).to(tl.pointer_type(tl.float32)), 1.0)
"""


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("told", TOLD)
def test_each_way_to_tell_a_digit(told: str, put: str, tmp_path: Path) -> None:
    text = _kernel(TOLD[told], PUT[put])
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32", scratch_ptr="*i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown", text
