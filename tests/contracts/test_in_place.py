"""``autotune-in-place`` against the kernel itself: launched twice on Triton's interpreter, as an autotuner does, it
gives something else exactly where the rule warns. Where that can't be known the rule is silent, which is said here."""

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
HEAD = """import triton
import triton.language as tl


@triton.jit
def halved(v):
    return v * 0.5


@triton.jit
def larger(v, w):
    return tl.maximum(v, w)


@triton.jit
def put(p, v, mask):
    tl.store(p, v, mask=mask)


@triton.jit
def get(p, mask):
    return tl.load(p, mask=mask)


@triton.jit
def double(base, offs, mask):
    put(base + offs, get(base + offs, mask) * 2, mask)


@triton.jit
def turns(base, count):
    for j in range(count):
        p = base + j * 32 + tl.arange(0, 32)
        tl.store(p, tl.load(p) * 2)


@triton.jit
def count(p, mask):
    tl.atomic_add(p, 1.0, mask=mask)


@triton.jit
def maybe(p, v, mask, ON: tl.constexpr):
    if ON:
        tl.store(p, v, mask=mask)


@triton.jit
def early(p, v, mask, n):
    if n < 0:
        return
    tl.store(p, v, mask=mask)
"""
KERNEL = """

@triton.autotune(configs=[triton.Config({{"BLOCK": 64}}), triton.Config({{"BLOCK": 128}})], key=["n"])
@triton.jit
def kernel_{number}(x, y, i, n, s, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
{body}
"""
WARNS = [
    "tl.store(x + offs, tl.load(x + offs, mask=mask) * 2, mask=mask)",
    "tl.store(x + offs, tl.load(x + offs, mask=mask) + tl.load(y + offs, mask=mask), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v * s, mask=mask)",
    "p = x + offs\ntl.store(p, tl.sigmoid(tl.load(p, mask=mask)), mask=mask)",
    "p = x + offs\ntl.store(p, tl.exp(tl.load(p, mask=mask)), mask=mask)",
    "p = x + offs\nv = tl.load(p, mask=mask, other=-1e9)\ntl.store(p, tl.softmax(v), mask=mask)",
    "tl.store(x + offs, halved(tl.load(x + offs, mask=mask)), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, larger(v * 2, 0.5), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.where(v > 0, v, v * 0.1), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\nw = tl.load(y + offs, mask=mask)\n"
    "tl.store(x + offs, w, mask=mask)\ntl.store(y + offs, v, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(y + offs, v, mask=mask)\ntl.store(x + offs, v * 0, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(y + offs, v, mask=mask)\n"
    "tl.store(x + offs, tl.zeros((BLOCK,), tl.float32), mask=mask)",
    "tl.atomic_add(x + offs, 1.0, mask=mask)",
    "tl.atomic_add(x, 1.5)",
    "tl.atomic_add(y + tl.load(i + offs, mask=mask, other=0), tl.load(x + offs, mask=mask, other=0.0), mask=mask)",
    "tl.atomic_add(i + offs, s, mask=mask)",
    "tl.atomic_xor(i + offs, 5, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, k + 1, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, k ^ 3, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, k << 1, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v * tl.sigmoid(v), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, 1 - v, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v * v, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.load(y + offs, mask=mask) - v * s, mask=mask)",
    "v = tl.load(x + offs, mask=mask, other=0.0)\ntl.store(x + offs, tl.cumsum(v, axis=0), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\nw = tl.load(y + offs, mask=mask)\ntl.store(x + offs, v * s - w * 2, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.where(offs > 3, v + 1, v), mask=mask)",
    "for j in range(2):\n    p = x + j * 32 + tl.arange(0, 32)\n    tl.store(p, tl.load(p) * 2)",
    "p = x + tl.arange(0, 32)\nfor j in range(2):\n    tl.store(p, tl.load(p) + 1)\n    p += 32",
    "v = tl.load(x + offs, mask=mask)\nfor j in range(3):\n    v = v * 1.5\ntl.store(x + offs, v, mask=mask)",
    "if s > 2:\n    tl.store(x + offs, tl.load(x + offs, mask=mask) + 1, mask=mask)",
    "v = tl.load(x + offs)\ntl.store(x + offs, v + 1, mask=mask)",
    "put(x + offs, tl.load(x + offs, mask=mask) + 1, mask)",
    "tl.store(x + offs, get(x + offs, mask) * 3, mask=mask)",
    "put(x + offs, halved(get(x + offs, mask)), mask)",
    "double(x, offs, mask)",
    "turns(x, 2)",
    "count(x + offs, mask)",
    "maybe(x + offs, get(x + offs, mask) + 1, mask, True)",
    "if s > 2:\n    double(x, offs, mask)",
]
SILENT = [
    "tl.store(x + offs, tl.load(y + offs, mask=mask) * 2, mask=mask)",
    "tl.store(x + offs, 1.0, mask=mask)",
    "tl.store(x + offs, tl.load(x + offs, mask=mask), mask=mask)",
    "tl.store(x + offs, tl.maximum(tl.load(x + offs, mask=mask), 0.0), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.where(v > 0, v, 0.0), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.minimum(tl.maximum(v, -0.5), 0.5), mask=mask)",
    "tl.store(x + offs, tl.abs(tl.load(x + offs, mask=mask)), mask=mask)",
    "tl.store(x + offs, tl.floor(tl.load(x + offs, mask=mask)), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v.to(tl.float16).to(tl.float32), mask=mask)",
    "tl.store(x + offs, larger(tl.load(x + offs, mask=mask), 0.25), mask=mask)",
    "tl.atomic_max(i + offs, s, mask=mask)",
    "tl.atomic_min(i + offs, s, mask=mask)",
    "tl.atomic_and(i + offs, 6, mask=mask)",
    "tl.atomic_or(i + offs, 1, mask=mask)",
    "tl.atomic_xchg(i + offs, 9, mask=mask)",
    "tl.store(x + offs, 0.0, mask=mask)\ntl.debug_barrier()\ntl.atomic_add(x + offs, 1.0, mask=mask)",
    "tl.store(y + offs, tl.load(x + offs, mask=mask) + 1, mask=mask)",
    "tl.store(x + offs, 2.0, mask=mask)\ntl.store(x + offs, tl.load(x + offs, mask=mask) * 3, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, k & 3, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, tl.where(k > 3, 3, k), mask=mask)",
    "low = tl.arange(0, 32)\ntl.store(x + 32 + low, tl.load(x + low) * 2)",
    "put(x + offs, tl.load(y + offs, mask=mask), mask)",
    "put(y + offs, get(x + offs, mask) + 1, mask)",
    "put(x + offs, 2.0, mask)\nput(x + offs, get(x + offs, mask) * 3, mask)",
    "put(x + offs, larger(get(x + offs, mask), 0.25), mask)",
    "put(x + offs, 0.0, mask)\ntl.debug_barrier()\ncount(x + offs, mask)",
    "maybe(x + offs, get(x + offs, mask) + 1, mask, False)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(y + offs, v * 2, mask=mask)\ntl.store(x + offs, v, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.where(mask, 7.0, v), mask=mask)",
    "if s > 100:\n    tl.store(x + offs, 1.0, mask=mask)",
    # What is computed of the value twice over, or of what it is compared with, may come to where it stays.
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, (v > 0).to(tl.float32), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v * (offs % 2 == 0).to(tl.float32), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v * tl.where(offs > 3, 1.0, 0.0), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v * 1.0 + 0.0, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.floor(v + 0.5), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, tl.floor(v * 4 + 0.5) / 4, mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v - tl.floor(v), mask=mask)",
    "v = tl.load(x + offs, mask=mask, other=-1e9)\ntl.store(x + offs, v - tl.max(v, axis=0), mask=mask)",
    "v = tl.load(x + offs, mask=mask, other=0.0)\ntl.store(x + offs, tl.max(v, axis=0) + 0 * offs, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, k % 5, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, k - k // 5 * 5, mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, tl.where(k < 4, k + 4, k), mask=mask)",
    "k = tl.load(i + offs, mask=mask)\ntl.store(i + offs, (k & 12) | 2, mask=mask)",
    "k = tl.load(i + offs, mask=mask, other=99)\ntl.store(i + offs, tl.sort(k), mask=mask)",
]
UNKNOWN = [
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, (v > 0).to(tl.float32) * 3.0 + 1.0, mask=mask)",
    "p = x + offs\nv = tl.load(p, mask=mask, other=0.0)\ntl.store(p, v - tl.sum(v, axis=0), mask=mask)",
    "v = tl.load(x + offs, mask=mask, other=0.0)\ntl.store(x + offs, v / tl.sqrt(tl.sum(v * v, axis=0)), mask=mask)",
    "v = tl.load(x + offs, mask=mask)\ntl.store(x + offs, v * tl.load(y + offs, mask=mask), mask=mask)",
    # What a helper stores that may end early is not looked at, nor is what lies at other addresses.
    "early(x + offs, tl.load(x + offs, mask=mask) + 1, mask, n)",
    "tl.store(x + offs, tl.load(x + 63 - offs, mask=mask) * 2, mask=mask)",
]


@pytest.mark.slow("torch is imported, and each kernel is run twice on Triton's interpreter")
def test_launched_twice(tmp_path: Path) -> None:
    bodies = [*WARNS, *SILENT, *UNKNOWN]
    text = HEAD
    for number, body in enumerate(bodies):
        lines = "\n".join("    " + line for line in body.split("\n"))
        text += KERNEL.format(number=number, body=lines)
    file = tmp_path / "kernels.py"
    file.write_text(text)
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, str(HERE / "twice.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    differs = {int(reply["kernel"][7:]) for reply in replies if reply["differs"]}
    assert len(replies) == len(bodies)
    with Agent(tmp_path) as agent:
        findings = agent.analyze(file).findings
    starts = [n for n, line in enumerate(text.splitlines(), 1) if line.startswith("@triton.autotune")]
    warned = {starts.index(f["span"]["line"]) for f in findings if f["code"] == "autotune-in-place"}
    certain, same = set(range(len(WARNS))), set(range(len(WARNS), len(WARNS) + len(SILENT)))
    assert {bodies[n] for n in certain - differs} == set(), "what Triton does"
    assert {bodies[n] for n in same & differs} == set()
    assert {bodies[n] for n in certain - warned} == set(), "not said"
    assert {bodies[n] for n in warned - certain} == set(), "said wrongly"
    assert len(bodies) >= 50
