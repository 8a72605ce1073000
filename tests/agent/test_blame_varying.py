"""Who is blamed for an error that hangs on what the workspace may change: nobody, however the kernel comes by it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from agent.process import Agent

CONFIG = """\
import triton
import triton.language as tl
FLAG = tl.constexpr(False)


class Held:
    it = False


@triton.constexpr_function
def ask():
    return Held.it


@triton.constexpr_function
def turned(value):
    return value
"""
SET = """\
import os
import config

if os.environ.get("SET"):
    config.FLAG = config.tl.constexpr(True)
    config.Held.it = True
"""
HEAD = """\
import torch
import triton
import triton.language as tl
import config
from config import Held, ask, turned


@triton.constexpr_function
def own():
    return Held.it


@triton.constexpr_function
def through():
    return own()


@triton.constexpr_function
def compared(value):
    return value == Held.it


@triton.constexpr_function
def chosen(functions):
    return functions[0]()


@triton.jit
def told(value: tl.constexpr):
    n: tl.constexpr = 4 if value else 3
    return n


@triton.jit
def told_itself():
    n: tl.constexpr = 4 if ask() else 3
    return n


@triton.jit
def blocks(ptr, n: tl.constexpr):
    tl.store(ptr + tl.arange(0, n), 1)


@triton.jit
def fails_unless(ptr, value: tl.constexpr):
    if not value:
        tl.store(ptr + tl.arange(0, 3), 1)


@triton.jit
def lacks_unless(ptr, value: tl.constexpr):
    if not value:
        tl.store(ptr, tl.nothing_of_this_name(1))


@triton.jit
def passes_on(ptr, value: tl.constexpr):
    lacks_unless(ptr, value)


"""
WAYS = {
    "module": "config.FLAG",
    "class": "config.Held.it",
    "imported": "Held.it",
    "function": "ask()",
    "of_module": "config.ask()",
    "own": "own()",
    "through": "through()",
    "compared": "compared(True)",
    "not_compared": "(not compared(False))",
    "parameter": "(ask() == W)",
    "helper": "(told(ask()) == 4)",
    "itself": "(told_itself() == 4)",
    "handed": "turned(Held.it)",
}
"""What is False, and True once it is set."""
USES = {
    "test": "if not {0}:\n        tl.store(ptr + tl.arange(0, 3), 1)",
    "local": "n: tl.constexpr = {0}\n    if not n:\n        tl.store(ptr + tl.arange(0, 3), 1)",
    "argument": "tl.store(ptr + tl.arange(0, 4 if {0} else 3), 1)",
    "size": "n: tl.constexpr = 4 if {0} else 3\n    tl.store(ptr + tl.arange(0, n), 1)",
    "shape": "tl.store(ptr + tl.arange(0, 4), tl.zeros((4 if {0} else 3,), tl.float32))",
    "assertion": "tl.static_assert({0})",
    "leaves": "if {0}:\n        return\n    tl.store(ptr + tl.arange(0, 3), 1)",
    "turns": "for _ in tl.static_range(0 if {0} else 1):\n        tl.store(ptr + tl.arange(0, 3), 1)",
    "helper": "blocks(ptr, 4 if {0} else 3)",
    "in_helper": "fails_unless(ptr, {0})",
    "lacking_in_helper": "lacks_unless(ptr, {0})",
    "passed_on": "passes_on(ptr, {0})",
    "wrong": "if not {0}:\n        tl.store(ptr, (1,) + tl.arange(0, 4))",
    "lacking": "if not {0}:\n        tl.store(ptr, tl.nothing_of_this_name(1))",
    "unbound": "if not {0}:\n        tl.store(ptr, nothing_of_this_name)",
    "either": "tl.store(ptr, 1 if {0} else tl.arange(0, 3))",
}


def _program() -> tuple[str, list[str]]:
    text, launches, names = HEAD, list[str](), list[str]()
    for (way, value), (use, code) in product(WAYS.items(), USES.items()):
        name = f"{way}_{use}"
        text += f"@triton.jit\ndef {name}(ptr, W: tl.constexpr):\n    {code.format(value)}\n\n\n"
        launches.append(f"    {name}[(1,)](ptr, True)\n")
        names.append(name)
    return f"{text}def launch():\n    ptr = torch.zeros(8)\n{''.join(launches)}", names


@pytest.mark.slow("208 kernels are compiled")
@pytest.mark.parametrize("is_set", [False, True])
def test_what_may_be_set_elsewhere_blames_nobody(is_set: bool, tmp_path: Path) -> None:
    """Where nothing sets it each of them is told."""
    text, names = _program()
    (tmp_path / "config.py").write_text(CONFIG)
    (tmp_path / "set.py").write_text(SET if is_set else "")
    (tmp_path / "program.py").write_text(text)
    with Agent(tmp_path, patient=True) as agent:
        reports = agent.analyze(tmp_path / "program.py").reports
    accused = [name for name in names if any(p["code"] == "compile-error" for p in reports[name]["problems"])]
    assert accused == ([] if is_set else names)
