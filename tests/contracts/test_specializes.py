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


VARIANTS = """import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["seed"])
def plain(x, n, seed, bias, BLOCK: tl.constexpr, FLAG: tl.constexpr = False):
    tl.store(x + tl.arange(0, BLOCK), n + seed)


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64}, num_warps=8)], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


@triton.jit
def same(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


def launch():
    x, h = torch.zeros(256), torch.zeros(256, dtype=torch.float16)
    plain[(1,)](x, 100, 7, x, BLOCK=64)
    plain[(1,)](x, 99, 16, x, BLOCK=64, FLAG=False)
    plain[(1,)](x, 1, 1, x, BLOCK=64)
    plain[(1,)](x, 96, 7, x, BLOCK=64)
    plain[(1,)](x, 100, 7, None, BLOCK=64)
    plain[(1,)](h, 100, 7, x, BLOCK=64)
    plain[(1,)](x, 100, 7, x, BLOCK=128)
    plain[(1,)](x, 100, 7, x, BLOCK=64, FLAG=True)
    plain[(1,)](x, 1 << 40, 7, x, BLOCK=64)
    plain[(1,)](x, 100, 7, x, BLOCK=64, num_warps=8)
    same[(1,)](x, 100, BLOCK=64)
    same[(1,)](x, 101, BLOCK=64, num_warps=4)
    same[(1,)](x, x.numel() + 1, 64)
    tuned[(1,)](x, 100)
    tuned[(1,)](h, 100)
"""
COUNT = """
import json, runpy, sys
sys.path.insert(0, sys.argv[2])
import dry
dry.install()
program = runpy.run_path(sys.argv[1])
program["launch"]()
for name in ("plain", "same"):
    caches = [part for part in program[name].device_caches[0] if isinstance(part, dict)]
    print(json.dumps([name, max(map(len, caches))]))
"""


@pytest.mark.slow("Triton's own binder is asked about each launch")
def test_how_many_variants_the_launches_in_sight_make(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(VARIANTS.replace("    tuned", "    # tuned"))
    command = [sys.executable, "-c", COUNT, str(file), str(HERE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    counted = dict(json.loads(line) for line in done.stdout.splitlines())
    file.write_text(VARIANTS)
    with Agent(tmp_path) as agent:
        reports = agent.analyze(file).reports
    # `num_warps=4` written out is no other kernel, though Triton's binder looks twice; of `x.numel() + 1` nothing is
    # known.
    assert {name: reports[name]["variants"] for name in counted} == {"plain": counted["plain"], "same": 1}
    assert counted["same"] >= 1
    assert reports["tuned"]["variants"] == 3
