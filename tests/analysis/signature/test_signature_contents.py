"""What the body says of the numbers that a pointer points to, and of those that are compared with them."""

from __future__ import annotations

import pytest


def test_what_is_made_small_and_stored_is_stored_as_such(case):
    got = case(
        """
@triton.jit
def kernel(x, y, low, high):
    value = tl.clamp(tl.load(x) * 0.5, low, high).to(tl.int8)
    tl.store(y, value)
"""
    )
    assert got.first.types["y"] == "*i8"
    assert got.compiles()


def test_both_sides_of_a_dot_have_one_dtype(case):
    got = case(
        """
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    a = tl.load(a_ptr + at)
    b = (tl.load(b_ptr + at) & 3).to(tl.int8)
    tl.store(c_ptr + at, tl.dot(a, b, out_dtype=tl.int32))
"""
    )
    assert got.first.types["a_ptr"] == "*i8"
    assert got.compiles()


def test_an_index_computed_from_floats_leaves_them_floats(case):
    got = case(
        """
@triton.jit
def kernel(points, counts, low, size):
    cell = tl.floor((tl.load(points) - low) / size).to(tl.int32)
    tl.atomic_add(counts + cell, 1, mask=cell < 8)
"""
    )
    assert got.first.types["points"] == "*fp32"
    assert got.compiles()


def test_what_a_comparison_is_stored_to_has_bools(case):
    got = case(
        """
@triton.jit
def kernel(x, mask_ptr):
    tl.store(mask_ptr, tl.load(x) > 0.5)
"""
    )
    assert got.first.types["mask_ptr"] == "*i1"


def test_a_constant_that_floats_are_compared_with_is_one(case):
    got = case(
        """
@triton.jit
def kernel(x, EPS: tl.constexpr, LOW: tl.constexpr):
    ratio = tl.exp(tl.load(x))
    tl.store(x, tl.where(ratio < 1 - LOW, EPS, ratio))
"""
    )
    assert isinstance(got.first.constants["LOW"], float)
    assert isinstance(got.first.constants["EPS"], float)


DICTS = """
@triton.jit
def kernel(x, out, BLOCK: tl.constexpr, FLAG: tl.constexpr = False):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) if FLAG else 0.0)
"""


@pytest.mark.parametrize(
    ("host", "block", "certain"),
    [
        ("def run(x):\n    more = {'BLOCK': 16}\n    kernel[(1,)](x, x, **more)\n", 16, True),
        ("def run(x):\n    more = {}\n    more['BLOCK'] = 16\n    kernel[(1,)](x, x, **more)\n", 16, True),
        ("def run(x):\n    more = dict(FLAG=True) | {'BLOCK': 16}\n    kernel[(1,)](x, x, **more)\n", 16, True),
        # In the branch that launches, what stands above has been done.
        (
            "def run(x, a):\n    more = {}\n    if a:\n        more['BLOCK'] = 16\n        kernel[(1,)](x, x, **more)\n"
            "    else:\n        more['BLOCK'] = 32\n",
            16,
            True,
        ),
        # What goes either way is not in question for the rest; what somebody else changes is.
        (
            "def run(x, a):\n    more = {'BLOCK': 16}\n    if a:\n        more['FLAG'] = True\n"
            "    kernel[(1,)](x, x, **more)\n",
            16,
            True,
        ),
        ("def run(x):\n    more = {'BLOCK': 16}\n    tune(more)\n    kernel[(1,)](x, x, **more)\n", 16, False),
        ("def run(x, y):\n    more = {'BLOCK': 16, **y}\n    kernel[(1,)](x, x, **more)\n", 16, False),
        # By a function of the file, or for `**more`.
        (
            "def made():\n    return {'BLOCK': 16}\ndef run(x):\n    more = made()\n    kernel[(1,)](x, x, **more)\n",
            16,
            True,
        ),
        ("def call(x, **more):\n    kernel[(1,)](x, x, **more)\ndef run(x):\n    call(x, BLOCK=16)\n", 16, False),
    ],
)  # fmt: skip
def test_a_dict_that_is_spread_is_what_the_host_code_makes_of_it(case, host: str, block: int, certain: bool):
    got = case(DICTS + host)
    assert got.first.constants["BLOCK"] == block
    assert got.first.evidence["BLOCK"].certain == certain
