"""What was found out of a function's text is used again only where all that the text names is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel_analysis.dataflow.text import summaries
from kernel_analysis.dataflow.text.may_summary import MaySummary
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project

HEAD = """
import enum
from typing import NamedTuple

import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@triton.jit
def put(p):
    tl.store(p, 1.0)


@triton.jit
def get(p):
    tl.load(p)

"""
WAYS = {
    "a default of a class": (
        "@aggregate\nclass Box:\n    p: tl.tensor\n    f: tl.constexpr = {}", ("put", "get"),
        "box = Box(a_ptr)\n    box.f(box.p)",
    ),
    "a number of a class": (
        "@aggregate\nclass Box:\n    p: tl.tensor\n    k: tl.constexpr = {}", ("1", "2"),
        "if Box(a_ptr).k == 2:\n        tl.store(a_ptr, 1.0)",
    ),
    "the order of fields": (
        "@aggregate\nclass Box:\n    {}", ("p: tl.tensor\n    q: tl.tensor", "q: tl.tensor\n    p: tl.tensor"),
        "tl.store(Box(a_ptr, b_ptr).p, 1.0)",
    ),
    "the kind of a field": (
        "@aggregate\nclass Box:\n    p: {}", ("tl.tensor", "tl.constexpr"), "Box(a_ptr).p.store(b_ptr)"
    ),
    "a method": (
        "@aggregate\nclass Box:\n    p: tl.tensor\n\n    @triton.jit\n    def go(self):\n        tl.{}(self.p)",
        ("load", "atomic_poll"), "Box(a_ptr).go()",
    ),
    "a method of a base": (
        "@aggregate\nclass Base:\n    p: tl.tensor\n\n    @triton.jit\n    def go(self):\n        {}(self.p)\n\n\n"
        "@aggregate\nclass Box(Base):\n    q: tl.tensor",
        ("put", "get"), "Box(a_ptr, b_ptr).go()",
    ),
    "another name": ("act = {}", ("put", "get"), "act(a_ptr)"),
    "a function of the language": ("act = {}", ("tl.store", "tl.atomic_add", "tl.maximum"), "act(a_ptr, 1.0)"),
    "what makes a function": (
        "@{}\ndef act(p):\n    return p.to(tl.int64)", ("triton.jit", "triton.constexpr_function"), "put(act(a_ptr))"
    ),
    "a number": ("K = tl.constexpr({})", ("1", "2", "True", "1.0"), "if K == 2:\n        put(a_ptr)"),
    "a text": ("K = tl.constexpr({})", ("'put'", "'get'", "None"), "if K == 'put':\n        put(a_ptr)"),
    "a member": (
        "class Mode(enum.Enum):\n    A = 'put'\n\n\nK = tl.constexpr({})", ("Mode.A", "Mode.A.value", "'put'", "'x'"),
        "if K == 'put':\n        put(a_ptr)",
    ),
    "an item": ("T = ({}, put)", ("put", "get"), "T[0](a_ptr)"),
    "the names of a tuple": (
        "class Pair(NamedTuple):\n    {}: object\n    {}: object", (("x", "y"), ("y", "x")),
        "put(Pair(a_ptr, b_ptr).x)",
    ),
    "a default of a tuple": (
        "class Pair(NamedTuple):\n    x: object\n    f: object = {}", ("put", "get"), "Pair(a_ptr).f(a_ptr)"
    ),
    "what nobody knows": ("act = {}", ("unknown()", "tl.load", "put"), "act(a_ptr)"),
    "a type": ("T = {}", ("tl.int64", "tl.pointer_type(tl.float32)", "unknown"), "put(a_ptr.to(tl.int64).to(T))"),
    "a member of a module": ("class Ops:\n    act = {}", ("put", "get"), "Ops.act(a_ptr)"),
    "another name as long": (
        "class XY(NamedTuple):\n    x: object\n    y: object\n\n\n"
        "class Other(NamedTuple):\n    {}: object\n    {}: object\n\n\n"
        "@triton.jit\ndef act(t):\n    put(t.x)",
        (("y", "x"), ("y", "z")), "act(XY(a_ptr, b_ptr))\n    n = Other(1, 2)",
    ),
}  # fmt: skip
"""What stands above a kernel, the ways in which that differs, and what the kernel does."""


def found(folder: Path, name: str, way: object) -> MaySummary:
    """What is found out of the kernel."""
    above, _, body = WAYS[name]
    parts = way if isinstance(way, tuple) else (way,)
    folder.mkdir(exist_ok=True)
    file = folder / "kernels.py"
    kernel = f"@triton.jit\ndef kernel(a_ptr, b_ptr):\n    {body}\n"
    file.write_text(f"{HEAD}\n{above.format(*parts)}\n\n\n{kernel}", encoding="utf-8")
    project = Project([str(folder)], [str(folder)])
    function = next(f for f in project.module(str(file)).functions if f.name == "kernel")
    return summaries.TextSummaries(cut(project, function)).of(0)


def said(summary: MaySummary) -> tuple[object, ...]:
    return summary.reads, summary.writes, summary.stored, summary.of_loaded


@pytest.mark.parametrize("name", WAYS)
def test_nothing_is_taken_from_another_text(tmp_path: Path, name: str) -> None:
    ways = WAYS[name][1]
    alone: list[tuple[object, ...]] = []
    for number, way in enumerate(ways):
        summaries.forget()
        alone.append(said(found(tmp_path / f"alone{number}", name, way)))
    for first in range(len(ways)):
        summaries.forget()
        found(tmp_path / f"first{first}", name, ways[first])
        again = [said(found(tmp_path / f"{first}-{number}", name, way)) for number, way in enumerate(ways)]
        assert again == alone


def test_the_ways_are_different(tmp_path: Path) -> None:
    """In most of them something else is found out of the same kernel."""
    several = 0
    for name, (_, ways, _) in WAYS.items():
        several += len({said(found(tmp_path / f"{several}{n}", name, way)) for n, way in enumerate(ways)}) > 1
    assert several > len(WAYS) // 2, several
