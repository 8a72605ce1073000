"""Constants of every kind, constexpr functions and defaults, as the front end gets them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lowering_helpers import compiler, lower

from kernel_analysis.source.slice import ConstantValue, NamedTupleValue, TorchDtype, TritonObject


@pytest.mark.parametrize("text", ["D", "fp32D", '"', "'", "{x}", "{", "a\nb", "für ☃", "", "\\", "%s", "<3>"])
def test_strings(tmp_path: Path, text: str) -> None:
    kernel = f"""
@triton.jit
def kernel(p, S: tl.constexpr):
    if S == {text!r}:
        tl.store(p, 1)
"""
    assert lower(tmp_path, kernel, constants={"S": text}, p="*i32").placed("tt.store") == ["tl.store(p, 1)"]


CONSTANTS: dict[str, tuple[ConstantValue, str]] = {
    "None": (None, "C is None"),
    "False": (False, "not C"),
    "float": (0.5, "C == 0.5"),
    "huge": (2**63, "C == 9223372036854775808"),
    "dtype": (TritonObject("triton.language.float16"), "C == tl.float16"),
    "dtype of torch": (TorchDtype("float16"), "C == C"),
    "nested": ((1, (2, (3,))), "C[1][1][0] == 3"),
    "named tuple": (NamedTupleValue("Pair", ("a", "b"), (1, 2)), "C.b == 2"),
}


@pytest.mark.parametrize(("value", "test"), CONSTANTS.values(), ids=CONSTANTS)
def test_values(tmp_path: Path, value: ConstantValue, test: str) -> None:
    kernel = f"@triton.jit\ndef kernel(p, C: tl.constexpr):\n    if {test}:\n        tl.store(p, 1)\n"
    assert lower(tmp_path, kernel, constants={"C": value}, p="*i32").placed("tt.store") == ["tl.store(p, 1)"]


def test_a_torch_dtype_is_only_itself(tmp_path: Path) -> None:
    kernel = """
@triton.jit
def kernel(p, A: tl.constexpr, B: tl.constexpr):
    if A == B:
        tl.store(p, 1)
    else:
        tl.store(p, 2)
"""
    dtypes = {"A": TorchDtype("float16"), "B": TorchDtype("bfloat16")}
    assert lower(tmp_path, kernel, constants=dtypes, p="*i32").placed("tt.store") == ["tl.store(p, 2)"]


def test_tuple_parameters(tmp_path: Path) -> None:
    kernel = """
@triton.jit
def kernel(pair, n):
    tl.store(pair[1], tl.load(pair[0]) + n)
"""
    case = lower(tmp_path, kernel, pair=("*fp32", "*fp32"), n="i32")
    assert case.ir.functions[case.ir.entry].parameters == ["pair[0]", "pair[1]", "n"]


def test_a_constexpr_function_is_interpreted(tmp_path: Path) -> None:
    text = """
SCALE = tl.constexpr(3)

@triton.constexpr_function
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

@triton.constexpr_function
def total(n, *more, start=0):
    sums = {"x": start}
    for i in range(n):
        if i == 1:
            continue
        while sums["x"] > 100:
            break
        sums["x"] = sums["x"] + i * SCALE
    first, *_ = [1]
    return sums["x"] + len(more)

@triton.jit
def kernel(p):
    tl.store(p + factorial(4), tl.arange(0, 1).sum(0))
    N: tl.constexpr = factorial(4)
    tl.static_assert(N == 24)
"""
    assert lower(tmp_path, text, p="*i32").placed("tt.store")
    more = "\n@triton.jit\ndef second(p):\n    M: tl.constexpr = total(4, 1, 2)\n    tl.static_assert(M == 17)\n"
    problem = lower(tmp_path, text + more, "second", p="*i32").problem
    assert problem.code == "not-analyzed"
    assert "first, *_" in problem.message
    whole = (text + more).replace("    first, *_ = [1]\n", "")
    assert "M" in [made.name for made in lower(tmp_path, whole, "second", p="*i32").ir.assigned]


REFUSED = {
    "endless": "while True: pass",
    "endless recursion": "return bad()",
    "a huge number": "return 10 ** 10 ** 10",
    "a huge list": "return len([0] * 10**12)",
    "a huge range": "return sum(range(10**12))",
    "an import": "import os",
    "private": "return (1).__class__",
    "open": "return open('made', 'w')",
    "lambda": "return (lambda: 1)()",
    "format": "return '{0.real}'.format(1)",
    "a format": "return f'{1:10000000000}'",
    "keywords in a dict": "return bad(**{})",
    "try": "try: return 1\n    except Exception: return 2",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_a_constexpr_function_may_not(tmp_path: Path, body: str) -> None:
    text = f"""
@triton.constexpr_function
def bad():
    {body}

@triton.jit
def kernel(p):
    N: tl.constexpr = bad()
    tl.store(p, N)
"""
    case = lower(tmp_path, text, p="*i32")
    assert case.problem.message
    assert case.where() == "bad()"
    assert case.problem.code in ("not-analyzed", "recursion")
    assert not Path("made").exists()


def test_a_constexpr_functions_own_refusal_is_an_error(tmp_path: Path) -> None:
    text = """
@triton.constexpr_function
def check(n):
    assert n % 16 == 0, f"{n} is no multiple of 16"
    return n

@triton.jit
def kernel(p, N: tl.constexpr):
    tl.store(p, check(N))
"""
    case = lower(tmp_path, text, constants={"N": 8}, p="*i32")
    assert case.problem.code == "compile-error"
    assert case.problem.message == "8 is no multiple of 16"
    assert not case.problem.certain


def test_defaults_are_evaluated(tmp_path: Path) -> None:
    text = """
BLOCK = tl.constexpr(8)

@triton.jit
def helper(x, n=BLOCK * 2, *, kind: tl.constexpr = "sum", to: tl.constexpr = tl.float16):
    tl.static_assert(kind == "sum")
    return (x + n).to(to)

@triton.jit
def kernel(p):
    tl.store(p, helper(tl.load(p)))
"""
    assert lower(tmp_path, text, p="*fp16").placed("tt.store") == ["tl.store(p, helper(tl.load(p)))"]


def test_options(tmp_path: Path) -> None:
    text = """
@triton.jit(noinline=True)
def helper(p):
    tl.store(p, 1)

@triton.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=["p"], debug=True, repr=lambda _: "other")
def kernel(p, n):
    helper(p + n)
"""
    assert lower(tmp_path, text, p="*i32", n="i32").placed("tt.store") == ["tl.store(p, 1)"]


def test_targets(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(p):
    if tl.target_info.is_cuda():
        tl.store(p, 1)
    else:
        tl.store(p, 2)
"""
    assert lower(tmp_path, text, p="*i32").placed("tt.store") == ["tl.store(p, 1)"]
    compiler.cache_clear()  # the driver that answers is one for the process
    assert lower(tmp_path, text, p="*i32", target="hip:gfx942").placed("tt.store") == ["tl.store(p, 2)"]
    compiler.cache_clear()


def test_gluon(tmp_path: Path) -> None:
    text = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def kernel(p, n):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offs = gl.arange(0, 128, layout=layout)
    gl.store(p + offs, gl.load(p + offs, mask=offs < n), mask=offs < n)
"""
    case = lower(tmp_path, text, p="*fp32", n="i32")
    assert case.placed("tt.store") == ["gl.store(p + offs, gl.load(p + offs, mask=offs < n), mask=offs < n)"]
