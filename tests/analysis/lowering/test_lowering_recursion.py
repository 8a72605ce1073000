"""Jit functions that reach themselves: at run time, at compile time with an end, and without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from lowering_helpers import lower

DIRECT = """
@triton.jit
def kernel(p, n):
    if n > 0:
        kernel(p, n - 1)
"""
MUTUAL = """
@triton.jit
def other(p, n):
    kernel(p, n)

@triton.jit
def kernel(p, n):
    other(p, n)
"""
THREE = """
@triton.jit
def third(p, n):
    kernel(p, n)

@triton.jit
def second(p, n):
    third(p, n)

@triton.jit
def kernel(p, n):
    second(p, n)
"""


@pytest.mark.parametrize(
    ("text", "cycle", "closing"),
    [
        (DIRECT, "kernel -> kernel", "kernel(p, n - 1)"),
        (MUTUAL, "kernel -> other -> kernel", "kernel(p, n)"),
        (THREE, "kernel -> second -> third -> kernel", "kernel(p, n)"),
    ],
)
def test_at_run_time(tmp_path: Path, text: str, cycle: str, closing: str) -> None:
    case = lower(tmp_path, text, p="*fp32", n="i32")
    assert case.problem.code == "recursion"
    assert case.problem.certain
    assert cycle in case.problem.message
    assert case.where() == closing


def test_ended_by_a_constexpr(tmp_path: Path) -> None:
    text = """
@triton.jit
def fill(p, N: tl.constexpr):
    if N > 0:
        tl.store(p + N, N)
        fill(p, N - 1)

@triton.jit
def kernel(p):
    fill(p, 40)
"""
    assert len(lower(tmp_path, text, p="*i32").placed("tt.store")) == 40


def test_without_end_at_compile_time(tmp_path: Path) -> None:
    text = """
@triton.jit
def down(p, N: tl.constexpr):
    down(p, N - 1)

@triton.jit
def kernel(p):
    down(p, 0)
"""
    case = lower(tmp_path, text, p="*i32")
    assert case.problem.code == "recursion"
    assert "without end at compile time" in case.problem.message
    assert case.where() == "down(p, N - 1)"
    assert case.problem.hint is not None
    assert lower(tmp_path, text.replace("down(p, N - 1)", "tl.store(p, N)"), p="*i32").placed("tt.store"), (
        "the compiler works as before"
    )


@pytest.mark.parametrize("compared", ["v == w", "v < w", "v != w"])
def test_python_that_recurses_without_end_is_no_jit_function_that_does(tmp_path: Path, compared: str) -> None:
    """Lists that hold themselves can't be compared; no jit function calls another here."""
    text = f"""
@triton.constexpr_function
def same(n):
    v = [n]
    v.append(v)
    w = [n]
    w.append(w)
    return {compared}


@triton.jit
def kernel(p):
    c: tl.constexpr = same(3)
    tl.store(p, 1)
"""
    case = lower(tmp_path, text, p="*i32")
    assert case.problem.code == "not-analyzed"
    assert case.problem.message == "it is nested too deeply"
    assert case.where() == "same(3)"


MADE = {
    "itself": "v = [1]\n    v.append(v)",
    "itself in a tuple": "w = [1]\n    v = (w,)\n    w.append(v)",
    "itself in a dictionary": "w = [1]\n    v = {1: w}\n    w.append(v)",
    "lists": "v = [1]\n    for i in range(9000):\n        v = [v]",
    "tuples": "v = (1,)\n    for i in range(9000):\n        v = (v,)",
    "dictionaries": "v = {}\n    for i in range(9000):\n        v = {1: v}",
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
@pytest.mark.parametrize("use", ["v", "str(v)", "len(str(v))", "f'{v}'", "(v,)", "{2: v}"])
def test_what_holds_itself_is_no_function_that_calls_itself(tmp_path: Path, made: str, use: str) -> None:
    text = f"""
@triton.constexpr_function
def made():
    {made}
    return {use}


@triton.jit
def kernel(p):
    c: tl.constexpr = made()
    tl.store(p, 1)
"""
    problem = lower(tmp_path, text, p="*i32").lowered.problem
    assert problem is None or problem.code == "not-analyzed"
