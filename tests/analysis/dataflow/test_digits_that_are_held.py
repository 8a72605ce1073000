"""A number that has some of an address in it is told digit by digit wherever it was in between: in memory, which it
comes back from, or in something whose structure is not in sight. Each place with each way to tell."""

from __future__ import annotations

import textwrap
from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named
from test_told_digits import HELPERS, TOLD

from products import part

GATES = ("True", "cuda.num_warps() == 16")
HELD = {
    "memory": "tl.store(scratch_ptr + 8, n); n = tl.load(scratch_ptr + 8)",
    "memory, by a helper": "n = there_and_back(scratch_ptr + 8, n)",
    "memory, in halves": """
        tl.store(scratch_ptr + 8, n & 0xFFFFFFFF); tl.store(scratch_ptr + 9, n >> 32)
        n = (tl.load(scratch_ptr + 9) << 32) | tl.load(scratch_ptr + 8)
    """,
    "memory, exchanged": "tl.atomic_xchg(scratch_ptr + 8, n); n = tl.atomic_or(scratch_ptr + 8, 0)",
    "memory, compared": "tl.atomic_cas(scratch_ptr + 8, n * 0, n); n = tl.atomic_add(scratch_ptr + 8, 0)",
    "memory, digit by digit": """
        tl.store(scratch_ptr + 8, 0)
        if n != 0:
            tl.store(scratch_ptr + 8, 1)
        n = tl.load(scratch_ptr + 8)
    """,
    "memory of a launch before": "n = tl.load(scratch_ptr + 8); tl.store(scratch_ptr + 8, a_ptr.to(tl.int64))",
    "copies": "n = ((n,) * LEN)[0]",
    "what a filter leaves": "n = [x for x in (n, 3) if LEN][0]",
    "what Python gives": "n = first_of((n, 3))",
    "an object": "n = Box(n, LEN).u",
}
_MORE = """
from triton.language.core import _aggregate as aggregate


@aggregate
class Box:
    u: tl.tensor

    @triton.constexpr_function
    def __init__(self, u, w):
        self.u = u if w else u


@triton.constexpr_function
def first_of(t):
    return t[0]


@triton.jit
def there_and_back(p, x):
    tl.store(p, x)
    return tl.load(p)


"""


def _kernel(held: str, told: str, gate: str) -> str:
    each = textwrap.indent(f"{textwrap.dedent(told)}\nback += bit << k", " " * 4)
    body = f"""n = a_ptr.to(tl.int64)
{textwrap.dedent(held)}
one = tl.full([], 1, tl.int64)
back = tl.full([], 0, tl.int64)
for k in range(64):
{each}
tl.store(back.to(tl.pointer_type(tl.float32)), 1.0)
"""
    head = f"@triton.jit\ndef kernel(a_ptr, scratch_ptr, LEN: tl.constexpr):\n    if {gate}:\n"
    return f"{HELPERS}{_MORE}{head}{textwrap.indent(body, ' ' * 8)}"


@pytest.mark.parametrize(("gate", "held", "told"), part(every(GATES, HELD, TOLD)))
def test_each_place_with_each_way_to_tell(gate: str, held: str, told: str, tmp_path: Path) -> None:
    text = _kernel(HELD[held], TOLD[told], gate)
    facts = facts_of(tmp_path, text, {"LEN": 1}, a_ptr="*fp32", scratch_ptr="*i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown", text


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("told", TOLD)
def test_a_length_that_was_loaded_tells_of_no_address(told: str, gate: str, tmp_path: Path) -> None:
    """Where no address is put into memory as a number, what comes from there has none of it."""
    text = _kernel("tl.store(scratch_ptr + 8, 1)", TOLD[told], gate).replace(
        "n = a_ptr.to(tl.int64)", "n = tl.load(scratch_ptr + 9); address = a_ptr.to(tl.int64)"
    )
    facts = facts_of(tmp_path, text, {"LEN": 1}, a_ptr="*fp32", scratch_ptr="*i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "no", text


IN_SHARED_MEMORY = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def kernel(a_ptr, out_ptr, n):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, order=[0])
    if {gate}:
        address = gl.full([128], a_ptr.to(gl.int64), gl.int64, layout)
        buffer = gl.allocate_shared_memory(gl.int64, [128], shared)
        buffer.store(address)
        held = gl.max(buffer.load(layout), axis=0)
        back = n
        while back < held:
            back += 1
        gl.store(back.to(gl.pointer_type(gl.float32)), 1.0)
"""


@pytest.mark.parametrize("gate", ["True", "gl.num_warps() == 16"])
def test_shared_memory(gate: str, tmp_path: Path) -> None:
    text = IN_SHARED_MEMORY.format(gate=gate)
    facts = facts_of(tmp_path, text, a_ptr="*fp32", out_ptr="*fp32", n="i64")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown"
