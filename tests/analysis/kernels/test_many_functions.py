"""A file of twice as many kernels: an edit costs at most twice as much, and what was kept of each is still known.
Nodes and calls are counted, as no clock does it twice alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.agent.kept.presented import Presented
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.facts import Facts
from kernel_analysis.host.changes.functions import function_parts
from kernel_analysis.kernels import cut as cutting
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.kept.kept_by_function import KeptByFunction
from kernel_analysis.kernels.project import Project

HEAD = "import triton\nimport triton.language as tl\n\nSIZES = [16, 32]\n"
KERNEL = """

@triton.autotune(configs=[triton.Config({{"BLOCK": b}}) for b in SIZES], key=[])
@triton.jit
def kernel_{n}(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), {n})


def run_{n}(x):
    kernel_{n}[(1,)](x)
"""


def text(count: int) -> str:
    return HEAD + "".join(KERNEL.format(n=n) for n in range(count))


def walked(count: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many nodes are looked at to say that the configs of all kernels are those that are written."""
    seen = 0
    walk = function_parts.descend

    def counting(node: ast.AST) -> Iterator[ast.AST]:
        nonlocal seen
        for inner in walk(node):
            seen += 1
            yield inner

    monkeypatch.setattr(function_parts, "descend", counting)
    file = folder / f"of_{count}.py"
    file.write_text(text(count))
    project = Project([str(folder)], [])
    functions = project.module(str(file)).functions
    assert len(functions) == count
    assert not any(function_parts.configs_changed(project.resolver, function) for function in functions)
    return seen


def test_nobody_walks_the_file_for_each_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (walked(count, tmp_path, monkeypatch) for count in (20, 40))
    assert many <= 2 * few + 100, (few, many)


@pytest.mark.parametrize("taken", ["configs=c", "configs=[]", "configs=[c], fn=f"])
def test_a_case_that_takes_configs_is_still_seen(taken: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        text(1) + f"\n\ndef change(k):\n    match k:\n        case triton.runtime.Autotuner({taken}):\n"
        "            c.pop()\n\n\nchange(kernel_0)\n"
    )
    project = Project([str(tmp_path)], [])
    (function,) = project.module(str(tmp_path / "m.py")).functions
    assert function_parts.configs_changed(project.resolver, function)


def test_no_slice_is_cut_again_while_one_function_is_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count, cuts = 300, 0
    file = tmp_path / "m.py"
    project = Project([str(tmp_path)], [])
    run = cutting._Cut.run  # pyright: ignore[reportPrivateUsage]

    def counting(self: Any, function: Any) -> Any:
        nonlocal cuts
        cuts += 1
        return run(self, function)

    monkeypatch.setattr(cutting._Cut, "run", counting)  # pyright: ignore[reportPrivateUsage]
    done: list[int] = []
    for edit in range(2):
        project.set_text(str(file), text(count).replace("BLOCK), 7)", f"BLOCK), 7 + {edit})"))
        for function in project.module(str(file)).functions:
            cut(project, function)
        done.append(cuts)
        cuts = 0
    assert done == [count, 1]


def test_each_report_is_made_once_while_another_function_is_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0

    def counting(*args: Any) -> Any:
        nonlocal made
        made += 1
        return shown(*args)

    shown = __import__("kernel_analysis.agent.kept.presented", fromlist=["present"]).present
    monkeypatch.setattr("kernel_analysis.agent.kept.presented.present", counting)
    file = tmp_path / "m.py"
    file.write_text(text(200))
    project, presented = Project([str(tmp_path)], []), Presented()
    slices = [(cut(project, function), function) for function in project.module(str(file)).functions]
    for _ in range(2):
        for slice_, function in slices:
            presented.report(slice_, function, "kernel", Outcome(Facts(), []), editor=True)
    assert made == 200


def test_the_last_few_texts_of_each_function_are_kept() -> None:
    kept: KeptByFunction[int] = KeptByFunction(3)
    for text_ in range(10):
        kept.keep("one", text_, text_)
        assert kept.get("one", 0) == 0  # asked for all the time
    assert [kept.get("one", key) for key in range(10)] == [0, *[None] * 6, 7, 8, 9]
    for function in ("two", "three"):
        kept.keep(function, 0, 1)
    kept.get("one", 9)
    kept.keep("four", 0, 1)
    assert [kept.get(function, 0) is not None for function in ("one", "two", "three", "four")] == [
        True,
        False,
        True,
        True,
    ]
    assert len(kept) == 6
