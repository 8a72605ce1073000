"""``launch-arguments`` where what is wrong follows from an annotation alone: every way to call the function with
something else, here and in another file. Nothing holds Python to what is written there; nobody is accused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kernel_analysis.kernels.project import Project
from kernel_analysis.rules import launch_arguments
from kernel_analysis.rules.subject import FileSubject

KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)


class Launcher:
    def method(self, x: torch.Tensor, grid: int):
        k[grid](x, B=16)


def run(x: torch.Tensor, grid: int):
    k[grid](x, B=16)


def by_name(x: torch.Tensor, *, grid: int):
    k[grid](x, B=16)


def ratio(x: torch.Tensor, n: torch.Tensor):
    k[(n.numel() / 2,)](x, B=16)
"""
LINES = {"run": 17, "method": 13, "by_name": 21, "ratio": 25}
CALLS = {
    "run(x, (3,))": "run",
    "run(x, grid=(3, 1))": "run",
    "run(x, lambda meta: (3,))": "run",
    "run(x, None)": "run",
    "size = (4,)\n    run(x, size)": "run",
    "Launcher().method(x, (3,))": "method",
    "Launcher.method(Launcher(), x, grid=[3])": "method",
    "by_name(x, grid=(3,))": "by_name",
    "run(x, 3)": "",
    "run(x, x.numel())": "",
    "ratio(x, torch.zeros(3))": "",
}


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_goes_before_an_annotation(tmp_path: Path, call: str, elsewhere: bool) -> None:
    caller = f"\n\ndef go(x):\n    {call}\n"
    file = tmp_path / "main.py"
    file.write_text(KERNEL + ("" if elsewhere else caller), encoding="utf-8")
    if elsewhere:
        (tmp_path / "other.py").write_text(f"import torch\nfrom main import *\n{caller}", encoding="utf-8")
    project = Project([str(tmp_path)], sys.path, patient=True)
    found = launch_arguments.check_file(FileSubject(project, project.module(str(file))))
    said = {one.span.line for one in found if "grid" in one.message}
    assert said == {line for name, line in LINES.items() if name != CALLS[call]}
