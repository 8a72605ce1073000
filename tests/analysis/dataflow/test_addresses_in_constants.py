"""A field that is annotated as a constant may have addresses in it, which Python puts into one: each way to make an
object whose constant has some, with each way that the object may take within the function."""

from __future__ import annotations

from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import part

HEAD = """
from triton.language.core import _aggregate as aggregate
from triton.language.extra import cuda


@aggregate
class Held:
    k: tl.constexpr

    @triton.constexpr_function
    def __init__(self, p, q):
        self.k = tl.constexpr((q, p))


@aggregate
class Chosen:
    k: tl.constexpr

    @triton.constexpr_function
    def __init__(self, p, q):
        if p is None:
            self.k = tl.constexpr((p, q))
        else:
            self.k = tl.constexpr((q, p))


@aggregate
class Given:
    k: tl.constexpr

    @triton.constexpr_function
    def __init__(self, k):
        self.k = tl.constexpr(k)


@aggregate
class Outer:
    held: Held

    @triton.constexpr_function
    def __init__(self, held):
        for one in (held,):
            self.held = one


@aggregate
class OfChosen:
    held: Chosen

    @triton.constexpr_function
    def __init__(self, held):
        for one in (held,):
            self.held = one


@triton.constexpr_function
def same(held):
    return held


@triton.jit
def kernel(a_ptr, b_ptr):
"""
MADE = {
    "straight": "Held(a_ptr, b_ptr)",
    "chosen": "Chosen(a_ptr, b_ptr)",
    "starred": "Held(*(a_ptr, b_ptr))",
    "keywords": "Held(q=b_ptr, p=a_ptr)",
    "given": "Given(tl.constexpr((b_ptr, a_ptr)))",
}
WAYS = {
    "as it is": "{made}.k[1]",
    "by a name": "made.k[1]",
    "in a tuple": "(1, {made})[1].k[1]",
    "in a field": "{outer}({made}).held.k[1]",
    "in a field of one in a tuple": "({outer}({made}), 1)[0].held.k[1]",
    "by a function of Python's": "same({made}).k[1]",
    "asked by a text": 'getattr({made}, "k")[1]',
}
KERNEL = """    if {gate}:
        made = {made}
        tl.store({way}, 1.0)
"""


GATES = ("True", "cuda.num_warps() == 16")


def _goes_together(made: str, way: str) -> bool:
    """The field that an object is put into is of another class than ``Given``."""
    return made != "given" or "field" not in way


@pytest.mark.parametrize(
    ("gate", "made", "way"), part(row for row in every(GATES, MADE, WAYS) if _goes_together(*row[1:]))
)
def test_each_address_in_a_constant(gate: str, made: str, way: str, tmp_path: Path) -> None:
    outer = "OfChosen" if made == "chosen" else "Outer"
    used = WAYS[way].format(made=MADE[made], outer=outer)
    text = HEAD + KERNEL.format(gate=gate, made=MADE[made], way=used)
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32")
    assert named(facts.parameters, "a_ptr").write.verdict != "no", text
