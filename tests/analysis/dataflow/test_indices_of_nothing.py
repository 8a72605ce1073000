"""What is accessed was made of a number, which may be 0: then what says where in it is the address. Each access with
indices, with each way to give them."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import product

HELPERS = """
from triton.language.extra import cuda


@triton.jit
def times(x, N: tl.constexpr):
    return (x,) * N


@triton.jit
def kernel(a_ptr, b_ptr, m):
"""
ACCESSES = {
    "load": ("x = desc.load({two})", "read"),
    "store": ("desc.store({two}, block)", "write"),
    "atomic": ("desc.atomic_add({two}, block)", "write"),
    "gather": ("x = row.gather({one} + tl.arange(0, 16), 0)", "read"),
    "gather's column": ("x = row.gather(tl.arange(0, 16), {one})", "read"),
    "scatter": ("row.scatter(block, {one} + tl.arange(0, 16), 0)", "write"),
    "function": ("tl.store_tensor_descriptor(desc, {two}, block)", "write"),
    "of its class": ("tl.tensor_descriptor.store(desc, {two}, block)", "write"),
    "pointer": ("tl.store(base + {one}, 1.0)", "write"),
}
INDICES = {
    "as they stand": "[digits, digits]",
    "repeated": "(digits,) * 2",
    "by a helper": "times(digits, 2)",
    "added": "(digits,) + (0,)",
    "by a name": "both",
}
BASES = {
    "a number's": "m.to(tl.pointer_type(tl.float32))",
    "none": "tl.full([], 0, tl.int64).to(tl.pointer_type(tl.float32))",
}
KERNEL = """    if {gate}:
        digits = (a_ptr.to(tl.int64) >> 2).to(tl.int32)
        both = (digits, digits)
        base = {base}
        desc = tl.make_tensor_descriptor(base, [16, 16], [16, 1], [16, 16])
        row = tl.make_tensor_descriptor(base, [16, 16], [16, 1], [1, 16])
        block = tl.zeros([16, 16], tl.float32)
        {access}
"""


@pytest.mark.parametrize(
    ("gate", "base", "access", "indices"), product(("True", "cuda.num_warps() == 16"), BASES, ACCESSES, INDICES)
)
def test_an_index_of_nothing_is_an_address(gate: str, base: str, access: str, indices: str, tmp_path: Path) -> None:
    call, does = ACCESSES[access]
    two = INDICES[indices]
    text = HELPERS + KERNEL.format(gate=gate, base=BASES[base], access=call.format(one=f"({two})[0]", two=two))
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32", m="i64")
    fact = named(facts.parameters, "a_ptr")
    assert (fact.read if does == "read" else fact.write).verdict != "no", text
