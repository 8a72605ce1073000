"""Notebooks as Python text: each line at its place, what only IPython understands taken out."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from kernel_analysis.files import LARGEST, Unreadable
from kernel_analysis.source.parsing.notebook import Notebook, read_notebook


def cell(source: object, kind: str = "code", **metadata: Any) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": metadata, "source": source}


def made(*cells: object, **metadata: Any) -> Notebook:
    return read_notebook(json.dumps({"nbformat": 4, "metadata": metadata, "cells": cells}).encode())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("%matplotlib inline", "pass"),
        ("!pip install \\\n  triton\nx = 1", "pass\n\nx = 1"),
        ("if x:\n    !ls\n    y = 1", "if x:\n    pass\n    y = 1"),
        ("files = !ls", "files = get_ipython()"),
        ("a, b = %who_ls int", "a, b = get_ipython()"),
        ("kernel?", "pass"),
        ("?kernel", "pass"),
        ("%time k[(1,)](x)", "pass; k[(1,)](x)"),
        ("%timeit -n 10 -r 3 k[(1,)](x)", "pass;              k[(1,)](x)"),
        ("%time for i in y: pass", "pass"),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%capture out\n!ls\nx = 1", "\npass\nx = 1"),
        ("%%bash\nrm x\n", "\n"),
        ("%%writefile a.py\nx = 1", "\nx = 1"),
        ("%%writefile -a notes.txt\nx = 1", "\n"),
        # None of these is IPython's.
        ('x = """\n%time\n!ls\n"""', None),
        ("x = (a\n% b\n/ c)", None),
        ("x = a \\\n% b", None),
        ("x != y\nx %= 3\nx = y % 3\nx = '=!'", None),
        ("# what?\nx = 1  # sure?", None),
        ("x = {'a': 1}\n'?'", None),
    ],
)
def test_what_only_ipython_understands(written: str, read: str | None) -> None:
    text = made(cell(written)).text
    assert text == (written if read is None else read) + "\n"
    ast.parse(text)


def test_lines_know_their_cells() -> None:
    found = made(
        cell("# Notes", "markdown"),
        cell(["import triton\n", "x = 1"]),
        cell("not read", "raw"),
        cell("SELECT", vscode={"languageId": "sql"}),
        cell(""),
        cell("y = 2\r\nz = 3\n"),
    )
    assert found.text == "import triton\nx = 1\n\ny = 2\nz = 3\n"
    assert [found.place(line) for line in range(1, 6)] == [(2, 1), (2, 2), (5, 1), (6, 1), (6, 2)]


def test_other_languages_have_no_cells() -> None:
    assert made(cell("library(triton)"), language_info={"name": "R"}).text == ""
    assert made(cell("using triton"), kernelspec={"language": "julia"}).text == ""
    assert made(cell("x = 1"), kernelspec={"language": "python"}).text == "x = 1\n"


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ('{"cells": [', "its JSON can't be read"),
        ('{"cells":' + "[" * 100_000, "its JSON can't be read"),
        ('{"cells": ' + "1" * 10_000 + "}", "its JSON can't be read"),
        ("", "its JSON can't be read"),
        ("[]", "it has no list of cells"),
        ('{"worksheets": []}', "it has no list of cells"),
    ],
)
def test_what_is_no_notebook_is_said(raw: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read_notebook(raw.encode())


def test_a_notebook_of_anything() -> None:
    odd = ["text", 3, None, cell(4), cell([4, "x = 1"]), cell("x = '\ud800'"), {"cell_type": "code"}]
    assert made(*odd, kernelspec=[]).text == "x = 1\nx = '?'\n"
    with pytest.raises(Unreadable, match="more than 4 MB of Python"):
        made(cell("x" * LARGEST), cell("y"))
