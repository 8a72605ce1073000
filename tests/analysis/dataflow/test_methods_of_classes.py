"""A method of Triton's own, taken from what it belongs to in any way, does what it does: it is no function of the
language that goes by that name, and what it is called on may be given by name."""

from __future__ import annotations

from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import part, product

# What each is called on, with what, and what it does to what that describes.
METHODS = {
    "load": ("desc", "offsets=[0, 0]", "read"),
    "store": ("desc", "offsets=[0, 0], value=block", "write"),
    "atomic_add": ("desc", "offsets=[0, 0], value=block", "write"),
    "gather": ("row", "lanes, 0", "read"),
    "scatter": ("row", "block, lanes, 0", "write"),
}
TAKEN = {
    "on it": "{what}.{method}({given})",
    "from its class": "tl.tensor_descriptor.{method}({what}, {given})",
    "by name": "tl.tensor_descriptor.{method}(self={what}, {given})",
    "by another name": "taken({what}, {given})",
    "by a text": 'getattr(tl.tensor_descriptor, "{method}")({what}, {given})',
}
GATES = ("True", "cuda.num_warps() == 16")

KERNEL = """
from triton.language.extra import cuda


@triton.jit
def kernel(a_ptr):
    if {gate}:
        desc = tl.make_tensor_descriptor(a_ptr, [16, 16], [16, 1], [16, 16])
        row = tl.make_tensor_descriptor(a_ptr, [16, 16], [16, 1], [1, 16])
        lanes = tl.arange(0, 16)
        block = tl.zeros([16, 16], tl.float32)
        taken: tl.constexpr = tl.tensor_descriptor.{method}
        {call}
"""


def _goes_together(taken: str, method: str) -> bool:
    """Only what has a name may stand behind what is given by name."""
    return taken != "by name" or "=" in METHODS[method][1]


@pytest.mark.parametrize(
    ("gate", "taken", "method"), part(row for row in every(GATES, TAKEN, METHODS) if _goes_together(*row[1:]))
)
def test_each_way_to_call_a_method(gate: str, taken: str, method: str, tmp_path: Path) -> None:
    what, given, does = METHODS[method]
    text = KERNEL.format(gate=gate, method=method, call=TAKEN[taken].format(method=method, what=what, given=given))
    fact = named(facts_of(tmp_path, text, a_ptr="*fp32").parameters, "a_ptr")
    assert (fact.read if does == "read" else fact.write).verdict != "no", text


PUT = {
    "store": "gl.shared_memory_descriptor.store({self}m, value=address)",
    "scatter": "gl.shared_memory_descriptor.scatter({self}m, values=address, indices=lanes, axis=0)",
    "exchange": "gl.shared_memory_descriptor.atomic_scatter_xchg({self}m, values=address, indices=lanes, axis=0)",
}
TAKE = {
    "load": "gl.shared_memory_descriptor.load({self}m, layout=layout)",
    "gather": "gl.shared_memory_descriptor.gather({self}m, indices=lanes, axis=0)",
}
IN_SHARED_MEMORY = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def kernel(a_ptr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    if {gate}:
        lanes = gl.arange(0, 128, layout)
        m = gl.allocate_shared_memory(gl.int64, [128], gl.SwizzledSharedLayout(1, 1, 1, order=[0]))
        address = gl.full([128], 0, gl.int64, layout) + a_ptr.to(gl.int64)
        {put}
        gl.store({take}.to(gl.pointer_type(gl.float32)), 1.0)
"""


@pytest.mark.parametrize(
    ("gate", "by", "put", "take"), product(("True", "gl.num_warps() == 16"), ("", "self="), PUT, TAKE)
)
def test_what_is_put_into_shared_memory_comes_back(gate: str, by: str, put: str, take: str, tmp_path: Path) -> None:
    text = IN_SHARED_MEMORY.format(gate=gate, put=PUT[put].format(self=by), take=TAKE[take].format(self=by))
    fact = named(facts_of(tmp_path, text, a_ptr="*fp32").parameters, "a_ptr")
    assert fact.write.verdict != "no", text
