"""``aliased-arguments`` against the kernel itself: on Triton's interpreter, which runs one program after the other, a
launch that passes one tensor twice gives something else than one that passes a copy, exactly where the rule warns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.process import Agent

pytest.importorskip("torch")

HERE = Path(__file__).parent
HEAD = """import torch
import triton
import triton.language as tl

"""
KERNEL = """
@triton.jit
def kernel_{number}(x, out, n, width, s, t, B: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * B + tl.arange(0, B)
    cols = tl.arange(0, B)
    mask = offs < n
{body}


def launch_{number}(x, copy=False):
    kernel_{number}[(4,)](x.clone() if copy else x, x, 64, 16, 16, 16, B=16)
    kernel_{number}[(4,)](x, x, 64, 16, 16, 16, B=16)
"""
WARNS = [
    "tl.store(out + offs, tl.load(x + offs - 1, mask=mask & (offs > 0), other=0.0), mask=mask)",
    "v = tl.load(x + offs - 2, mask=offs > 1, other=0.0)\nw = tl.load(x + offs, mask=mask)\n"
    "tl.store(out + offs, v + w, mask=mask)",
    "tl.store(out + offs, tl.load(x + n - 1 - offs, mask=mask), mask=mask)",
    "tl.store(out + offs, tl.load(x + 63 - offs, mask=mask), mask=mask)",
    "tl.store(out + offs, tl.load(x + cols) * 2 + pid, mask=mask)",
    "tl.store(out + offs, tl.load(x + offs, mask=mask) + tl.load(x), mask=mask)",
    "tl.store(out + pid + cols * 4, tl.load(x + offs, mask=mask) + 1)",
    "tl.store(out + offs, tl.load(x + cols * 4 + pid) + 1, mask=mask)",
    "acc = tl.zeros((B,), tl.float32)\nfor k in range(4):\n    acc += tl.load(x + k * 16 + cols)\n"
    "tl.store(out + offs, acc, mask=mask)",
    "acc = 0.0\np = x + cols\nfor k in range(4):\n    acc += tl.sum(tl.load(p), axis=0)\n    p += 16\n"
    "tl.store(out + offs, acc + cols, mask=mask)",
    "idx = (offs * 7) % n\ntl.store(out + offs, tl.load(x + idx), mask=mask)",
]
SILENT = [
    "own = pid * s + tl.minimum(tl.load(x + pid * s).to(tl.int32), 0)\nfirst = tl.load(x + own)\n"
    "tl.store(out + pid * t + cols, tl.load(x + pid * s + cols) + first)",
    "for row in range(pid * 1, pid * 1 + 1):\n    first = tl.load(x + row * s)\n"
    "    v = tl.load(x + row * s + cols)\n    tl.store(out + row * t + cols, v - first)",
    "tl.store(out + offs, tl.load(x + offs, mask=mask) * 2, mask=mask)",
    "tl.store(out + pid * B + cols, tl.load(x + cols + pid * B, mask=mask) * 2, mask=mask)",
    "tl.store(out + pid * t + cols, tl.load(x + pid * s + cols) * 2)",
    "v = tl.load(x + pid * s + cols)\ntl.store(out + pid * t + cols, v / tl.sum(v, axis=0))",
    "h = tl.arange(0, 8)\na = tl.load(x + pid * s + h)\nb = tl.load(x + pid * s + 8 + h)\n"
    "tl.store(out + pid * s + h, a - b)\ntl.store(out + pid * s + 8 + h, a + b)",
    "h = tl.arange(0, 8)\na = tl.load(x + pid * 16 + h)\nb = tl.load(x + pid * 16 + 8 + h)\n"
    "tl.store(out + pid * 16 + h, b)\ntl.store(out + pid * 16 + 8 + h, a)",
    "acc = 0.0\nh = tl.arange(0, 8)\nfor k in range(0, width, 8):\n"
    "    acc += tl.sum(tl.load(x + pid * s + k + h), axis=0)\n"
    "for k in range(0, width, 8):\n    v = tl.load(x + pid * s + k + h)\n    tl.store(out + pid * t + k + h, v / acc)",
    "p = x + pid * s\nq = out + pid * t\ntl.store(q + cols, tl.load(p + cols) + 1)",
    "row = pid.to(tl.int64)\ntl.store(out + row * t + cols, tl.load(x + row * s + cols) + 1)",
    "tl.store(out + offs, 1.0, mask=mask)",
    "tl.atomic_add(out + offs, tl.load(x + offs, mask=mask), mask=mask)",
]
CHILD = """
import json, runpy, sys, torch
found = runpy.run_path(sys.argv[1], run_name="program")
for number in range(int(sys.argv[2])):
    kernel, results = found[f"kernel_{number}"], []
    for copy in (False, True):
        x = torch.arange(64, dtype=torch.float32) + 1
        kernel[(4,)](x.clone() if copy else x, x, 64, 16, 16, 16, B=16)
        results.append(x)
    if not torch.equal(*results):
        print(json.dumps(number))
"""


@pytest.mark.slow("torch is imported, and each kernel is run twice on Triton's interpreter")
def test_against_a_copy(tmp_path: Path) -> None:
    bodies = [*WARNS, *SILENT]
    text = HEAD
    for number, body in enumerate(bodies):
        text += KERNEL.format(number=number, body="\n".join("    " + line for line in body.split("\n")))
    file = tmp_path / "kernels.py"
    file.write_text(text)
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-c", CHILD, str(file), str(len(bodies))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    differs = set(map(json.loads, done.stdout.splitlines()))
    with Agent(tmp_path) as agent:
        findings = [f for f in agent.analyze(file).findings if f["code"] == "aliased-arguments"]
    lines = text.splitlines()
    warned = {int(lines[f["span"]["line"] - 1].split("[")[0].strip().removeprefix("kernel_")) for f in findings}
    assert {bodies[n] for n in range(len(WARNS)) if n not in differs} == set(), "what Triton does"
    assert {bodies[n] for n in differs if n >= len(WARNS)} == set(), "what Triton does"
    assert {bodies[n] for n in range(len(WARNS)) if n not in warned} == set(), "not said"
    assert {bodies[n] for n in warned if n >= len(WARNS)} == set(), "said wrongly"


LAUNCHES = """import torch
import triton
import triton.language as tl


@triton.jit
def before(x, out, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + offs, tl.load(x + offs - 1, mask=offs > 0, other=0.0), mask=offs < n)


@triton.jit
def twice(x, out, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) * 2, mask=offs < n)


ONE = (1,)
made, given = torch.ones(64), torch.zeros(64)
alias = made


def launch(x: torch.Tensor, y: torch.Tensor, n: int):
    flat = x.view(-1)
    before[(4,)](x, x, n, B=64)  # says
    before[(4,)](x=x, out=x, n=n, B=64)  # says
    before[(4,)](flat, x, n, B=64)  # says
    before[(4,)](x.view(-1), out=x.T, n=n, B=64)  # says
    before[(4,)](x.data, x, n, B=64)  # says
    twice[(4,)](x[1:], x, n, B=64)  # says
    twice[(4,)](flat[3:], flat, n, B=64)  # says
    twice[(4,)](x[:-1], x[1:], n, B=64)  # says
    twice[(4,)](x[2:-1], x, n, B=64)  # says
    before[(1,)](x, x, n, B=64)
    before[lambda meta: (1,)](x, x, n, B=64)
    before[ONE](x, x, n, B=64)
    before[(triton.cdiv(64, 64),)](x, x, n, B=64)
    before[(4,)](x.clone(), x, n, B=64)
    before[(4,)](x.contiguous(), x, n, B=64)
    before[(4,)](y, x, n, B=64)
    before[(4,)](x[0], x[1], n, B=64)
    twice[(4,)](x[:n], x[n:], n, B=64)
    twice[(4,)](flat, x, n, B=64)
    twice[(4,)](x[4096:], x, n, B=64)
    twice[(4,)](x[:64], x[64:], n, B=64)
    twice[(4,)](x[1:-1], x[1:], n, B=64)
    before[(4,)](x[::2], x, n, B=64)


def again(made: torch.Tensor, n: int):
    before[(4,)](alias, made, n, B=64)
    before[(4,)](made.view(-1), made, n, B=64)  # says
"""


def test_which_arguments_are_one_tensor(tmp_path: Path) -> None:
    file = tmp_path / "launches.py"
    file.write_text(LAUNCHES)
    with Agent(tmp_path) as agent:
        findings = [f for f in agent.analyze(file).findings if f["code"] == "aliased-arguments"]
    says = [n for n, line in enumerate(LAUNCHES.splitlines(), 1) if line.endswith("# says")]
    assert sorted(f["span"]["line"] for f in findings) == says
    assert findings[0]["fixes"][0]["title"] == "Read from a copy"
