"""Whether something was done to a barrier, or to an accumulator in tensor memory, what is in it tells: each operation
that changes one, with each way to let a digit of an address decide."""

from __future__ import annotations

import textwrap
from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import part

# What is done, where `{pred}` may say whether, and what is read back.
CHANGES = {
    "arrive": ("mbarrier.arrive(bar, count=1{pred})", "bar"),
    "expect": ("mbarrier.expect(bar, 16{pred})", "bar"),
    "init": ("mbarrier.init(bar, count=3)", "bar"),
    "commit": ("blackwell.tcgen05_commit(bar{pred})", "bar"),
    "multiply": ("blackwell.tcgen05_mma(x, x, acc, use_acc=False{pred})", "acc"),
    "add up": ("blackwell.tcgen05_mma(x, x, acc, use_acc=bit)", "acc"),
}
DECIDES = {
    "by its predicate": "{by_pred}",
    "by a branch": """
        if bit:
            {done}
    """,
    "by a loop": """
        for _ in range(0, bit.to(gl.int32)):
            {done}
    """,
    "by a helper's branch": "maybe(bar, x, acc, bit)",
    "around a helper": """
        if bit:
            surely(bar, x, acc, bit)
    """,
}
GATES = ("True", "gl.num_warps() == 16")
KERNEL = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import blackwell
from triton.experimental.gluon.language.nvidia.hopper import mbarrier


@gluon.jit
def surely(bar, x, acc, bit):
    {done}


@gluon.jit
def maybe(bar, x, acc, bit):
    if bit:
        {done}


@gluon.jit
def kernel(a_ptr):
    half: gl.constexpr = gl.NVMMASharedLayout.get_default_for([128, 128], gl.float16)
    columns: gl.constexpr = blackwell.TensorMemoryLayout([128, 128], col_stride=1)
    tile: gl.constexpr = gl.BlockedLayout([1, 128], [32, 1], [4, 1], [0, 1])
    one: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    if {gate}:
        n = a_ptr.to(gl.int64)
        x = gl.allocate_shared_memory(gl.float16, [128, 128], half)
        acc = blackwell.allocate_tensor_memory(gl.float32, [128, 128], columns)
        bar = mbarrier.allocate_mbarrier()
        back = {zero}
        for k in gl.static_range(4):
            mbarrier.init(bar, count=2)
            bit = ((n >> k) & 1) != 0
{decided}
            back = back + ({read} << k)
        gl.store(back.to(gl.pointer_type(gl.float32)), 1.0)
"""
READ = {
    "bar": ("gl.full([1], 0, gl.int64, one)", "(bar.load(one) & 1)"),
    "acc": ("gl.full([128, 128], 0, gl.int64, tile)", "acc.load(tile).to(gl.int64)"),
}


def _goes_together(decides: str, change: str) -> bool:
    """What has no predicate can't be decided by it."""
    done, _ = CHANGES[change]
    return decides != "by its predicate" or "{pred}" in done or "bit" in done


@pytest.mark.parametrize(
    ("gate", "decides", "change"), part(row for row in every(GATES, DECIDES, CHANGES) if _goes_together(*row[1:]))
)
def test_each_way_to_tell_a_digit_by_a_barrier(gate: str, decides: str, change: str, tmp_path: Path) -> None:
    done, where = CHANGES[change]
    by_pred, done = done.format(pred=", pred=bit"), done.format(pred="")
    decided = textwrap.dedent(DECIDES[decides]).strip().format(by_pred=by_pred, done=done)
    zero, read = READ[where]
    decided = textwrap.indent(decided, " " * 12)
    text = KERNEL.format(gate=gate, done=done, decided=decided, zero=zero, read=read)
    facts = facts_of(tmp_path, text, target="cuda:100", a_ptr="*fp32")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown", text
