"""What stands beside an object whose class has the operator is what the method takes it for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

HEAD = """
from triton.language.core import _aggregate as aggregate


@aggregate
class Ref:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p

    @triton.jit
    def __{method}__(self, n):
        return Ref(self.p + n)

    @triton.jit
    def put(self, x):
        tl.store(self.p, x)


@triton.jit
def kernel(a_ptr, n):
    r = Ref(a_ptr)
    ({expression}).put(1.0)
"""
OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "<<": "lshift",
    ">>": "rshift", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip
COMPARISONS = {"==": ("eq", "eq"), "!=": ("ne", "ne"), "<": ("lt", "gt"), "<=": ("le", "ge"), ">": ("gt", "lt")}
WAYS = [
    *((name, f"r {sign} n") for sign, name in OPERATORS.items()),
    *((f"r{name}", f"n {sign} r") for sign, name in OPERATORS.items()),
    *((name, f"r {sign} n") for sign, (name, _) in COMPARISONS.items()),
    *((name, f"n {sign} r") for sign, (_, name) in COMPARISONS.items()),
]


@pytest.mark.parametrize(("method", "expression"), WAYS, ids=[expression for _, expression in WAYS])
def test_beside_an_object(case: Callable[..., Any], method: str, expression: str) -> None:
    found = case(HEAD.format(method=method, expression=expression))
    assert found.first.types == {"a_ptr": "*fp32", "n": "i32"}, found.first
