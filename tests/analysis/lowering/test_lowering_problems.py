"""What the compiler refuses: its words, the innermost place in the user's files, the calls that led there."""

from __future__ import annotations

from pathlib import Path

import pytest
from lowering_helpers import lower


def test_the_innermost_place_and_the_calls_across_files(tmp_path: Path) -> None:
    deep = """
@triton.jit
def inner(x):
    return x + missing

@triton.jit
def outer(x):
    return inner(
        x * 2
    )
"""
    text = """
import deep

@triton.jit
def kernel(p):
    tl.store(p, deep.outer(tl.load(p)))
"""
    case = lower(tmp_path, text, files={"deep": deep}, p="*fp32")
    assert case.where() == "missing"
    assert case.slice.functions[case.problem.at.function].name == "inner"
    assert case.chain() == ["deep.outer(tl.load(p))", "inner( x * 2 )"]


CERTAIN = {
    "no such name": ("y = nowhere", "nowhere"),
    "no such function of Triton's": ("tl.no_such_thing(p)", "tl.no_such_thing"),
    "no such argument": ("tl.load(p, maks=True)", "tl.load(p, maks=True)"),
    "not in Triton": ("import os", "import os"),
    "a nested function": ("def f(): pass", "def f(): pass"),
    "a lambda": ("f = lambda: 1", "lambda: 1"),
}


@pytest.mark.parametrize(("body", "place"), CERTAIN.values(), ids=CERTAIN)
def test_certain(tmp_path: Path, body: str, place: str) -> None:
    case = lower(tmp_path, f"@triton.jit\ndef kernel(p):\n    {body}\n", p="*fp32")
    assert case.problem.code in ("compile-error", "not-analyzed")
    assert case.where() == place
    assert case.problem.code == "not-analyzed" or case.problem.certain


UNCERTAIN = {
    "of the shape": "tl.store(p + tl.arange(0, N), 1)",
    "of the type": "p * 2.0",
    "a static assert": "tl.static_assert(N == 4)",
    "a refusal by the author": "if N == 3: raise ValueError('three')",
    "a variable of a branch": "if N == 4:\n        y = 1\n    tl.store(p, y)",
}


@pytest.mark.parametrize("body", UNCERTAIN.values(), ids=UNCERTAIN)
def test_other_types_or_values_could_help(tmp_path: Path, body: str) -> None:
    problem = lower(tmp_path, f"@triton.jit\ndef kernel(p, N):\n    {body}\n", constants={"N": 3}, p="*fp32").problem
    assert problem.code == "compile-error"
    assert not problem.certain


def test_static_assert_says_its_message(tmp_path: Path) -> None:
    text = """
@triton.jit
def check(N: tl.constexpr):
    tl.static_assert(N % 2 == 0, "N must be even")

@triton.jit
def kernel(p, N: tl.constexpr):
    check(N)
"""
    case = lower(tmp_path, text, constants={"N": 3}, p="*fp32")
    assert case.problem.message == "static_assert failed: N must be even"
    assert case.where() == 'tl.static_assert(N % 2 == 0, "N must be even")'
    assert case.chain() == ["check(N)"]


def test_a_module_that_does_not_verify_gives_mlirs_reason(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(p):
    x = tl.inline_asm_elementwise("mov.b32 $0, 1;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    y = tl.arange(0, 16).to(tl.float32)
    tl.store(p + tl.arange(0, 16), tl.inline_asm_elementwise(
        "mov.b32 $0, $1;", "=r,r", [y], dtype=tl.float32, is_pure=True, pack=3))
"""
    problem = lower(tmp_path, text, p="*fp32").problem
    assert "parsing" not in problem.message
    assert problem.message


def test_what_the_blocks_were(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(p):
    x = tl.arange(0, 16)
    tl.store(p + x, x + tl.arange(0, 32))
"""
    case = lower(tmp_path, text, p="*i32")
    assert case.where() == "x + tl.arange(0, 32)"
    assert "16" in case.problem.message
    assert "32" in case.problem.message


HINTS = {
    "tl.arange(0, n)": "tl.constexpr",
    "tl.arange(0, 3)": "powers of two",
    "tl.load(n)": "pointer",
    "python(n)": "@triton.jit",
    "tl.zeros([4, 4], tl.float32) + tl.zeros([8, 4], tl.float32)": "broadcast",
    "tl.dot(tl.zeros([2, 2], tl.float32), tl.zeros([4, 2], tl.float32))": "tl.dot",
}


@pytest.mark.parametrize(("body", "advice"), HINTS.items(), ids=HINTS)
def test_hints(tmp_path: Path, body: str, advice: str) -> None:
    text = f"def python(x):\n    return x\n\n@triton.jit\ndef kernel(p, n):\n    x = {body}\n"
    problem = lower(tmp_path, text, p="*fp32", n="i32").problem
    assert advice in f"{problem.hint} {problem.message}"


def test_a_default_that_nobody_knows_is_not_compared(tmp_path: Path) -> None:
    text = """
import os

@triton.jit
def helper(x, FLAG: tl.constexpr = os.environ["FLAG"]):
    if FLAG == "1":
        return x
    else:
        return x + 1

@triton.jit
def kernel(p):
    tl.store(p, helper(tl.load(p)))
"""
    case = lower(tmp_path, text, p="*i32")
    assert case.problem.code == "not-analyzed"
    assert "`FLAG`" in case.problem.message


@pytest.mark.parametrize("test", ["FLAG == 1", "FLAG != 1", "FLAG is None", "FLAG", "not FLAG", "1 < FLAG"])
def test_a_global_that_nobody_knows_decides_nothing(tmp_path: Path, test: str) -> None:
    text = f"""
import os
FLAG = tl.constexpr(os.getpid())

@triton.jit
def kernel(p):
    if {test}:
        tl.store(p, 1)
"""
    assert lower(tmp_path, text, p="*i32").problem.code == "not-analyzed"
