"""``mutates-args`` against torch: each op is called on Triton's interpreter, what it changes is looked at, and torch's
own check of its schema is asked."""

from __future__ import annotations

import json
import os
import re
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
from torch.library import custom_op


@triton.jit
def add(a, b, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(a + offs, mask=mask) + tl.load(b + offs, mask=mask), mask=mask)


@triton.jit
def maybe(a, out, STORE: tl.constexpr):
    offs = tl.arange(0, 64)
    value = tl.load(a + offs)
    if STORE:
        tl.store(out + offs, value + 1)


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def tuned(a, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(a + offs, mask=offs < n) * 3, mask=offs < n)


def inner(a, b, out):
    add[(1,)](a, b, out, a.numel(), BLOCK=64)


def outer(p, q):
    inner(p, p, out=q)


def fresh(a, b):
    out = torch.empty_like(a)
    inner(a, b, out)
    return out
"""
OP = """

@custom_op("contracts::op_{number}", mutates_args={declared})
def op_{number}(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
{body}
    return torch.empty_like(x)
"""
# What is declared, what the op does, and what the rule says: names that are missing, and that are too many.
OPS: list[tuple[str, str, str, str]] = [
    ("()", "add[(1,)](x, y, z, 64, 64)", "z", ""),
    ('("z",)', "add[(1,)](x, y, z, 64, 64)", "", ""),
    ('["z"]', "add[(1,)](x, y, z, 64, BLOCK=64)", "", ""),
    ('{"x", "z"}', "add[(1,)](x, y, z, 64, 64)", "", "x"),
    ('{"x", "y"}', "add[(1,)](x, y, z, 64, 64)", "z", "xy"),
    ("()", "add[(1,)](x, y, z.view(-1), 64, 64)", "z", ""),
    ("()", "flat = z.view(8, 8).t()\n    add[(1,)](x, y, out=flat, n=64, BLOCK=64)", "z", ""),
    ('("z",)', "flat = z.view(8, 8)\n    add[(1,)](x, y, flat, 64, 64)", "", ""),
    ("()", "out = torch.empty_like(z)\n    add[(1,)](x, y, out, 64, 64)", "", ""),
    ('("z",)', "out = torch.empty_like(z)\n    add[(1,)](x, y, out, 64, 64)", "", "z"),
    ("()", "z[0].copy_(x[0])", "z", ""),
    ("()", "z[1:4].mul_(2)", "z", ""),
    ("()", "z[..., 0].zero_()", "z", ""),
    ("()", "z[z > 5].mul_(2)", "", ""),
    ("()", "torch.add(x, y, out=z)", "z", ""),
    ('("z",)', "torch.add(x, y, out=z)", "", ""),
    ("()", "out = z.clone()\n    add[(1,)](x, y, out, 64, 64)", "", ""),
    ("()", "inner(x, y, z)", "z", ""),
    ("()", "outer(x, y)", "y", ""),
    ('("y",)', "outer(x, y)\n    assert z.shape == x.shape", "", ""),
    ('("y", "z")', "outer(x, y)\n    assert z.shape == x.shape", "", "z"),
    ("()", "fresh(x, y)", "", ""),
    ('("x",)', "fresh(x, y)", "", "x"),
    ("()", "tuned[(1,)](x, y, 64)", "y", ""),
    ('("y",)', "tuned[(1,)](x, y, 64)", "", ""),
    ('("x", "y")', "tuned[(1,)](x, y, 64)", "", "x"),
    ("()", "x += 1", "x", ""),
    ("()", "y.zero_()", "y", ""),
    ("()", "z[0] = 1", "z", ""),
    ("()", "z.view(-1).copy_(x)", "z", ""),
    ("()", "z = z + 1\n    add[(1,)](x, y, z, 64, 64)", "", ""),
    ("()", "with torch.no_grad():\n        add[(1,)](x, y, z, 64, 64)", "z", ""),
    ('("z",)', "n = z.numel()\n    add[(1,)](x, y, z, n, 64)", "", ""),
    ('{"z"}', "maybe[(1,)](x, z, True)", "", ""),
    ("()", "maybe[(1,)](x, z, False)", "", ""),
    ('{"w"}', "add[(1,)](x, y, torch.empty_like(z), 64, 64)", "", "w"),
]


@pytest.mark.slow("torch is imported, and each op of a page is run")
def test_what_ops_mutate(tmp_path: Path) -> None:
    text = HEAD + "".join(
        OP.format(number=number, declared=declared, body="    " + body)
        for number, (declared, body, _, _) in enumerate(OPS)
        if '"w"' not in declared
    )
    refused = "".join(
        OP.format(number=number, declared=declared, body="    " + body)
        for number, (declared, body, _, _) in enumerate(OPS)
        if '"w"' in declared
    )
    file = tmp_path / "program.py"
    file.write_text(text)
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, str(HERE / "ops_child.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        reply = json.loads(line)
        declared, body, missing, extra = OPS[int(reply["op"][3:])]
        named = set(re.findall(r'"(\w)"', declared))
        if missing or "maybe" not in body:
            assert set(missing) == set(reply["changed"]) - named, (declared, body, reply)
        assert not set(extra) & set(reply["changed"]), (declared, body, reply)
        assert reply["passes"] == (not missing), (declared, body, reply)
    file.write_text(text + refused)
    with Agent(tmp_path) as agent:
        findings = [f for f in agent.analyze(file).findings if f["code"] == "mutates-args"]
    lines = (text + refused).splitlines()
    said: dict[int, list[str]] = {}
    for finding in findings:
        op = re.search(r"op_(\d+)", lines[finding["span"]["line"] - 1])
        name = re.search(r"(?:writes|lists) `(\w)`", finding["message"])
        assert op is not None
        assert name is not None
        said.setdefault(int(op[1]), []).append(name[1])
    for number, (declared, body, missing, extra) in enumerate(OPS):
        assert sorted(said.get(number, [])) == sorted(missing + extra), (declared, body, said.get(number))
