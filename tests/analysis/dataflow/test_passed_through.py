"""What every function of the language that gives back what it is given makes of a block of addresses: the row of the
function and that of what it is compiled to must both have it."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton.language as tl
from dataflow_helpers import facts_of, named
from triton.experimental.gluon import language as gl

from kernel_analysis.dataflow.text import language

MORE = ("", "0", "1", "[1, 16]", "(1, 0)", "q", "16", "q, 0", "[16]", "L", "o, 0", "4, 4", "0, 16, 16, 1")
"""What may be given behind the block."""
TL = """
@triton.jit
def kernel(a_ptr, b_ptr):
    o = tl.arange(0, 16)
    p = a_ptr.to(tl.int64) + o if NUMBERS else a_ptr + o
    q = p
    r = tl.{name}({given})
    tl.store(r.to(tl.pointer_type(tl.float32)) if NUMBERS else r, 1.0)
"""
GL = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def kernel(a_ptr, b_ptr):
    L: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    o = gl.arange(0, 16, layout=gl.AutoLayout() if "{name}" == "set_auto_layout" else L)
    p = a_ptr.to(gl.int64) + o if NUMBERS else a_ptr + o
    q = p
    r = gl.{name}({given})
    gl.store(r.to(gl.pointer_type(gl.float32)) if NUMBERS else r, 1.0)
"""


NEW = ("zeros_like", "full_like")
"""What has nothing of the block but its shape."""


def passing(module: object, path: str) -> list[str]:
    found = (name for name in dir(module) if not name.startswith("_") and callable(getattr(module, name)))
    found = (name for name in found if name not in NEW)
    return [name for name in found if (row := language.function(f"{path}.{name}")).passes != () and not row.anything]


CASES = [
    *((TL, name) for name in passing(tl, "triton.language")),
    *((GL, name) for name in passing(gl, "triton.experimental.gluon.language")),
]


def test_there_are_many() -> None:
    assert len(CASES) > 100


@pytest.mark.parametrize(
    ("text", "name"), CASES, ids=lambda part: part if len(part) < 40 else "tl" if part == TL else "gl"
)
def test_what_is_passed_through(text: str, name: str, tmp_path: Path) -> None:
    for numbers in ("True", "False"):
        for more in MORE:
            filled = text.replace("NUMBERS", numbers).format(name=name, given=f"p, {more}" if more else "p")
            try:
                facts = facts_of(tmp_path, filled, a_ptr="*fp32", b_ptr="*fp32")
            except AssertionError:
                continue  # that is no call of it
            assert named(facts.parameters, "a_ptr").write.verdict != "no", filled
