"""An object of the user's, on each way that a value may take, is one where its methods, fields and operators are used:
none is taken for something of Triton's own that has a method of that name."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import product

HEAD = """
import os
from typing import NamedTuple

from triton.language.core import _aggregate as aggregate

ON = tl.constexpr(os.environ.get("ON") == "1")


@aggregate
class Out:
    p: tl.tensor
    shape: tl.tensor

    @triton.constexpr_function
    def __init__(self, p, shape):
        self.p = p
        self.shape = shape
"""
METHODS = (
    "load sum store __add__ __radd__ __getitem__ __neg__ __eq__ __lt__ __gt__ logical_or logical_and",
    "other=0",
)
HELPERS = """

@aggregate
class Holder:
    o: Out
    k: tl.constexpr

    @triton.constexpr_function
    def __init__(self, o, k):
        self.o = o
        self.k = tl.constexpr(k)


class Named(NamedTuple):
    o: Out
    k: tl.tensor


@triton.jit
def same(o):
    return o


@triton.jit
def pair(o):
    return o, 1


@triton.jit
def first(*args):
    return args[0]


@triton.jit
def early(o, i):
    if i > 3:
        return o
    return o


@triton.constexpr_function
def computed(o):
    return o


@triton.jit
def again(o):
    return Out(o.p, o.shape)
"""
# What each binds to `x` is `o`, an object like it, or one of both.
WAYS = {
    "itself": "x = o",
    "or": "x = o or None",
    "behind or": "x = None or o",
    "and": "x = True and o",
    "choice": "x = o if n is not None else again(o)",
    "item": "x = (1, o)[1]",
    "last item": "x = (1, o)[-1]",
    "slice": "x = (1, o)[1:][0]",
    "sum of tuples": "x = ((1,) + (o,))[1]",
    "repeated": "x = ((o,) * 2)[1]",
    "unpacked": "x, _ = (o, 1)",
    "comprehension": "x = [y for y in (o,)][0]",
    "tl.tuple": "x = tl.tuple((o, 1))[0]",
    "helper": "x = same(o)",
    "helper's tuple": "x = pair(o)[0]",
    "spread": "x = first(*(o, 1))",
    "early return": "x = early(o, n)",
    "field": "x = Holder(o, 1).o",
    "field of a result": "x = same(Holder(o, 1)).o",
    "named item": "x = same(Named(o, n)).o",
    "getattr": "x = getattr(Holder(o, 1), 'o')",
    "copied": "x = tl.core.aggregate_replace(o, p=a_ptr)",
    "copied by name": "x = tl.core.aggregate_replace(instance=o)",
    "copied of what is spread": "x = tl.core.aggregate_replace(*pair(o)[:1])",
    "constexpr function": "x = computed(o)",
    "branch": """
        x = o
        if n > 3:
            x = again(o)
    """,
    "loop": """
        x = o
        for _ in range(n):
            x = again(x)
    """,
    "unrolled loop": """
        x = o
        for _ in tl.static_range(2):
            x = same(x)
    """,
    "while": """
        x = o
        i = n
        while i > 0:
            x = again(x)
            i -= 1
    """,
}
# Each stores to `b_ptr`, the field `shape` of the object.
USES = {
    "load": "x.load()",
    "sum": "x.sum(0)",
    "store": "x.store(1.0)",
    "unbound": "Out.load(x)",
    "field": "tl.store(x.shape, 1.0)",
    "field by name": "tl.store(getattr(x, 'shape'), 1.0)",
    "+": "y = x + 1",
    "+ behind": "y = n + x",
    "+=": "x += 1",
    "[]": "y = x[0]",
    "-": "y = -x",
    "==": "y = x == 1",
    "or": "y = x or n",
    "behind and": "y = n and x",
    "chain": "y = 1 < x < 2",
    "behind a chain": "y = 1 < same(x) < x.load()",
}


def _methods() -> str:
    names, given = METHODS
    return "".join(
        f"    @triton.jit\n    def {name}(self{'' if name == '__neg__' else ', ' + given}):\n"
        "        tl.store(self.shape, 1.0)\n        return 0\n\n"
        for name in names.split()
    )


@pytest.mark.parametrize(("way", "use"), product(WAYS, USES))
def test_an_object_stays_one(way: str, use: str, tmp_path: Path) -> None:
    body = textwrap.indent(f"{textwrap.dedent(WAYS[way])}\n{USES[use]}", " " * 8)
    text = f"""{HEAD}
{_methods()}{HELPERS}

@triton.jit
def kernel(a_ptr, b_ptr, n):
    tl.store(a_ptr, 1.0)
    if ON:
        o = Out(a_ptr, b_ptr)
{body}
"""
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32", n="i32")
    assert named(facts.parameters, "b_ptr").write.verdict == "unknown", text
