"""A constant of the kernel's own that is assigned where the kernel runs is gone behind that: there its name is what it
is outside. So two tests that are spelled alike may go two ways in one launch. Each way to lose it with each pair of
tests, where a compile takes the way and where none does."""

from __future__ import annotations

from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

LOST = {
    "if": "if n > 0:\n            {}",
    "elif": "if n > 9:\n            pass\n        elif n > 0:\n            {}",
    "else": "if n > 9:\n            pass\n        else:\n            {}",
    "if, and others": "if n > 0:\n            if n > 1:\n                pass\n            {}",
}
# What the name is outside, what a launch passes, two tests that both are true of the latter and the former.
ASKED = {
    "truth": ("0", "1", "X", "not X"),
    "false": ("1", "0", "not X", "X"),
    "nothing": ("None", "1", "X is not None", "X is None"),
    "something": ("1", "None", "X is None", "X is not None"),
    "sum": ("0", "1", "X + 1 == 2", "not (X + 1 == 2)"),
    "item": ("(0, 1)", "(1, 0)", "X[0] == 1", "not (X[0] == 1)"),
}
_KERNEL = """
X = tl.constexpr({outside})


@triton.jit
def kernel(a_ptr, b_ptr, n, F: tl.constexpr, G: tl.constexpr):
    if G:
        p = a_ptr
        {lost}
        if {second}:
            tl.store(p, 1.0)
"""


@pytest.mark.parametrize(("lost", "asked"), every(LOST, ASKED))
def test_both_may_be_so(lost: str, asked: str, tmp_path: Path) -> None:
    outside, passed, first, second = ASKED[asked]
    lines = ("X: tl.constexpr = F", f"if {first}:", "    p = b_ptr")
    text = _KERNEL.format(outside=outside, lost=LOST[lost].format(f"\n{' ' * 12}".join(lines)), second=second)
    types = {"a_ptr": "*fp32", "b_ptr": "*fp32", "n": "i32"}
    taken = facts_of(tmp_path, text, {"F": eval(passed), "G": True}, **types)
    assert named(taken.parameters, "b_ptr").write.verdict == "yes", text
    behind = facts_of(tmp_path, text, {"F": eval(passed), "G": False}, **types)
    assert named(behind.parameters, "b_ptr").write.verdict == "unknown", text
