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
    "local": "n = {0}\n    if not n:\n        tl.store(ptr + tl.arange(0, 3), 1)",
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


SETTINGS = """\
FLAG = False
N = 3
OPTIONS = {"V": False}
LIST = [False]
PAIR = (False, 1)


class Held:
    it = False


def ask():
    return Held.it


def options():
    return {"V": FLAG}
"""
SET_SETTINGS = """\
import os
import settings

if os.environ.get("SET"):
    settings.FLAG = True
    settings.N = 4
    settings.OPTIONS["V"] = True
    settings.LIST[0] = True
    settings.PAIR = (True, 1)
    settings.Held.it = True
"""
LAUNCHES = {
    "module": "{0}[(1,)](ptr, V=settings.FLAG)",
    "positional": "{0}[(1,)](ptr, settings.FLAG)",
    "pair": "{0}[(1,)](ptr, V=settings.PAIR[0])",
    "class": "{0}[(1,)](ptr, V=settings.Held.it)",
    "function": "{0}[(1,)](ptr, V=settings.ask())",
    "options": "{0}[(1,)](ptr, **settings.options())",
    "local": "v = settings.FLAG\n    {0}[(1,)](ptr, V=v)",
    "either": "{0}[(1,)](ptr, V=True if settings.FLAG else False)",
    "compared": "{0}[(1,)](ptr, V=settings.N == 4)",
    "computed": "{0}[(1,)](ptr, V=bool(settings.N - 3))",
    "partial": "functools.partial({0}[(1,)], ptr)(V=settings.FLAG)",
    "getattr": "{0}[(1,)](ptr, V=getattr(settings, 'FLAG'))",
    "lambda": "{0}[(1,)](ptr, V=(lambda: settings.FLAG)())",
}
"""What passes False, and True once it is set."""
CONTAINERS = {
    "spread": "{0}[(1,)](ptr, **settings.OPTIONS)",
    "item": "{0}[(1,)](ptr, V=settings.OPTIONS['V'])",
    "list": "{0}[(1,)](ptr, V=settings.LIST[0])",
    "any": "{0}[(1,)](ptr, V=any(settings.LIST))",
}
"""The same; what is in them is a guess in a program that hands them on."""
PASSED_ON = ("test", "argument", "assertion", "lacking", "helper", "lacking_in_helper")


@pytest.mark.slow("about 100 kernels are compiled")
@pytest.mark.parametrize("is_set", [False, True])
def test_what_a_launch_passes_and_may_be_set_elsewhere_blames_nobody(is_set: bool, tmp_path: Path) -> None:
    """Where nothing sets it the kernel or the launch is told."""
    kernels, launches, names = "", "", list[str]()
    for (way, launch), use in product((LAUNCHES | (CONTAINERS if is_set else {})).items(), PASSED_ON):
        names.append(f"{way}_{use}")
        code = USES[use].format("V")
        kernels += f"@triton.jit\ndef {names[-1]}(ptr, V: tl.constexpr):\n    {code}\n\n\n"
        launches += f"def launch_{names[-1]}():\n    ptr = torch.zeros(8)\n    {launch.format(names[-1])}\n\n\n"
    (tmp_path / "config.py").write_text(CONFIG)
    (tmp_path / "settings.py").write_text(SETTINGS)
    (tmp_path / "set.py").write_text(SET_SETTINGS if is_set else "")
    (tmp_path / "program.py").write_text(f"import functools\nimport settings\n{HEAD}{kernels}{launches}")
    with Agent(tmp_path, patient=True) as agent:
        reports = agent.analyze(tmp_path / "program.py").reports
    # An error in a helper is a finding of the first kernel that runs into it, and a problem of each.
    told = {name: [p["code"] for p in reports[name]["problems"]] for name in names}
    accused = [
        name
        for name in names
        if "compile-error" in told[name] or any(f["severity"] == "error" for f in reports[name]["findings"])
    ]
    assert accused == ([] if is_set else names)
