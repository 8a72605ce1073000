"""Runs each kernel of a file once and twice on Triton's interpreter, in a child process of a test, and tells which give
something else the second time."""

from __future__ import annotations

import json
import runpy
import sys
from typing import Any

import torch


def tensors() -> dict[str, torch.Tensor]:
    made = torch.Generator().manual_seed(0)
    return {
        "x": torch.rand(64, generator=made) * 3 - 1,
        "y": torch.rand(64, generator=made) + 0.5,
        "i": torch.randint(0, 7, (64,), generator=made, dtype=torch.int32),
    }


def after(kernel: Any, times: int) -> dict[str, torch.Tensor]:
    given = tensors()
    for _ in range(times):
        kernel[(1,)](**given, n=60, s=3, BLOCK=64)
    return given


for file in sys.argv[1:]:
    for name, made in runpy.run_path(file, run_name="program").items():
        if name.startswith("kernel_"):
            once, twice = after(made.fn, 1), after(made.fn, 2)
            differs = any(not torch.equal(once[key], twice[key]) for key in once)
            sys.stdout.write(json.dumps({"kernel": name, "differs": differs}) + "\n")
