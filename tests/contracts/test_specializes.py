"""What a kernel is compiled again for, against Triton: how many variants it has in its cache after one more launch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agent.process import Agent

pytest.importorskip("torch")

HERE = Path(__file__).parent
KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["seed"], do_not_specialize_on_alignment=["width"])
def kernel(x, n, width, seed, scale, bias, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    if bias is not None:
        scale += tl.load(bias)
    tl.store(x + offs, n + width + seed + scale, mask=offs < n)


def launch(x: torch.Tensor):
    kernel[(1,)](x, 100, 100, 100, 1.5, x, BLOCK=64)
    kernel[(1,)](x, 100, 100, 100, 1.5, None, BLOCK=64)
"""
CHILD = """
import json, runpy, sys
sys.path.insert(0, sys.argv[2])
import dry
dry.install()
import torch
kernel = runpy.run_path(sys.argv[1])["kernel"]
usual = dict(x=torch.zeros(256), n=100, width=100, seed=100, scale=1.5, bias=torch.zeros(1), BLOCK=64)
changes = dict(
    value=dict(BLOCK=128),
    one=dict(n=1, width=1, seed=1),
    sixteen=dict(x=torch.zeros(257)[1:], n=96, width=96, seed=96, bias=torch.zeros(2)[1:]),
    type=dict(x=torch.zeros(256, dtype=torch.float16), n=1 << 40, width=(1 << 40) + 1, seed=1 << 40, scale=2.5,
              bias=torch.zeros(1, dtype=torch.float16)),
    none=dict(bias=None),
)
for what, given in changes.items():
    for name, value in given.items():
        kernel.device_caches.clear()
        kernel[(1,)](**usual)
        kernel[(1,)](**{**usual, name: value})
        caches = [part for part in kernel.device_caches[0] if isinstance(part, dict)]
        print(json.dumps([what, name, max(map(len, caches)) > 1]))
"""


@pytest.mark.slow("Triton's own binder is asked about each pair of arguments")
def test_as_triton_does(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(KERNEL)
    command = [sys.executable, "-c", CHILD, str(file), str(HERE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    again: dict[str, list[str]] = {}
    for what, name, compiled in map(json.loads, done.stdout.splitlines()):
        again.setdefault(what, []).extend([name] if compiled else [])
    with Agent(tmp_path) as agent:
        report = agent.analyze(file).reports["kernel"]
    assert report["specializes"] == again
