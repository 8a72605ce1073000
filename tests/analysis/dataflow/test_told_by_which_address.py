"""Which of two addresses it is tells a digit of another. Each way to choose one with each way to find out which it is,
compiled and behind a test that no compile takes."""

from __future__ import annotations

import textwrap
from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import part

CHOSEN = {
    "where": "r = tl.where(digit != 0, p1, p0)",
    "expression": "r = p1 if digit != 0 else p0",
    "branch": """
        r = p0
        if digit != 0:
            r = p1
    """,
    "branches": """
        if digit != 0:
            r = p1
        else:
            r = p0
    """,
    "range": """
        r = p0
        for _ in range(0, digit):
            r = p1
    """,
    "turns": """
        r, s = p0, p1
        for _ in range(0, digit):
            r, s = s, r
    """,
    "while": """
        r = p0
        while digit > 0:
            r = p1
            digit -= 1
    """,
    "return": "r = either(p0, p1, digit)",
    "branch in a helper": "r = one_of(p0, p1, digit)",
    "item": """
        t = (p0, p1)
        r = t[0]
        if digit != 0:
            r = t[1]
    """,
    "block": "r = tl.where(digit + tl.zeros((1,), tl.int64) != 0, p1, p0)",
}
FOUND = {
    "loaded": "bit = tl.load(r)",
    "loaded behind": "bit = tl.load(r + 1)",
    "loaded by a helper": "bit = read(r)",
    "compared": "bit = (r.to(tl.int64) == p1.to(tl.int64)).to(tl.int64)",
    "less": "bit = (r.to(tl.int64) - p0.to(tl.int64)) // (p1.to(tl.int64) - p0.to(tl.int64))",
    "stored": "tl.store(p1, 0); tl.store(r, 1); bit = tl.load(p1)",
    "added": "tl.store(p1, 0); tl.atomic_add(r, 1); bit = tl.load(p1)",
    "stored by a helper": "tl.store(p1, 0); put(r); bit = tl.load(p1)",
    "what was there": "bit = tl.atomic_or(r, 0)",
    "chosen again": "bit = tl.load(tl.where(r.to(tl.int64) == p1.to(tl.int64), p1, p0))",
}
_KERNEL = """
from triton.language.extra import cuda


@triton.jit
def either(p, q, digit):
    if digit != 0:
        return q
    return p


@triton.jit
def one_of(p, q, digit):
    r = p
    if digit != 0:
        r = q
    return r


@triton.jit
def read(p):
    return tl.load(p)


@triton.jit
def put(p):
    tl.store(p, 1)


@triton.jit
def kernel(a_ptr, p0, p1):
    if {gate}:
{body}
"""
_BODY = """n = a_ptr.to(tl.int64)
back = tl.full([], 0, tl.int64)
for k in range(64):
    digit = (n >> k) & 1
{}
    back += tl.max(bit + tl.zeros((1,), tl.int64), 0) << k
tl.store(back.to(tl.pointer_type(tl.float32)), 1.0)
"""
_TYPES = {"a_ptr": "*fp32", "p0": "*i64", "p1": "*i64"}
GATES = ("True", "cuda.num_warps() == 16")


def _text(gate: str, *lines: str) -> str:
    body = _BODY.format(textwrap.indent("\n".join(map(textwrap.dedent, lines)), " " * 4))
    return _KERNEL.format(gate=gate, body=textwrap.indent(body, " " * 8))


@pytest.mark.parametrize(("gate", "chosen", "found"), part(every(GATES, CHOSEN, FOUND)))
def test_each_way_to_choose_with_each_to_find_out(gate: str, chosen: str, found: str, tmp_path: Path) -> None:
    text = _text(gate, CHOSEN[chosen], FOUND[found])
    assert named(facts_of(tmp_path, text, **_TYPES).parameters, "a_ptr").write.verdict == "unknown", text


@pytest.mark.parametrize("chosen", CHOSEN)
def test_what_is_chosen_by_no_address_tells_of_none(chosen: str, tmp_path: Path) -> None:
    text = _text(GATES[1], "digit = k.to(tl.int64) & 1", CHOSEN[chosen], FOUND["loaded"])
    assert named(facts_of(tmp_path, text, **_TYPES).parameters, "a_ptr").write.verdict == "no", text
