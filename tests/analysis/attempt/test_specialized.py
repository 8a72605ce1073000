"""What a launch passes is compiled as Triton's own binder has it, be it by itself, in a tuple or a default: nobody is
accused of what compiles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import specialized

PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)


def _fits(ours: Any, theirs: Any) -> bool:
    """Whether a type is Triton's: of an integer that is 1 both are said, ours where it works as any other does."""
    if isinstance(ours, list) and isinstance(theirs, list):
        parts: tuple[list[Any], list[Any]] = ours, theirs
        return len(parts[0]) == len(parts[1]) and all(map(_fits, *parts))
    return ours == {"u1": "i1"}.get(theirs, theirs) or (ours, theirs) == ("i32", "constexpr")


@pytest.mark.slow("some hundred files, each compiled by Triton alone, too")
def test_what_a_launch_passes_is_compiled_as_triton_does(tmp_path: Path) -> None:
    rows = {name: text for name, text, _ in specialized.rows()}
    for name, text in rows.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    done = subprocess.run([PYTHON, specialized.__file__], capture_output=True, text=True, check=True)
    triton: dict[str, tuple[dict[str, Any], str | None]] = json.loads(done.stdout)
    command = [sys.executable, "-m", "triton_ls", "check", "--python", PYTHON, "--no-cache", "--format", "json"]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    told: dict[str, Any] = json.loads(done.stdout)
    works = {name for name, (_, refused) in triton.items() if refused is None}
    assert len(works) > len(rows) // 3

    errors = {Path(found["file"]).stem for found in told["diagnostics"] if found["severity"] == "error"}
    assert sorted(errors & works) == []
    wrong: dict[str, Any] = {}
    for kernel in told["kernels"]:
        name = Path(kernel["file"]).stem
        types = kernel["signatures"][0]["types"] if kernel["signatures"] and name in works else {}
        wrong |= {
            f"{name}: {p}": (kind, triton[name][0][p])
            for p, kind in types.items()
            if not _fits(kind, triton[name][0][p])
        }
    assert wrong == {}
    # Who passes what fails is told that it does, mostly: what is loaded from a number may be a misread launch.
    assert len(errors) > len(rows) // 3
