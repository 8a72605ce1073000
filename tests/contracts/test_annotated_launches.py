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
    k[(n.shape[0] / 2,)](x, B=16)


def outer(x, grid: int):
    inner(x, grid)


def inner(x, grid: int):
    k[grid](x, B=16)


class Shape(tuple):
    pass


class Size:
    shape = (2.0,)
"""
LINES = {"run": 17, "by_name": 21, "ratio": 25, "inner": 33}
"""(A method may be called by whatever has an object of the class, by no name that it has here.)"""
CALLS = {
    "run(x, (3,))": "run",
    "run(x, grid=(3, 1))": "run",
    "run(x, lambda meta: (3,))": "run",
    "run(x, None)": "run",
    "size = (4,)\n    run(x, size)": "run",
    "run(x, Shape((3,)))": "run",
    "run(x, x)": "run",
    "run(x, len and (3,))": "run",
    "run(*x)": "run",
    "run(x, **{'grid': (3,)})": "run",
    "other = run\n    other(x, (3,))": "run",
    "functools.partial(run, x)((3,))": "run",
    "[each(x, (3,)) for each in (run,)]": "run",
    "(lambda grid: run(x, grid))((3,))": "run",
    "x.apply(run)": "run",
    "globals()['run'](x, (3,))": "",
    "by_name(x, grid=(3,))": "by_name",
    "by_name(x, grid=Shape((3,)))": "by_name",
    "ratio(x, Size())": "ratio",
    "outer(x, (3,))": "inner",
    "outer(x, Shape((3,)))": "inner",
    "other = outer\n    other(x, (3,))": "inner",
    "run(x, 3)": "",
    "run(x, x.numel())": "",
    "by_name(x, grid=3)": "",
    "ratio(x, torch.zeros(3))": "",
    "outer(x, 3)": "",
    "Launcher().method(x, (3,))": "",
}


def accused(folder: Path, texts: dict[str, str]) -> set[int]:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], sys.path, patient=True)
    found = launch_arguments.check_file(FileSubject(project, project.module(str(folder / "main.py"))))
    return {one.span.line for one in found if "grid" in one.message}


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_goes_before_an_annotation(tmp_path: Path, call: str, elsewhere: bool) -> None:
    caller = f"\n\ndef go(x):\n    {call}\n"
    texts = {"main": KERNEL + ("" if elsewhere else f"\n\nimport functools{caller}")}
    if elsewhere:
        texts["other"] = f"import functools\nimport torch\nfrom main import *\n{caller}"
    other = {line for name, line in LINES.items() if name != CALLS[call]}
    # By `globals()` anything may be had.
    assert accused(tmp_path, texts) == (set() if call.startswith("globals") else other)


@pytest.mark.parametrize(("files", "uses"), [(40, 1), (1, 80), (9, 9)])
def test_however_many_calls_there_are_the_last_one_counts(tmp_path: Path, files: int, uses: int) -> None:
    calls = "".join(f"def go{n}(x):\n    run(x, 3)\n" for n in range(uses))
    texts = {"main": KERNEL} | {f"other{n:02}": f"from main import run\n{calls}" for n in range(files)}
    texts[f"other{files - 1:02}"] += "def last(x):\n    run(x, (3,))\n"
    assert LINES["run"] not in accused(tmp_path, texts)


@pytest.mark.parametrize("levels", [1, 3, 6, 12])
def test_however_far_up_it_is_passed_the_first_one_counts(tmp_path: Path, levels: int) -> None:
    through = "".join(f"def up{n}(x, grid: int):\n    {f'up{n - 1}' if n else 'run'}(x, grid)\n" for n in range(levels))
    assert accused(tmp_path, {"main": f"{KERNEL}\n{through}\nup{levels - 1}(torch.zeros(3), (3,))\n"}) == {21, 25, 33}
