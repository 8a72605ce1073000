"""An editor under test: the file that it opens, its environment, and what its script saw."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCES = Path(__file__).parents[2]
INTERPRETER = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def copy_kernel(in_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(in_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, value, mask=offsets < n)


@triton.jit
def clobber_kernel(in_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(in_ptr + offsets, offsets)
"""


def found(name: str) -> str:
    """The editor's program; where there is none, the test is skipped, and says so."""
    program = shutil.which(name)
    if program is None:
        assert "CI" not in os.environ, f"continuous integration must have {name}"
        pytest.skip(f"{name} is not installed on this machine")  # Python and Node are all that `make test` asks for
    return program


def session(command: list[str], directory: Path) -> dict[str, Any]:
    """What the script in ``command`` wrote down."""
    (directory / "kernels.py").write_text(KERNELS)
    environment = {
        **os.environ,
        "HOME": str(directory),
        "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}",
        "XDG_CACHE_HOME": str(directory / "cache"),
        "TRITON_LS_FILE": str(directory / "kernels.py"),
        "TRITON_LS_RESULT": str(directory / "result.json"),
        "TRITON_LS_PYTHON": INTERPRETER,
        "TRITON_LS_COMMAND": json.dumps([sys.executable, "-m", "triton_ls", "serve"]),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    result = directory / "result.json"
    assert result.exists(), f"the editor ended with {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(result.read_text())
