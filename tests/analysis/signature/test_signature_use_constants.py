"""What the body of a kernel says about its compile-time parameters: extents, flags, dtypes, functions, and what is
asserted of them."""

from __future__ import annotations

import pytest

from kernel_analysis.source.slice import TritonObject


def test_dot_extents_and_both_reached(case):
    got = case("""
@triton.jit
def kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACTIVATION: tl.constexpr):
    om, on, ok = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(a + om[:, None] * K + ok[None, :]), tl.load(b + ok[:, None] * N + on[None, :]), acc)
    if ACTIVATION == "relu":
        acc = tl.maximum(acc, 0)
    elif ACTIVATION == "exp":
        acc = tl.exp(acc)
    tl.store(c + om[:, None] * N + on[None, :], acc)
""")
    assert min(got.first.constants[n] for n in ("BM", "BN", "BK")) >= 16
    assert {s.constants["ACTIVATION"] for s in got.signatures} >= {"relu", "exp"}
    assert got.compiles()


def test_compile_time_dtype_function_flag_and_none(case):
    got = case("""
@triton.jit
def kernel(x, bias, out, DTYPE: tl.constexpr, ACT: tl.constexpr, HAS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs).to(DTYPE)
    if HAS:
        v += 1
    if bias is not None:
        v += tl.load(bias + offs)
    tl.store(out + offs, ACT(v))
""")
    assert got.first.constants["DTYPE"] == TritonObject("triton.language.float32")
    assert got.first.constants["HAS"] is True
    assert got.first.types["bias"] == "*fp32"
    assert any(s.constants["HAS"] is False for s in got.signatures)
    assert any(s.types["bias"] == "constexpr" and s.constants["bias"] is None for s in got.signatures)
    assert got.compiles()


def test_unannotated_parameter_that_bounds_arange_is_compile_time(case):
    got = case("""
@triton.jit
def kernel(out, BLOCK):
    tl.store(out + tl.arange(0, BLOCK), 0.0)
""")
    assert got.first.types["BLOCK"] == "constexpr"
    assert got.compiles()


def test_static_assert_is_satisfied(case):
    got = case("""
@triton.jit
def kernel(out, K: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(K % (4 * BLOCK) == 0)
    tl.store(out + tl.arange(0, BLOCK), 0.0)
""")
    assert got.first.constants["K"] % (4 * got.first.constants["BLOCK"]) == 0
    assert got.compiles()


def test_reshape_keeps_the_number_of_elements(case):
    got = case("""
@triton.jit
def kernel(x, out, C: tl.constexpr, GROUPS: tl.constexpr, PER: tl.constexpr):
    offs = tl.arange(0, C)
    v = tl.reshape(tl.load(x + offs), (GROUPS, PER))
    tl.store(out + tl.arange(0, GROUPS), tl.sum(v, 1))
""")
    assert got.first.constants["C"] == got.first.constants["GROUPS"] * got.first.constants["PER"]
    assert got.compiles()


def test_flags_joined_by_bits(case):
    got = case("""
@triton.jit
def kernel(x, y, KIND: tl.constexpr):
    if (KIND == "a") | (KIND == "b"):
        tl.store(x, 1)
    else:
        tl.store(y, 1)
""")
    assert {s.constants["KIND"] in ("a", "b") for s in got.signatures} == {True, False}


def test_extents_that_are_divided(case):
    got = case("""
@triton.jit
def kernel(x, y, BLOCK: tl.constexpr, DIM: tl.constexpr):
    offs = tl.arange(0, BLOCK // 256)
    for i in tl.static_range(DIM // 128):
        tl.store(y + offs + i, tl.load(x + offs + i))
""")
    assert got.first.constants["BLOCK"] >= 256
    assert got.first.constants["DIM"] >= 128
    assert got.compiles()


def test_what_is_unrolled_has_few_steps(case):
    got = case("""
@triton.jit
def kernel(x, K: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    for i in tl.static_range(0, K):
        for j in tl.static_range(K - 1):
            tl.store(x + i * K + j, 1)
    for row in tl.static_range(0, ROWS, BLOCK):
        tl.store(x + row + tl.arange(0, BLOCK), 1)
""")
    assert got.first.constants["K"] <= 4
    assert got.first.constants["ROWS"] >= got.first.constants["BLOCK"]
    assert got.compiles()


SCALED = """
@triton.jit
def kernel(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr):
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    packed = tl.arange(0, K // 2)
    scales = tl.arange(0, K // 32)
    a = tl.load(a_ptr + n[:, None] * K + k[None, :])
    b = tl.load(b_ptr + packed[:, None] * N + n[None, :])
    a_scale = tl.load(a_scale_ptr + n[:, None] * K + scales[None, :])
    b_scale = tl.load(b_scale_ptr + n[:, None] * K + scales[None, :])
    product = tl.dot_scaled(a, a_scale, "e5m2", b, b_scale, "e2m1")
    tl.store(out_ptr + n[:, None] * N + n[None, :], product)
"""


def test_the_formats_of_a_scaled_dot_product(case):
    got = case(SCALED)
    assert got.first.types["a_ptr"] == "*fp8e5"
    assert got.first.types["b_ptr"] == got.first.types["a_scale_ptr"] == got.first.types["b_scale_ptr"] == "*u8"
    assert got.compiles()


def test_an_annotation_that_a_condition_chooses(case):
    text = """
OLD = tl.constexpr({0})

@triton.jit(do_not_specialize=["n", *(() if OLD else ("FLAG",))])
def kernel(out_ptr, n, FLAG: tl.constexpr if OLD else None):
    if FLAG:
        tl.store(out_ptr, n)
"""
    for old in (False, True):
        got = case(text.format(old))
        assert (got.first.types["FLAG"] == "constexpr") is old
        assert got.compiles()


@pytest.mark.parametrize(
    ("asserts", "names"),
    [
        ("tl.static_assert(A % 7 == 0)", "A"),
        ("tl.static_assert(A % B == 0)\n    tl.static_assert(B == 48)", "AB"),
        ("tl.static_assert(A % 128 == 0)\n    tl.static_assert(A == B * 3)", "AB"),
        ("tl.static_assert(A % 5 == 0 and B % 6 == 0)\n    tl.static_assert((A // 5) % 3 == 0)", "AB"),
        ("H: tl.constexpr = A // 2\n    tl.static_assert(H % 48 == 0, 'halves')", "A"),
    ],
)
def test_asserts_are_satisfied_together(case, asserts, names):
    got = case(f"""
@triton.jit
def kernel(out, A: tl.constexpr, B: tl.constexpr):
    {asserts}
    tl.store(out, A + B)
""")
    assert not any(got.first.evidence[name].certain for name in names)
    assert got.compiles()


def test_asserts_that_contradict_each_other_are_left(case):
    got = case("""
@triton.jit
def kernel(out, A: tl.constexpr):
    tl.static_assert(A % 3 == 0)
    tl.static_assert(A % 3 == 1)
    tl.store(out, A)
""")
    assert not got.compiles()


def test_an_index_into_a_tuple_is_small(case):
    got = case("""
@triton.jit
def pick(items, i: tl.constexpr):
    return items[i]


@triton.jit
def kernel(a, b, strides, I: tl.constexpr, J: tl.constexpr):
    tl.store(pick((a, b), I) + strides[J], 1.0)
""")
    assert (got.first.constants["I"], got.first.constants["J"]) == (0, 0)
    assert got.first.types["a"] == got.first.types["b"] == "*fp32"
    assert got.compiles()


def test_the_name_of_a_field_is_one_that_there_is(case):
    got = case("""
from typing import NamedTuple


class Pair(NamedTuple):
    first: object
    second: object


@triton.jit
def kernel(a, b, NAME: tl.constexpr, TYPE: tl.constexpr):
    pair = Pair(a, b)
    tl.store(getattr(pair, NAME), tl.zeros([16], getattr(tl, TYPE)).sum(0))
""")
    assert (got.first.constants["NAME"], got.first.constants["TYPE"]) == ("first", "float32")
    assert got.compiles()


def test_an_assertion_asks_for_a_field(case):
    got = case("""
@triton.jit
def kernel(x, C: tl.constexpr):
    tl.static_assert(not C.on)
    if C.turns > 2:
        tl.store(x, 1.0)
""")
    assert got.compiles()
    made = got.first.constants["C"]
    assert made.values[made.fields.index("on")] is False


def test_a_function_whose_results_make_a_list_that_nobody_takes_gives_nothing(case):
    got = case("""
@triton.jit
def kernel(x, F: tl.constexpr):
    v = tl.load(x)
    [F(p, p, v) for p in (x, x)]
""")
    assert got.compiles()
