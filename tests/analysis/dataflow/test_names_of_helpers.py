"""A helper's parameters may have the names of the kernel's, and be something else: however the helper is called, a test
in it is never taken for one of the kernel's.

Each kernel stores where ``W`` is false and ``V`` true, which no compile here has.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

HEAD = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.core import _aggregate as aggregate

@{jit}.jit
def go(p, {one}: tl.constexpr, {other}: tl.constexpr):
    if {one}:
        tl.store(p, 1.0)

@{jit}.jit
def idle(p):
    pass

@{jit}.jit
def put({one}: tl.constexpr, p, {other}: tl.constexpr):
    {one}(p, {other}, True)

@{jit}.jit
def hand(p, {one}: tl.constexpr, {other}: tl.constexpr):
    go(p, {other}, {one})

@{jit}.jit
def deeper(p, {one}: tl.constexpr, {other}: tl.constexpr):
    if {other} > 0:
        deeper(p, {one}, {other} - 1)
    elif {one}:
        tl.store(p, 1.0)

@aggregate
class Held:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p

    @{jit}.jit
    def go(self, {one}: tl.constexpr, {other}: tl.constexpr):
        if {one}:
            tl.store(self.p, 1.0)

@aggregate
class Kept:
    p: tl.tensor
    {one}: tl.constexpr

    @triton.constexpr_function
    def __init__(self, p, {one}):
        self.p = p
        self.{one} = tl.constexpr({one})

    @{jit}.jit
    def run(self, {other}: tl.constexpr):
        if self.{one}:
            tl.store(self.p, 1.0)

@{jit}.jit
def kernel(a_ptr, W: tl.constexpr, V: tl.constexpr):
    if not W:
        {call}
"""
CALLS = {
    "by position": "go(a_ptr, V, W)",
    "by keyword": "go({other}=W, p=a_ptr, {one}=V)",
    "starred": "go(*(a_ptr, V, W))",
    "by another name": "f: tl.constexpr = go\n        f(a_ptr, V, W)",
    "chosen": "(go if V else go)(a_ptr, V, W)",
    "handed in": "put(go, a_ptr, V)",
    "handed on": "hand(a_ptr, W, V)",
    "in a comprehension": "[go(p, V, W) for p in (a_ptr, a_ptr)]",
    "recursion": "deeper(a_ptr, V, 2)",
    "a method": "Held(a_ptr).go(V, W)",
    "a method of a name": "held = Held(a_ptr)\n        held.go(V, W)",
    "a method of the class": "Held.go(Held(a_ptr), V, W)",
    "a field": "Kept(a_ptr, V).run(W)",
    "a field of a name": "kept = Kept(a_ptr, V)\n        kept.run(W)",
    "a partition": "gl.warp_specialize([(idle, (a_ptr,)), (go, (a_ptr, V, W))], [4], [24])",
    "the first partition": "gl.warp_specialize([(go, (a_ptr, V, W)), (idle, (a_ptr,))], [4], [24])",
    "one of two partitions": "gl.warp_specialize([(go, (a_ptr, W, W)), (go, (a_ptr, V, W))], [4], [24])",
}


@pytest.mark.parametrize("how", CALLS)
def test_a_test_of_another_function(tmp_path: Path, how: str) -> None:
    for one, other in itertools.permutations(("W", "V", "F"), 2):
        jit = "gluon" if "partition" in how else "triton"
        text = HEAD.replace("{call}", CALLS[how]).format(jit=jit, one=one, other=other)
        compiled = ({"W": False, "V": False}, {"W": True, "V": True}, {"W": True, "V": False})
        said = named(facts_of(tmp_path, text, *compiled, a_ptr="*fp32").parameters, "a_ptr")
        assert said.write.verdict == "unknown", f"{how}, {one}, {other}: {said.write}"
        whole = named(facts_of(tmp_path, text, *compiled, {"W": False, "V": True}, a_ptr="*fp32").parameters, "a_ptr")
        assert whole.write.verdict == "yes", f"{how}, {one}, {other}: {whole.write}"
