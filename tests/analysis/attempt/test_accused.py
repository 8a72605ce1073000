"""Nobody is accused of what a launch is not known to pass; and whoever passes what doesn't do is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from accused import WANTS, WAYS, guilty, rows

PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
EVERY = os.environ.get("TRITON_LS_ACCUSED") == "all"


def _errors(folder: Path, files: dict[str, str]) -> dict[str, list[str]]:
    """What is called an error in each of the files, as ``check`` sees them."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "triton_ls",
        "check",
        "--python",
        PYTHON,
        "--no-cache",
        "--format",
        "json",
        str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told: dict[str, Any] = json.loads(done.stdout)
    assert {Path(kernel["file"]).stem for kernel in told["kernels"]} == files.keys(), done.stderr
    errors: dict[str, list[str]] = {name: [] for name in files}
    for finding in told["diagnostics"]:
        if finding["severity"] == "error":
            errors[Path(finding["file"]).stem].append(f"line {finding['line']}: {finding['message']}")
    return errors


@pytest.mark.slow("some hundred files, each with a kernel that fails under what is guessed first")
def test_nobody_is_accused_of_what_no_launch_is_known_to_pass(tmp_path: Path) -> None:
    errors = _errors(tmp_path, dict(rows(EVERY)))
    assert {name: told for name, told in errors.items() if told} == {}


@pytest.mark.slow("a file for each thing that is wanted")
def test_who_passes_what_does_not_do_is_told(tmp_path: Path) -> None:
    ways = list(WAYS)
    files = {name: guilty(want, ways[number % len(ways)]) for number, (name, want) in enumerate(WANTS.items())}
    errors = _errors(tmp_path, files)
    assert [name for name, told in errors.items() if not told] == []
