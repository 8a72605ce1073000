"""``check`` of notebooks: kernels in cells, findings by cell and line, in every form."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from test_cli import run
from test_cli_ci import git

IMPORTS = "%pip install triton\nimport triton\nimport triton.language as tl\n"
HELPER = "SIZE = tl.constexpr(64)\n\n\n@triton.jit\ndef twice(x):\n    return x * 2\n"
KERNEL = """%%time
@triton.jit
def kernel(in_ptr, out_ptr):
    offsets = tl.arange(0, SIZE)
    tl.store(out_ptr + offsets, twice(tl.load(in_ptr + offsets)))
    tl.store(in_ptr, 1)
"""
LAUNCH = "import torch\nx = torch.zeros(64, dtype=torch.bfloat16)\n%timeit kernel[(1,)](x, x)"
WRONG = "@triton.jit\ndef wrong():\n    nothing()\n"


def notebook(*sources: str) -> str:
    cells = [
        {"cell_type": "code" if text else "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}
        for text in sources
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}, indent=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes.ipynb").write_text(notebook(IMPORTS, "", HELPER, KERNEL, LAUNCH))
    return tmp_path


def test_kernels_use_what_other_cells_define(folder: Path) -> None:
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "notes-checkpoint.ipynb").write_text(notebook(IMPORTS, WRONG))
    for path in (".", "notes.ipynb"):
        done = run(folder, "check", path, "--verbose")
        finding, *kernels, last = done.stdout.splitlines()
        assert finding.startswith("notes.ipynb:cell 4:3:12: warning mutated-parameter `in_ptr` is mutated")
        assert kernels == [
            "notes.ipynb:cell 3:5: helper twice: touches no memory through its parameters",
            "notes.ipynb:cell 4:3: kernel kernel: writes in_ptr, out_ptr; reads in_ptr",
        ]
        assert last.startswith("1 finding. 2 jit functions in 1 file: 2 analyzed, 0 partial, 0 failed")
        assert (done.returncode, done.stderr) == (1, "")


def test_a_launch_in_a_cell_is_evidence(folder: Path) -> None:
    document = json.loads(run(folder, "check", ".", "--format", "json").stdout)
    _, kernel = document["kernels"]
    assert kernel["signatures"][0]["types"] == {"in_ptr": "*bf16", "out_ptr": "*bf16"}


@pytest.mark.slow("a check for each format")
def test_places_in_every_form(folder: Path) -> None:
    (folder / "notes.ipynb").write_text(notebook(IMPORTS, HELPER, "# Nothing.\n" + WRONG, KERNEL))
    document = json.loads(run(folder, "check", ".", "--format", "json").stdout)
    assert [(kernel["cell"], kernel["line"]) for kernel in document["kernels"]] == [(2, 5), (3, 3), (4, 3)]
    found = next(found for found in document["diagnostics"] if found["code"] == "compile-error")
    assert (found["cell"], found["line"], found["column"], found["end_line"]) == (3, 4, 5, 4)
    assert {(s["cell"], s["line"]) for p in document["kernels"][2]["parameters"] for s in p["write_sites"]} == {
        (4, 5), (4, 6)
    }  # fmt: skip
    table = run(folder, "check", ".", "--format", "table").stdout
    assert "notes.ipynb:cell 4:3  kernel " in table
    github, *_ = run(folder, "check", ".", "--format", "github").stdout.splitlines()
    assert github == (
        "::error file=notes.ipynb,line=1,endLine=1,title=compile-error::cell 3:4:5: `nothing` is not defined"
    )
    result, *_ = json.loads(run(folder, "check", ".", "--format", "sarif").stdout)["runs"][0]["results"]
    assert result["message"]["text"] == "cell 3:4:5: `nothing` is not defined"
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "cell 3:4"}]


def test_recursion_names_its_cell(tmp_path: Path) -> None:
    (tmp_path / "notes.ipynb").write_text(notebook(IMPORTS, "@triton.jit\ndef again(p):\n    again(p)\n"))
    (kernel,) = json.loads(run(tmp_path, "check", ".", "--format", "json").stdout)["kernels"]
    assert kernel["recursion"] == {"cycle": ["again"], "cell": 2, "line": 3}


def test_sentences_name_the_cell_too(tmp_path: Path) -> None:
    size = "import os\nfor SIZE in os.environ:\n    pass\n"
    (tmp_path / "notes.ipynb").write_text(notebook(IMPORTS, size, KERNEL.replace("twice(", "(")))
    assert "(line 2 of cell 2)" in run(tmp_path, "check", ".").stdout


def test_what_can_t_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "broken.ipynb").write_text('{"cells": ["triton.jit", ')
    (tmp_path / "other.ipynb").write_text("{ nothing of ours")
    (tmp_path / "old.ipynb").write_text('{"worksheets": ["triton.jit"]}')
    (tmp_path / "endless.ipynb").symlink_to("/dev/zero")
    with (tmp_path / "sparse.ipynb").open("wb") as file:
        file.truncate(5 << 30)
    (tmp_path / "good.ipynb").write_text(notebook(IMPORTS, HELPER))
    done = run(tmp_path, "check", ".")
    assert done.returncode == 2
    assert "1 jit function in 6 files: 1 analyzed" in done.stdout
    for name, why in (
        ("broken", "it is no notebook, its JSON can't be read (Expecting value"),
        ("old", "it is no notebook of nbformat 4, it has no list of cells"),
        ("endless", "it is a device, not a regular file"),
        ("sparse", "it is larger than 16 MB"),
    ):
        assert f"{name}.ipynb can't be read: {why}" in done.stderr
    assert "other.ipynb" not in done.stderr


def test_only_changed_lines_of_cells(tmp_path: Path) -> None:
    notes = tmp_path / "notes.ipynb"
    git(tmp_path, "init", "-q", "-b", "main")
    notes.write_text(notebook(IMPORTS, WRONG, HELPER))
    git(tmp_path, "add", "notes.ipynb")
    git(tmp_path, "commit", "-q", "-m", "one")
    changed = json.loads(notebook(IMPORTS, "", WRONG, HELPER, WRONG.replace("wrong", "worse")))
    notes.write_text(json.dumps(changed))  # all on one line
    shown = run(tmp_path, "check", ".", "--diff", "main").stdout.splitlines()
    assert [line.partition(" ")[0] + line.split(" ")[1] for line in shown[:-1]] == ["notes.ipynb:cell5:3:5:"]


@pytest.mark.parametrize("command", ["explain", "ttir", "run"])
def test_other_commands_say_that_they_take_none(folder: Path, command: str) -> None:
    done: subprocess.CompletedProcess[str] = run(folder, command, "notes.ipynb:kernel")
    assert done.returncode == 2
    assert "notes.ipynb is a notebook: only check looks into its cells." in done.stderr
