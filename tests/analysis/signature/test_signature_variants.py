"""Which further signatures reach what the likeliest one leaves out."""

from __future__ import annotations

import pytest

from kernel_analysis.attempt.repairs.repair import alternatives


def test_every_arm_of_a_chain_is_reached(case):
    got = case("""
@triton.jit
def kernel(x, y, z, KIND: tl.constexpr, BETA: tl.constexpr):
    if KIND == 0:
        tl.store(x, 1)
    elif KIND == 1:
        pass
    elif KIND == 2:
        pass
    elif KIND == 3:
        if BETA != 0.0:
            tl.store(y, 3)
    if BETA == 0.0:
        tl.store(z, 1)
""")
    values = [(s.constants["KIND"], s.constants["BETA"] != 0.0) for s in got.signatures]
    assert (3, True) in values
    assert any(kind == 0 for kind, _ in values)
    assert any(not beta for _, beta in values)
    assert got.compiles()


def test_what_follows_an_early_return_is_reached(case):
    got = case("""
@triton.jit
def kernel(x, y, MODE: tl.constexpr):
    if MODE != "sum":
        tl.store(x, 1)
        return
    tl.store(y, 1)
""")
    assert {s.constants["MODE"] == "sum" for s in got.signatures} == {True, False}


def test_none_in_a_tuple_and_in_a_helper_is_a_pointer_elsewhere(case):
    got = case("""
@triton.jit
def add(value, p):
    if p is not None:
        value += tl.load(p)
    return value

@triton.jit
def kernel(pair, bias, out):
    value = add(1.0, bias)
    if pair[0] is not None:
        value += tl.load(pair[0])
    tl.store(out, value)

def run(out: torch.Tensor):
    kernel[(1,)]((None, out), None, out)
""")
    assert got.first.types["pair"] == ("constexpr", "*fp32")
    assert got.first.constants == {"pair[0]": None, "bias": None}
    assert ("*fp32", "*fp32") in [s.types["pair"] for s in got.signatures]
    assert "*fp32" in [s.types["bias"] for s in got.signatures]
    assert got.compiles()


def test_a_pointer_is_none_elsewhere(case):
    got = case("""
@triton.jit
def kernel(x, bias, out, other):
    if bias is None:
        tl.store(other, 1.0)
    else:
        tl.store(out, tl.load(bias))

def run(x: torch.Tensor, bias: torch.Tensor):
    kernel[(1,)](x, bias, x, x)
""")
    assert got.first.types["bias"] == "*fp32"
    assert [s.constants.get("bias", 0) for s in got.signatures[1:]] == [None]


def test_a_flag_that_the_launches_fix_is_turned_for_what_it_hides(case):
    got = case("""
@triton.jit
def kernel(x, y, FLAG: tl.constexpr):
    if FLAG:
        tl.store(x, 1)
    else:
        tl.store(y, 1)

def run(x: torch.Tensor):
    kernel[(1,)](x, x, FLAG=True)
""")
    assert [s.constants["FLAG"] for s in got.signatures] == [True, False]
    assert got.first.evidence["FLAG"].certain
    assert not got.signatures[1].evidence["FLAG"].certain


def test_what_a_heuristic_asks_for_is_there(case):
    got = case("""
@triton.heuristics({"HAS_BIAS": lambda args: args["bias"] is not None})
@triton.jit
def kernel(x, bias, out, HAS_BIAS: tl.constexpr):
    value = tl.load(x)
    if HAS_BIAS:
        value += tl.load(bias)
    tl.store(out, value)

def run(x: torch.Tensor):
    kernel[(1,)](x, None, x)
""")
    assert [(s.types["bias"], s.constants["HAS_BIAS"]) for s in got.signatures] == [
        ("constexpr", False),
        ("*fp32", True),
    ]
    assert got.compiles()


@pytest.mark.parametrize("annotation", ["tl.const", '"*kfp32"'])
def test_a_constant_pointer_stays_one(case, annotation):
    got = case(f"""
@triton.jit
def kernel(x: {annotation}):
    tl.store(x, 1.0)
""")
    assert got.first.types["x"] == "*kfp32"
    problem = got.lower(got.first)
    assert problem.message == "Cannot store to a constant pointer"
    assert problem.certain
    assert all(str(other.types["x"]).startswith(("*k", "i")) for other in alternatives(got.slice, got.first, problem))


def test_what_another_branch_uses_as_an_address_is_there(case):
    got = case("""
@triton.jit
def kernel(beta, out_beta, out, HAS_BETA: tl.constexpr):
    if HAS_BETA:
        tl.store(out_beta, tl.load(beta))
    tl.store(out, 1.0)

def run(out: torch.Tensor):
    kernel[(1,)](None, None, out, HAS_BETA=False)
""")
    assert [(s.types["beta"], s.types["out_beta"]) for s in got.signatures] == [
        ("constexpr", "constexpr"),
        ("*fp32", "*fp32"),
    ]
    assert got.compiles()


@pytest.mark.parametrize(
    "test", ["N > 128", "N <= 128", "N < 100", "RATE > 0.0", "0 < STEPS", "MODE & 2", "not MODE & 2"]
)
def test_numbers_on_both_sides_of_a_comparison(case, test):
    got = case(f"""
@triton.jit
def kernel(x, y, N: tl.constexpr, RATE: tl.constexpr, STEPS: tl.constexpr, MODE: tl.constexpr):
    if {test}:
        tl.store(x + tl.arange(0, N), RATE)
    else:
        tl.store(y, STEPS)
""")
    assert len(got.signatures) == 2
    assert got.compiles()


def test_arms_without_memory_are_tried_too(case):
    got = case("""
@triton.jit
def kernel(x, out, KIND: tl.constexpr):
    value = tl.load(x)
    if KIND == 0:
        value = tl.exp(value)
    elif KIND == 1:
        value = tl.log(value)
    elif KIND == 2:
        value = tl.sin(value)
    elif KIND == 3:
        value = tl.cos(value)
    elif KIND == 4:
        value = tl.sqrt(value)
    tl.store(out, value)
""")
    assert {s.constants["KIND"] for s in got.signatures} >= {0, 1, 2, 3, 4}
    assert got.compiles()


def test_a_flag_with_a_name_of_its_own(case):
    got = case("""
@triton.jit
def kernel(x, scales, out, MODE: tl.constexpr):
    SCALED: tl.constexpr = (MODE >= 2) and (MODE <= 3)
    v = tl.load(x)
    if SCALED:
        v *= tl.load(scales)
    tl.store(out, v)
""")
    assert {2 <= s.constants["MODE"] <= 3 for s in got.signatures} == {True, False}
    assert len(got.signatures) == 2
    assert got.compiles()
