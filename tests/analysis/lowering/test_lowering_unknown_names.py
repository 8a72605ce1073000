"""A constant that can't be known is no mistake of the author's, however a kernel uses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lowering_helpers import lower

FILE = """
import os
from triton.language.core import _aggregate as aggregate

X = tl.constexpr(len(os.listdir(".")))

class Held:
    x = tl.constexpr(os.getpid() % 2)

@triton.constexpr_function
def given():
    return X

@triton.constexpr_function
def of_a_class():
    return Held.x

@triton.constexpr_function
def among():
    return (1, Held.x)

@triton.constexpr_function
def handed(x=X):
    return x

@triton.jit
def helper(x: tl.constexpr):
    return x

@triton.jit
def by_default(x: tl.constexpr = X):
    return x

@aggregate
class Object:
    x: tl.constexpr

    @triton.constexpr_function
    def __init__(self):
        self.x = tl.constexpr(X)

    @triton.constexpr_function
    def method(self):
        return X

@triton.jit
def kernel(p, n):
    {use}
        tl.store(p, 1.0)
"""
USES = [
    "if X:", "if not X:", "if -X:", "if True and X:", "if X and True:", "if X == 1:", "if X is None:",
    "if X in (1, 2):",
    "if (X, 1)[0]:", "if (p, p)[X] is not None:", "if (1, 2)[X:]:", "if (X if True else 0):", "if (k := X):",
    "k: tl.constexpr = X\n    if k:", "t = [e for e in (X, 1)]\n    if t[0]:", "while X:",
    "for _ in tl.static_range(X):", "for _ in range(X):", "for _ in tl.range(0, n, num_stages=X):",
    "if given():", "if of_a_class():", "if among()[1]:", "if handed():", "if handed(of_a_class()):", "if not given():",
    "if given() == 1:", "if n > 0 and given():", "k: tl.constexpr = of_a_class()\n    if k:",
    "k: tl.constexpr = among()\n    if k[1]:", "if helper(X):", "if helper(of_a_class()):", "if by_default():",
    "if Object().x:", "if Object().method():", "o = Object()\n    if o.x == 1:", "if (p, p)[given()] is not None:",
    "if max(X, 2):", "if tl.cdiv(X, 2):", "tl.static_assert(X)\n    if True:", "tl.store(p, X)\n    if True:",
    "k: tl.constexpr = f'{X}'\n    if k == '1':", "x = tl.zeros([X], tl.float32)\n    if True:",
    "x = tl.zeros([4], X)\n    if True:", "x = n.to(X)\n    if True:", "n += X\n    if True:",
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_says_what_is_not_known(tmp_path: Path, use: str) -> None:
    problem = lower(tmp_path, FILE.replace("{use}", use), p="*fp32", n="i32").problem
    assert problem.code == "not-analyzed", problem.message
    assert "can't be known without running it" in problem.message
