"""A value's type, shape or constant may hang on what a launch decides: each way to get one, with each way to ask for
it, must leave open what stands behind the question."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from kernel_analysis.dataflow.text import language
from kernel_analysis.dataflow.text.given_arguments import GivenArguments
from kernel_analysis.dataflow.text.paths.access_paths import Paths
from kernel_analysis.dataflow.text.summaries import TextSummaries
from kernel_analysis.dataflow.text.value import BLOCK, TextValue, depends
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.slice import TritonObject
from products import product

# Each gives `x` a type that another launch has otherwise: `n` is of 64 bits, or there are 16 warps.
HANGS = {
    "what counts the turns": "for x in range(n):\n{asks}",
    "what counts the turns of Triton's range": "for x in tl.range(0, n, 2):\n{asks}",
    "what counts from there": "for x in range(n, 100):\n{asks}",
    "what counts by it": "for x in range(0, 100, n):\n{asks}",
    "what counts backwards": "for x in range(n, 0, -1):\n{asks}",
    "a turn of a turn": "for i in range(n):\n    for x in range(i):\n    {asks}",
    "computed of a turn": "for i in range(n):\n    x = i + 1\n{asks}",
    "in the place of elements": "x = tl.map_elementwise(wider, tl.arange(0, 16))\n{asks}",
    "a sum of those": "x = tl.map_elementwise(wider, tl.arange(0, 16)).sum()\n{asks}",
    "given back": "x = wider(tl.program_id(0))\n{asks}",
    "handed on": "x = handed(n, 0)[1]\n{asks}",
    "reduced": "x = tl.reduce(tl.arange(0, 16) * n, 0, add)\n{asks}",
    "carried": "x = n * 0\nfor i in range(4):\n    x += 1\n{asks}",
    "of zeros": "x = tl.zeros([16], n.dtype)\n{asks}",
    "cast": "x = tl.program_id(0).to(n.dtype)\n{asks}",
    "in a comprehension": "x = [y + 1 for y in (n, n)][1]\n{asks}",
    "chosen": "x = n if tl.program_id(0) > 0 else n\n{asks}",
}

ASKED = {
    "its type": "x.dtype == tl.int64",
    "what it is not": "not (x.dtype != tl.int64)",
    "how wide it is": "x.dtype.primitive_bitwidth == 64",
    "what Python says": "is_wide(x.dtype)",
    "a type's method": "x.dtype.is_int64()",
    "a pointer to it": "tl.pointer_type(x.dtype) == tl.pointer_type(tl.int64)",
    "a block of it": "tl.block_type(x.dtype, [16]) == tl.block_type(tl.int64, [16])",
    "what is made with it": "tl.full([16], 0, x.dtype).dtype == tl.int64",
    "in a tuple": "(x.dtype, 1)[0] == tl.int64",
    "by name": "getattr(x, 'dtype') == tl.int64",
}

HEAD = """
from triton.language.extra import cuda

@triton.constexpr_function
def is_wide(kind):
    return kind == tl.int64

@triton.jit
def add(x, y):
    return x + y

@triton.jit
def wider(x):
    if cuda.num_warps() == 16:
        return x.to(tl.int64)
    return x

@triton.jit
def handed(x, y):
    return y, x

@triton.jit
def kernel(a_ptr, n):
"""


@pytest.mark.parametrize(("hangs", "asked"), product(HANGS, ASKED))
def test_each_way_to_hang_on_something(hangs: str, asked: str, tmp_path: Path) -> None:
    asks = textwrap.indent(f"if {ASKED[asked]}:\n    tl.store(a_ptr, 1.0)", "    " * HANGS[hangs].startswith("for"))
    body = HANGS[hangs]
    asks = textwrap.indent(asks, "    ") if "    {asks}" in body else asks
    text = HEAD + textwrap.indent(body.replace("    {asks}", "{asks}").format(asks=asks), "    ")
    facts = facts_of(tmp_path, text, a_ptr="*fp32", n="i32")
    assert named(facts.parameters, "a_ptr").write.verdict == "unknown", text


def test_what_every_function_of_the_language_gives_hangs_on_what_it_is_given(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text("import triton\n\n\n@triton.jit\ndef kernel(p):\n    pass\n", encoding="utf-8")
    project = Project([str(tmp_path)], [str(tmp_path)])
    slice = cut(project, project.module(str(file)).functions[0])
    walk = Paths(slice, 0, [], [], [], TextSummaries(slice), None)
    node = ast.Call(ast.Name("f", ast.Load()), [], [])
    without: list[str] = []
    for path in [f"triton.language.{name}" for name in language.FUNCTIONS]:
        for count in (1, 2, 3):
            why = walk.option(f"given {count}")
            given = GivenArguments([TextValue(dep=why, sort=BLOCK) for _ in range(count)])
            if not depends(walk.one(TritonObject(path), given, node)) & why:
                without.append(path)
    assert not without
