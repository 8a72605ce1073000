"""The real neovim, headless, with nothing but its own LSP client and our server."""

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


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    neovim = shutil.which("nvim")
    if neovim is None:
        assert "CI" not in os.environ, "continuous integration must have neovim"
        pytest.skip("neovim is not installed on this machine")  # Python and Node are all that `make test` asks for
    directory = tmp_path_factory.mktemp("neovim")
    (directory / "kernels.py").write_text(KERNELS)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}",
        "XDG_CACHE_HOME": str(directory / "cache"),
        "TRITON_LS_FILE": str(directory / "kernels.py"),
        "TRITON_LS_RESULT": str(directory / "result.json"),
        "TRITON_LS_PYTHON": INTERPRETER,
        "TRITON_LS_COMMAND": json.dumps([sys.executable, "-m", "triton_ls", "serve"]),
    }
    script = Path(__file__).with_name("session.lua")
    command = [neovim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
    result = directory / "result.json"
    assert result.exists(), f"neovim ended with {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(result.read_text())


def test_every_step_was_reached(seen: dict[str, Any]) -> None:
    assert "failed" not in seen, seen
    assert seen["steps"] == ["diagnostics", "diagnostics change", "the server ends"]


def test_diagnostics_are_where_they_belong(seen: dict[str, Any]) -> None:
    (clobbered,) = [item for item in seen["before"] if "`in_ptr` is mutated" in item["message"]]
    assert clobbered["line"] == 13
    assert clobbered["source"] == "triton-ls"
    assert clobbered["severity"] == 2


def test_hover(seen: dict[str, Any]) -> None:
    assert "(parameter) in_ptr: *" in seen["hover"]
    assert "**written**: line 15" in seen["hover"]


def test_an_edit_takes_the_diagnostic_away_and_leaves_the_others(seen: dict[str, Any]) -> None:
    assert [item["line"] for item in seen["after"] if "out_ptr" in item["message"]] == [6]
