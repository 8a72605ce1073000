"""The comparison of guesses with real calls, on a package of three kernels: that it records, and that it tells."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TRUTH = Path(__file__).with_name("truth.py")
KERNELS = """
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def scale(x, out, bias, factor, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n) * factor
    if bias is not None:
        value += tl.load(bias)
    tl.store(out + offs, value, mask=None if EVEN else offs < n)


@triton.jit
def copy(desc, out):
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], desc.load([0, 0]))


@triton.jit
def take(x, where):
    tl.store(x + tl.load(where), 0.0)


def run(x, bias=None):
    assert x.is_cuda
    out = torch.empty(x.shape, dtype=torch.float32, device="cuda")
    count = torch.cuda.get_device_properties(0).multi_processor_count
    scale[(count,)](x, out, bias, 0.5, x.numel())
    copy[(1,)](TensorDescriptor.from_tensor(x.view(16, 16), [16, 16]), out)
    return out


def pick(x, where):
    take[(1,)](x, where)
"""
CALLS = """
import torch
from calling import Maker, attempt


def all_of_it(make: Maker) -> None:
    from kernels import pick, run

    run(make.plain(256))
    run(make.plain(256), make.plain(1))
    pick(make.plain(8), make.ids(1, dtype=torch.int16))


def broken(make: Maker) -> None:
    raise ValueError("as a package may")


def everything() -> list[str]:
    return attempt([all_of_it, broken])
"""


@pytest.mark.skipif(find_spec("torch") is None, reason="the calls need torch")
@pytest.mark.slow("torch is imported")
def test_calls_are_recorded_and_told_apart(tmp_path: Path) -> None:
    package = tmp_path / "example-1.0"
    package.mkdir()
    (package / "kernels.py").write_text(KERNELS)
    (tmp_path / "calls_example.py").write_text(CALLS)
    done = subprocess.run(
        [sys.executable, str(TRUTH), str(package)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    assert "`scale` | 7 | 7 |" in done.stdout
    assert "`copy` | 2 | 2 |" in done.stdout
    assert "`take` | 2 | 1 |" in done.stdout
    assert "- `take` `where`: guessed *i32; passed *i16; use: it is loaded from" in done.stdout
    assert "- a call failed: broken torch.float32: ValueError: as a package may" in done.stdout
    assert "| all | 3 | 11 | 90.9% |" in done.stdout
