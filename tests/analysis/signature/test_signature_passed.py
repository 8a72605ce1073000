"""What launches and configs pass together, and functions that they hand to a kernel."""

from __future__ import annotations

import pytest

from kernel_analysis.source.slice import FunctionRef, TritonObject

HELPERS = """
@triton.jit
def keep(x, p):
    return x

@triton.jit
def put(x, p):
    tl.store(p, x)
    return x
"""
APPLY = (
    HELPERS
    + """
@triton.jit
def kernel(a_ptr, b_ptr, F: tl.constexpr, W: tl.constexpr = False):
    x = F(tl.load(a_ptr), b_ptr)
    if W:
        tl.store(a_ptr, x)
"""
)


def _functions(got, value):
    names = [f.name for f in got.slice.functions]
    if isinstance(value, FunctionRef):
        return names[value.index]
    return tuple(_functions(got, part) for part in value) if isinstance(value, tuple) else value


def _passed(got, *names):
    return {tuple(_functions(got, s.constants.get(name)) for name in names) for s in got.signatures}


def test_a_function_that_a_launch_passes(case):
    got = case(APPLY + "\ndef run(x):\n    kernel[(1,)](x, x, F=put)\n", "kernel")
    assert _functions(got, got.first.constants["F"]) == "put"
    assert got.first.evidence["F"].certain
    assert got.compiles()


def test_each_launch_as_it_stands(case):
    text = APPLY + "\ndef run(x):\n    kernel[(1,)](x, x, keep, True)\n    kernel[(1,)](x, x, F=put)\n"
    got = case(text, "kernel")
    assert {("keep", True), ("put", False)} <= _passed(got, "F", "W")
    assert all(s.evidence["F"].place for s in got.signatures if s.later)
    assert got.compiles()


@pytest.mark.parametrize(
    "host",
    [
        "def run(x, act):\n    f = put if act else keep\n    kernel[(1,)](x, x, f)\n",
        "def run(x, f):\n    kernel[(1,)](x, x, f)\n\ndef both(x):\n    run(x, put)\n    run(x, keep)\n",
        "def run(x):\n    table = {'put': put, 'keep': keep}\n    kernel[(1,)](x, x, **{'F': table['put']})\n",
    ],
)
def test_functions_that_may_be_passed_are_in_the_slice(case, host):
    got = case(f"{APPLY}\n{host}", "kernel")
    assert {"kernel", "keep", "put"} <= {f.name for f in got.slice.functions}
    if "table" not in host:
        assert _functions(got, got.first.constants["F"]) == "put"
        assert got.compiles()


def test_a_tuple_of_functions(case):
    text = HELPERS + "@triton.jit\ndef kernel(a_ptr, b_ptr, FS: tl.constexpr):\n    FS[0](tl.load(a_ptr), b_ptr)\n"
    got = case(text + "\ndef run(x):\n    kernel[(1,)](x, x, FS=(put, keep))\n", "kernel")
    assert _functions(got, got.first.constants["FS"]) == ("put", "keep")
    assert got.compiles()
    alone = case(text, "kernel")
    assert alone.first.constants["FS"] == (TritonObject("triton.language.static_print"),)


def test_a_function_of_a_config(case):
    decorated = APPLY.replace(
        "@triton.jit\ndef kernel",
        "@triton.autotune([triton.Config({'F': put}), triton.Config({'F': keep}, num_warps=8)], key=[])\n"
        "@triton.jit\ndef kernel",
    )
    got = case(decorated, "kernel")
    assert {("put",), ("keep",)} <= _passed(got, "F")


def test_flags_and_options_together(case):
    text = """
@triton.jit
def kernel(a_ptr, A: tl.constexpr, B: tl.constexpr):
    if A and B:
        tl.store(a_ptr, 1.0)

def run(x):
    kernel[(1,)](x, False, False, num_warps=8)
    kernel[(1,)](x, True, False)
    kernel[(1,)](x, False, True)
"""
    got = case(text, "kernel")
    assert {(True, False), (False, True), (False, False)} <= _passed(got, "A", "B")
    (first,) = [s for s in got.signatures if s.launch.given == {"num_warps": 8} and s.later] or [got.first]
    assert first.constants["A"] is False


def test_none_and_present(case):
    text = """
@triton.jit
def kernel(a_ptr, o_ptr, A: tl.constexpr):
    if o_ptr is not None and A:
        tl.store(o_ptr, 1.0)

def run(x: torch.Tensor):
    kernel[(1,)](x, None, True)
    kernel[(1,)](x, x, False)
"""
    got = case(text, "kernel")
    found = {(s.types["o_ptr"] == "constexpr", s.constants["A"]) for s in got.signatures}
    assert {(True, True), (False, False)} <= found


def test_a_table_by_dtype_that_may_be_changed_is_what_is_likely(case):
    text = """
@triton.jit
def kernel(x, A: tl.constexpr):
    tl.store(x + tl.arange(0, A), 1.0)

def run(x: torch.Tensor):
    table = {torch.float16: {"A": 128}, torch.float32: {"A": 128}}
    change(table)
    kernel[(1,)](x, **table[x.dtype])
"""
    got = case(text, "kernel")
    assert (got.first.constants["A"], got.first.evidence["A"].certain) == (128, False)
