"""What is stored through may be one of two parameters: then both are pointers, whatever carries them and whatever
decides. Each way to carry two with each way to decide, compiled by the real compiler.
"""

from __future__ import annotations

import pytest

from kernel_analysis.signature.signature_model import Signature
from products import product

CARRIERS = {
    "names": ("{0}", "{0}"),
    "a tuple": ("({0}, k)", "{0}[0]"),
    "a pair of them": ("({0}, {1})", "{0}[1]"),
    "in a tuple's tuple": ("(k, ({0}, {1}))", "{0}[1][0]"),
    "a list": ("[{0}, {1}]", "{0}[0]"),
    "a named tuple": ("Pair({0}, {1})", "{0}.second"),
    "an object": ("Both({0}, {1})", "{0}.first"),
    "an object in a tuple": ("(Both({0}, {1}), k)", "{0}[0].second"),
}
"""What is made of two parameters, and what is taken of it."""
DECIDED = {
    "if": "t = {one}\n    if k > 3:\n        t = {two}",
    "either arm": "if k > 3:\n        t = {one}\n    else:\n        t = {two}",
    "a loop": "t = {one}\n    for i in range(k):\n        t = {two}",
    "a while": "t = {one}\n    while k > 3:\n        t = {two}\n        k -= 1",
    "a constant": "t = {one}\n    if W:\n        t = {two}",
    "a helper": "t = choose({one}, {two}, k)",
    "a helper that returns": "t = back({one}, {two}, W)",
}
KERNEL = """
from typing import NamedTuple

from triton.language.core import _aggregate as aggregate


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@aggregate
class Both:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first, second):
        self.first = first
        self.second = second


@triton.jit
def choose(r, s, k):
    t = r
    if k > 3:
        t = s
    return t


@triton.jit
def back(r, s, W: tl.constexpr):
    if W:
        return r
    return s


@triton.jit
def kernel(v, w, k, W: tl.constexpr):
    DECIDED
    tl.store(TAKEN + k, 1.0)
"""


@pytest.mark.parametrize(("carrier", "decided"), product(CARRIERS, DECIDED))
def test_both_are_pointers(carrier: str, decided: str, case) -> None:
    made, taken = CARRIERS[carrier]
    text = DECIDED[decided].format(one=made.format("v", "w"), two=made.format("w", "v"))
    got = case(KERNEL.replace("DECIDED", text).replace("TAKEN", taken.format("t")))
    first: Signature = got.first
    assert first.types["v"] == first.types["w"] == "*fp32"
    assert first.types["k"] == "i32"
    assert got.compiles()
