"""Whether what a call raises comes to whoever runs the code around: every way to stand around it with everything that
may take what is raised, each run by real Python. What is taken is never said to come through."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.host.tensors.come_to.let_through import lets_through
from kernel_analysis.host.tensors.placing import place
from kernel_analysis.kernels.project import Project
from products import product

HEAD = """import contextlib
import functools
import threading
import unittest
import unittest.mock

import torch


class Raised(RuntimeError):
    pass


def raises():
    raise Raised


"""
MANAGERS = {
    "none": "contextlib.nullcontext()",
    "torch's": "torch.no_grad()",
    "a lock": "threading.Lock()",
    "mock": "unittest.mock.patch.object(contextlib, 'nullcontext')",
    "suppress": "contextlib.suppress(Exception)",
    "suppress by another name": "quiet(Exception)",
    "of unittest": "unittest.TestCase().assertRaises(Raised)",
    "a generator that goes on": "goes_on()",
    "a generator with a manager": "managed()",
    "a generator that takes": "takes()",
    "a generator that takes by another": "takes_by_another()",
    "a class that goes on": "GoesOn()",
    "a class that takes": "Takes()",
    "a class that takes by its base": "TakesToo()",
    "a class that takes by an attribute": "TakesLater()",
    "a stack": "stack()",
    "one of two": "(contextlib.nullcontext() if __debug__ else 1)",
    "a method's": "Gives().manager()",
    "an attribute": "Gives.also",
    "a local name": "(lambda made: made)(contextlib.suppress(Exception))",
}
OTHER = "def other(g):\n    try:\n        g()\n    except Exception:\n        pass\n"
FUNCTIONS = {
    "calls": "def taker(f):\n    return f()\n",
    "calls in a with": "def taker(f):\n    with torch.no_grad():\n        return f()\n",
    "tries, and raises": "def taker(f):\n    try:\n        return f()\n    except Exception:\n        raise\n",
    "tries": "def taker(f):\n    try:\n        return f()\n    except Exception as error:\n        return error\n",
    "tries in the end": "def taker(f):\n    try:\n        f()\n    finally:\n        return 1\n",
    "suppresses": "def taker(f):\n    with contextlib.suppress(Exception):\n        f()\n",
    "hands on": f"{OTHER}def taker(f):\n    other(f)\n",
    "hands on by another name": f"{OTHER}def taker(f):\n    g = f\n    other(g)\n",
    "hands on in a list": f"{OTHER}def taker(f):\n    other([f].pop())\n",
    "hands on in a function": f"{OTHER}def taker(f):\n    def call():\n        f()\n    other(call)\n",
    "is decorated": (
        "def quietly(f):\n    def call(*a, **k):\n        with contextlib.suppress(Exception):\n"
        "            return f(*a, **k)\n    return call\n@quietly\ndef taker(f):\n    f()\n"
    ),
    "hands on to one that calls": "def other(g):\n    g()\ndef taker(f):\n    other(f)\n",
    "hands on by a method": (
        f"{OTHER}class Runs:\n    def run(self, f):\n        other(f)\n"
        "def taker(f):\n    Runs().run(f)\n"
    ),
    "hands on in a lambda": (
        f"{OTHER}def taker(f):\n    other(lambda: f())\n"
    ),
    "wraps": "def taker(f):\n    @functools.wraps(f)\n    def call():\n        return f()\n    return call()\n",
    "a class": "class taker:\n    def __init__(self, f):\n        f()\n",
    "a class that takes": (
        f"{OTHER}class taker:\n    def __init__(self, f):\n        other(f)\n"
    ),
    "a library's": "taker = functools.partial(map, lambda f: f())\n",
    "a shadowed manager": (
        "def taker(f):\n    def go(torch):\n        with torch():\n            f()\n"
        "    go(lambda: contextlib.suppress(Exception))\n"
    ),
    "never calls": "def taker(f):\n    return f\n",
}  # fmt: skip
STANDS = {
    "handed": "taker(lambda: {call})\n",
    "handed by its name": "def go():\n    {call}\ntaker(go)\n",
    "handed in a partial": "def go():\n    {call}\ntaker(functools.partial(go))\n",
    "handed by another's name": "def go():\n    {call}\ndef more():\n    go()\ntaker(more)\n",
    "handed by keyword": "taker(f=lambda: {call})\n",
    "decorated": "@taker\ndef go():\n    {call}\n",
    "in a method": (
        "class A:\n    def go(self):\n        {call}\n    def run(self):\n        taker(self.go)\nA().run()\n"
    ),
}
MORE = """quiet = contextlib.suppress


@contextlib.contextmanager
def goes_on():
    try:
        yield
    finally:
        pass


@contextlib.contextmanager
def managed():
    with torch.no_grad():
        yield


@contextlib.contextmanager
def takes():
    try:
        yield
    except Exception:
        pass


@contextlib.contextmanager
def takes_by_another():
    with quiet(Exception):
        yield


class GoesOn:
    def __enter__(self):
        pass

    def __exit__(self, *about):
        return None


class Takes:
    def __enter__(self):
        pass

    def __exit__(self, *about):
        return about[0] is Raised


class TakesToo(Takes):
    pass


def stack():
    made = contextlib.ExitStack()
    made.enter_context(quiet(Exception))
    return made


class Gives:
    also = contextlib.suppress(Exception)

    def manager(self):
        return self.also


"""
LATE = """class TakesLater:
    def __enter__(self):
        pass


TakesLater.__exit__ = Takes.__exit__


"""
THROUGH = {
    "none",
    "torch's",
    "a lock",
    "a generator that goes on",
    "a generator with a manager",
    "a class that goes on",
}
"""Managers of which it is known."""


def judged(folder: Path, text: str) -> tuple[bool, bool]:
    """Whether what is raised comes out of the file, and whether that is said."""
    made = compile(text, "main.py", "exec", dont_inherit=True)
    namespace: dict[str, Any] = {"__name__": "main"}
    comes = False
    with contextlib.suppress(TypeError, AttributeError):
        try:
            exec(made, namespace)  # the test's own text
        except RuntimeError:
            comes = True
    (folder / "main.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    module = project.module(str(folder / "main.py"))
    calls = [n for n in ast.walk(module.tree) if isinstance(n, ast.Call)]
    at = place(project.resolver, module, next(n for n in calls if ast.unparse(n) == "raises()"))
    assert at is not None
    return comes, lets_through(at)


@pytest.mark.parametrize("how", MANAGERS)
def test_managers(how: str, tmp_path: Path) -> None:
    more = LATE if "Later" in MANAGERS[how] else ""
    text = f"{HEAD}{MORE}{more}with {MANAGERS[how]}:\n    raises()\n"
    comes, said = judged(tmp_path, text)
    assert comes or not said
    assert said or how not in THROUGH


@pytest.mark.parametrize(("function", "stands"), product(FUNCTIONS, STANDS))
def test_what_it_is_handed_to(function: str, stands: str, tmp_path: Path) -> None:
    text = f"{HEAD}{FUNCTIONS[function]}{STANDS[stands].format(call='raises()')}"
    comes, said = judged(tmp_path, text)
    if function != "never calls":  # nobody sees what is not raised
        assert comes or not said
    if function in ("calls", "calls in a with", "hands on to one that calls") and stands != "in a method":
        assert said
