"""The files that a hand types in: small ones of our own that depend on each other, the examples, another's package."""

from __future__ import annotations

import itertools
import os
import random
import shutil
from pathlib import Path

from hand.texts import encoded

ROOT = Path(__file__).parents[3]
LIGER = ROOT / ".cache" / "liger-kernel-0.8.5"

SIZES = '''\
"""Sizes that others import."""

import triton.language as tl

WIDTH = tl.constexpr(32)
SCALE = tl.constexpr(3)
ROWS = 4
'''
HELPERS = """\
import triton
import triton.language as tl

from sizes import SCALE


@triton.jit
def scaled(x):
    return x * SCALE


@triton.jit
def put(out_ptr, at, value, mask):
    tl.store(out_ptr + at, value, mask=mask)


@triton.jit
def fill_kernel(out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    put(out_ptr, at, scaled(at), at < n)
"""
KERNELS = """\
import torch
import triton
import triton.language as tl

from helpers import fill_kernel, put, scaled
from sizes import ROWS, WIDTH

EPSILON: tl.constexpr = tl.constexpr(1e-6)


@triton.jit
def copy_kernel(in_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(in_ptr + offsets, mask=mask)
    put(out_ptr, offsets, scaled(value), mask)


@triton.jit
def clobber_kernel(in_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(in_ptr + offsets, offsets)


@triton.jit
def mean(x, n):
    return tl.sum(x, axis=0) / n


@triton.jit
def norm_kernel(x_ptr, out_ptr, n):
    offsets = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    centred = x - mean(x, n)
    if n > 4:
        centred = centred / tl.sqrt(mean(centred * centred, n) + EPSILON)
    tl.store(out_ptr + offsets, centred)


@triton.jit
def wrong_kernel(x_ptr: "*fp32", y_ptr: "*fp32", out_ptr: "*fp32"):
    x = tl.load(x_ptr + tl.arange(0, 128))
    y = tl.load(y_ptr + tl.arange(0, 64))
    tl.store(out_ptr + tl.arange(0, 128), x + y)


@triton.jit
def endless(n):
    if n <= 1:
        return 1
    return n * endless(n - 1)


@triton.jit
def uses_endless(n_ptr, out_ptr):
    tl.store(out_ptr, endless(tl.load(n_ptr)))


def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    copy_kernel[(1,)](x, y, x.numel(), BLOCK=64)
    clobber_kernel[(1,)](x, BLOCK=64)
    norm_kernel[(ROWS,)](x, y, x.numel())
    fill_kernel[(1,)](y, y.numel(), BLOCK=32)
    return y
"""
LAUNCHES = """\
import torch

from kernels import clobber_kernel, norm_kernel


def go():
    x = torch.empty(32, dtype=torch.float16)
    clobber_kernel[(1,)](x, BLOCK=16)
    norm_kernel[(1,)](x, x, 32)
"""
OURS = {"sizes.py": SIZES, "helpers.py": HELPERS, "kernels.py": KERNELS, "launches.py": LAUNCHES}
SMALL = ("relu_squared", "geglu", "dyt", "swiglu", "softmax", "tvd", "rope", "layer_norm")


def make(root: Path, chance: random.Random, kind: str) -> list[str]:
    """Writes the files below the folder; the names of those that are opened first."""
    if kind == "examples":
        names = [path.name for path in sorted((ROOT / "examples").glob("*.py"))]
        for name in names:
            shutil.copy(ROOT / "examples" / name, root / name)
        return chance.sample([name for name in names if name != "flash_attention.py"], 2)
    if kind == "liger":
        folder = root / "liger_kernel" / "ops"
        folder.mkdir(parents=True)
        (root / "liger_kernel" / "__init__.py").touch()
        (folder / "__init__.py").touch()
        chosen = chance.sample(SMALL, 2)
        for name in (*chosen, "utils"):
            shutil.copy(LIGER / "liger_kernel" / "ops" / f"{name}.py", folder / f"{name}.py")
        return [f"liger_kernel/ops/{name}.py" for name in chosen]
    folders = ("one", "two") if kind == "two" else ("",)
    for folder, (name, text) in itertools.product(folders, OURS.items()):
        (root / folder).mkdir(exist_ok=True)
        said = text.replace("(32)", "(64)").replace("BLOCK=64", "BLOCK=16") if folder == "two" else text
        (root / folder / name).write_bytes(encoded(written(said, chance)))
    names = chance.sample(["kernels.py", "helpers.py"], 2) if chance.random() < 0.8 else ["kernels.py"]
    return [os.path.join(folder, name) for folder in folders for name in names]


def written(text: str, chance: random.Random) -> str:
    """The same as somebody else would have written it: with Windows' line ends, tabs, letters beyond UTF-16's units."""
    if chance.random() < 0.25:
        text = text.replace("    ", "\t")
    if chance.random() < 0.3:
        text = text.replace("    value = tl", '    "\U0001f600"; value = tl').replace("mask =", "\U0001d544ask =")
    if chance.random() < 0.15:
        text = "# -*- coding: latin-1 -*-\n" + text.replace("import triton", "import triton  # \u00e9\u00df", 1)
        text = text.replace("\U0001f600", "\u00e4").replace("\U0001d544", "\u00e4")
    elif chance.random() < 0.15:
        text = f"\ufeff{text}"
    return text.replace("\n", "\r\n") if chance.random() < 0.25 else text
