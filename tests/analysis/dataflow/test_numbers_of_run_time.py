"""A number that is written down may be one of run time all the same: then what stands behind `and` and `or` happens.
Each way to make one, with each place that asks for it."""

from __future__ import annotations

from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import part

HEAD = """
from triton.language.extra import cuda


@triton.jit
def put(address):
    tl.store(address, 1.0)
    return 1


@triton.jit
def either(n):
    return {number} if n > 0 else {number}


@triton.jit
def kernel(a_ptr, n):
    if {gate}:
"""
NUMBERS = {
    "annotated": ("x: int = {number}", "x"),
    "annotated with a type of Triton's": ("x: tl.int32 = {number}", "x"),
    "annotated with a text": ('x: "tl.constexpr" = {number}', "x"),
    "annotated in a tuple": ("x: int = ({number}, {number})", "x[0]"),
    "annotated in a loop": ("for _ in range(n): x: int = {number}; {{}} ", None),
    "assigned": ("x = {number}", "x"),
    "chosen when it runs": ("x = n", "({number} if n > 0 else {number})"),
    "given by a helper": ("x = n", "either(n)"),
    "bound on the way": ("x = n", "(y := {number})"),
}
USES = {"or": ("1", "{x} or put(a_ptr)"), "and": ("0", "{x} and put(a_ptr)"), "both": ("1", "0 or {x} or put(a_ptr)")}
GATES = ("True", "cuda.num_warps() == 16")


@pytest.mark.parametrize(("gate", "way", "use"), part(every(GATES, NUMBERS, USES)))
def test_each_number_of_run_time(gate: str, way: str, use: str, tmp_path: Path) -> None:
    number, asked = USES[use]
    first, x = NUMBERS[way]
    asked = asked.format(x=(x or "x").format(number=number))
    body = first.format(number=number)
    body = body.format(asked) if x is None else f"{body}; {asked}"
    text = HEAD.format(gate=gate, number=number) + f"        {body}\n"
    facts = facts_of(tmp_path, text, a_ptr="*fp32", n="i32")
    assert named(facts.parameters, "a_ptr").write.verdict == ("yes" if gate == "True" else "unknown"), text


def test_a_constant_is_decided(tmp_path: Path) -> None:
    text = HEAD.format(gate="True", number=1) + "        x: tl.constexpr = 1; x or put(a_ptr)\n"
    assert named(facts_of(tmp_path, text, a_ptr="*fp32", n="i32").parameters, "a_ptr").write.verdict == "no"


@pytest.mark.parametrize("kind", ["", ", dtype=None", ", dtype=block.dtype"])
def test_what_is_like_a_block_of_addresses(kind: str, tmp_path: Path) -> None:
    """A number that fills a block which is like one of addresses becomes an address."""
    text = (
        "from triton.experimental import gluon\nfrom triton.experimental.gluon import language as gl\n"
        "from triton.language.extra import cuda\n\n\n@gluon.jit\ndef kernel(a_ptr, n):\n"
        "    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])\n"
        "    block = a_ptr + gl.arange(0, 128, layout)\n    if cuda.num_warps() == 16:\n"
        f"        gl.store(gl.full_like(block, n{kind}), 1.0)\n"
    )
    assert named(facts_of(tmp_path, text, a_ptr="*fp32", n="i64").parameters, "n").write.verdict == "unknown"
