"""A result whose register no instruction sets is one of the compiler's registers: whoever takes it for an address may
have any. One that nobody takes, which Triton wants of each assembly, says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, verdicts

from products import product

TEXT = """
from triton.language.extra import cuda


@triton.jit
def given(n):
    return tl.inline_asm_elementwise({asm!r}, {constraints!r}, [n], tl.int64, is_pure=False, pack=1)


@triton.jit
def kernel(a_ptr, n):
    if {gate}:
        {use}
"""
ASSEMBLY = {
    "PTX": ("cuda:90", "bar.sync 0;", "=l,l"),
    "AMD's": ("hip:gfx942", "s_waitcnt vmcnt(0)", "=v,v"),
    "AMD's, by its name": ("hip:gfx942", "s_waitcnt vmcnt(0)", "={{v[4:5]}},v"),
}
USES = {
    "taken": ("x = given(n)\n        tl.store((x + 8).to(tl.pointer_type(tl.float32)), 1.0)", "?w"),
    "let be": (
        "tl.inline_asm_elementwise({asm!r}, {constraints!r}, [n], tl.int64, is_pure=False, pack=1)",
        "",
    ),
}
GATES = ("True", "cuda.num_warps() == 16")


@pytest.mark.parametrize(("gate", "which", "use"), product(GATES, ASSEMBLY, USES))
def test_each_result_that_nothing_sets(gate: str, which: str, use: str, tmp_path: Path) -> None:
    target, asm, constraints = ASSEMBLY[which]
    constraints = constraints.format()
    text, expected = USES[use]
    text = text.format(asm=asm, constraints=constraints)
    source = TEXT.format(asm=asm, constraints=constraints, gate=gate, use=text)
    found = verdicts(facts_of(tmp_path, source, target=target, a_ptr="*fp32", n="i64"))
    assert ("w" in found["a_ptr"]) == bool(expected), source
