"""What a method's parameters are called in the kernel's names, where it is had from its class: the object is none of
what stands in front of the dot. Each way to get at a method, under each pair of constants."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import product

HEAD = """
from triton.language.core import _aggregate as aggregate


@aggregate
class Thing:
    x: tl.tensor

    @triton.constexpr_function
    def __init__(self, x):
        self.x = x

    @triton.jit
    def put(self, A: tl.constexpr, B: tl.constexpr{default}):
        if B == 1:
            tl.store(self.x, 1.0)


class Names:
    Thing = Thing


@triton.jit
def kernel(a_ptr, A: tl.constexpr, B: tl.constexpr):
    if A == 0:
        {call}
"""
CALLS = {
    "of the object": "Thing(a_ptr).put(A, B)",
    "of an object with a name": "thing = Thing(a_ptr); thing.put(B=B, A=A)",
    "from its class": "Thing.put(Thing(a_ptr), A, B)",
    "from its class by names": "Thing.put(B=B, A=A, self=Thing(a_ptr))",
    "from a class in another": "Names.Thing.put(Thing(a_ptr), A, B)",
    "from a class with a name": "kind: tl.constexpr = Thing; kind.put(Thing(a_ptr), A, B)",
}


@pytest.mark.parametrize(("call", "default", "a", "b"), product(CALLS, ("", " = 0"), (0, 1), (0, 1)))
def test_no_constants_rule_it_out(call: str, default: str, a: int, b: int, tmp_path: Path) -> None:
    text = HEAD.format(default=default, call=CALLS[call])
    facts = facts_of(tmp_path, text, {"A": a, "B": b}, a_ptr="*fp32")
    assert named(facts.parameters, "a_ptr").write.verdict == ("yes" if (a, b) == (0, 1) else "unknown")
