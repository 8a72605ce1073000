"""An autotuner, or heuristics, that another file puts on a kernel: after each edit of any of the files the kernel has
what those who never saw another text say that it has."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest

from kernel_analysis.kernels.project import Project

KERNELS = "import triton\n\n\n@triton.jit\ndef k(x, B, W):\n    return x + B\n"
TUNED = """\
import triton
import kernels
from sizes import SIZES

tuned = triton.autotune(configs=[triton.Config({"B": size}) for size in SIZES], key=[])(kernels.k)
"""
HEURISTICS = """\
import triton
import kernels
from sizes import SIZES

tuned = triton.heuristics({"W": lambda given: SIZES[0]})(kernels.k)
"""
LAUNCH = "\n\ndef run(x):\n    tuned[(1,)](x)\n"
EDITS = {
    "the kernel's body": ("kernels.py", "x + B", "x - B"),
    "a parameter": ("kernels.py", "x, B, W", "x, B, W, n"),
    "another function": ("kernels.py", "import triton\n", "import triton\n\n\ndef host():\n    pass\n"),
    "the sizes": ("sizes.py", "16, 32", "64"),
    "what is tuned": ("tune.py", 'triton.Config({"B": size})', 'triton.Config({"B": size * 2})'),
    "that it is": ("tune.py", "(kernels.k)", ""),
    "a file that is new": ("new.py", "", "import kernels\n"),
}


def said(project: Project, root: Path) -> list[object]:
    """Of the kernel, as its own analysis sees it at first."""
    (function,) = project.functions(project.module(str(root / "kernels.py")))
    configs = [{name: ast.unparse(value) for name, value in one.items()} for one in function.configs]
    heuristics = {name: ast.unparse(value) for name, value in function.heuristics.items()}
    return [configs, heuristics, function.autotuned, function.configs_vary]


def settle(project: Project) -> None:
    """As an agent does while nobody waits."""
    while project.elsewhere.busy:
        project.elsewhere.work()


@pytest.mark.parametrize("tune", ["autotune", "heuristics"])
@pytest.mark.parametrize("edits", [*itertools.product(EDITS, repeat=2)], ids="-".join)
def test_it_has_what_they_say_now(tune: str, edits: tuple[str, str], tmp_path: Path) -> None:
    tuned = (TUNED if tune == "autotune" else HEURISTICS) + LAUNCH
    texts = {"kernels.py": KERNELS, "tune.py": tuned, "sizes.py": "SIZES = [16, 32]\n", "new.py": ""}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    project = Project([str(tmp_path)], [])
    (function,) = project.functions(project.module(str(tmp_path / "kernels.py")))
    project.launches_of(function)
    settle(project)
    assert function.autotuned or function.heuristics
    for file, before, after in (EDITS[edit] for edit in edits):
        texts[file] = texts[file].replace(before, after, 1)
        (tmp_path / file).write_text(texts[file], encoding="utf-8")
        project.set_text(str(tmp_path / file), texts[file])
        project.elsewhere.touched(str(tmp_path / file))
        fresh = Project([str(tmp_path)], [])
        fresh.launches_in(fresh.module(str(tmp_path / "tune.py")))
        assert said(project, tmp_path) == said(fresh, tmp_path)
        settle(project)
