"""What the files of a workspace do that are no modules of a usual size: a notebook, a file of some megabytes, one that
is too large to be read. What they set and call counts, or it is not known that nobody does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernel_analysis.files import LARGEST
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer

MAIN = """import triton
import triton.language as tl
import settings


@triton.jit
def kernel(n, MODE: tl.constexpr):
    pass


def launch(n: int):
    kernel[(1,)](n, settings.MODE)
"""
CALLS, SETS, NOTHING = "import main\nmain.launch(2.5)\n", "import settings\nsettings.MODE = 2\n", "print(1)\n"


def notebook(folder: Path, text: str) -> None:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}
    document = {"cells": [cell], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "notes.ipynb").write_text(json.dumps(document))


def large(folder: Path, text: str) -> None:
    (folder / "table.py").write_text(f"{text}#{'-' * (LARGEST // 2)}\n")


def too_large(folder: Path, text: str) -> None:
    (folder / "table.py").write_text(f"{text}#{'-' * LARGEST}\n")


def certain(folder: Path) -> tuple[bool, bool]:
    """Whether the number is an integer for certain, and the mode the one that its module sets."""
    (folder / "main.py").write_text(MAIN)
    (folder / "settings.py").write_text("MODE = 1\n")
    project = Project([str(folder)], [], patient=True)
    (function,) = project.module(str(folder / "main.py")).functions
    first = infer(project, function, cut(project, function))[0]
    return first.evidence["n"].certain, first.evidence["MODE"].certain


@pytest.mark.parametrize("write", [notebook, large])
def test_what_is_read(write: object, tmp_path: Path) -> None:
    assert callable(write)
    for text, expected in ((CALLS, (False, True)), (SETS, (True, False)), (NOTHING, (True, True))):
        write(tmp_path, text)
        assert certain(tmp_path) == expected, text


def test_what_is_not_read_may_do_anything(tmp_path: Path) -> None:
    too_large(tmp_path, NOTHING)
    assert certain(tmp_path) == (False, False)
    (tmp_path / "table.py").unlink()
    assert certain(tmp_path) == (True, True)
