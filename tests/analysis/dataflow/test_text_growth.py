"""The proof as the text grows: what it costs for each line stays the same. Calls are counted, as no clock does it twice
alike."""

from __future__ import annotations

import cProfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from dataflow_helpers import HEAD, compiler

from kernel_analysis.attempt.compile import Work
from kernel_analysis.dataflow import Compile, OpenNo, Proof
from kernel_analysis.facts import Facts
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.source.slice import Slice

KERNEL = """
@triton.jit
def kernel(in_ptr: "*fp32", other_ptr: "*fp32", out_ptr: "*fp32", n: "i32", MODE: tl.constexpr = 1):
    value = tl.load(other_ptr)
    at = in_ptr + 0
    other = other_ptr + 0
{body}    tl.store(out_ptr, value + tl.load(at))
    if MODE * MODE == -1:
        tl.store(at, 0.0)
"""


def arms(number: int) -> str:
    chosen = [f"        at = {'out_ptr' if i % 2 else 'in_ptr'} + {i}\n" for i in range(number)]
    return "".join(f"    {'elif' if i else 'if'} MODE == {i}:\n{chosen[i]}" for i in range(number))


def inside(number: int) -> str:
    lines = [f"{'    ' * (i + 1)}if MODE > {i}:\n{'    ' * (i + 2)}at = at + {i}\n" for i in range(number)]
    return "".join(lines) + "    " * (number + 1) + "at = out_ptr + 1\n"


def loops(number: int) -> str:
    heads = "".join(f"{'    ' * (i + 1)}for i{i} in range(n):\n" for i in range(number))
    indentation = "    " * (number + 1)
    return f"{heads}{indentation}at, other = other, at + 1\n{indentation}value += tl.load(at)\n"


def said(number: int) -> str:
    """Names that are said to be constants before they are given something."""
    return "".join(f"    c{i}: tl.constexpr\n    c{i} = {i}\n" for i in range(number))


def handed_on(number: int) -> str:
    first = "".join(f"    p{i} = in_ptr + {i}\n" for i in range(number)) + "    for i in range(n):\n"
    return f"{first}        at = p0\n" + "".join(f"        p{i} = p{i + 1}\n" for i in range(number - 1))


class Counted(Proof):
    """A proof whose calls are counted."""

    def __init__(self, slice_: Slice, profile: cProfile.Profile) -> None:
        super().__init__(slice_)
        self._profile = profile

    def withhold(self, facts: Facts, compiles: Sequence[Compile]) -> list[OpenNo]:
        self._profile.enable()
        try:
            return super().withhold(facts, compiles)
        finally:
            self._profile.disable()


@pytest.mark.parametrize(
    ("shape", "few", "many"), [(arms, 75, 300), (inside, 16, 64), (loops, 3, 12), (said, 150, 600), (handed_on, 16, 64)]
)
def test_linear(tmp_path: Path, shape: Callable[[int], str], few: int, many: int) -> None:
    costs: list[float] = []
    for number in (few, many):
        file = tmp_path / f"kernels_{number}.py"
        file.write_text(HEAD + KERNEL.format(body=shape(number)), encoding="utf-8")
        project = Project([str(tmp_path)], [str(tmp_path)])
        function = project.module(str(file)).functions[0]
        slice_ = cut(project, function)
        work, profile = Work(compiler(), slice_), cProfile.Profile()
        work.proof = Counted(slice_, profile)
        outcome = work.outcome(infer(project, function, slice_))
        written = {p.name: p.write.verdict for p in outcome.facts.parameters}
        assert written["in_ptr"] == "unknown"
        calls = sum(entry.callcount for entry in profile.getstats())
        costs.append(calls / number)
    assert costs[1] <= 1.5 * costs[0]
