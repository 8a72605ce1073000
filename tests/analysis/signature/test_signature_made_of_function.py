"""What is done with Python's function before Triton's ``jit`` is called with it, every way in the same file and in
another: real Triton says whether something else is compiled than stands there, and then nothing is said of it."""

from __future__ import annotations

import importlib
import itertools
import sys
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project

pytest.importorskip("triton")

HEAD = "import functools\nimport inspect\nimport triton\nimport triton.language as tl\n\n\n"
FUNCTIONS = """
def other(x, y, n):
    tl.store(y, n)


def f(x, y, n):
    tl.store(x, n)


def plain(*given):
    pass
"""
MAKE = "\n\nk = triton.jit({m}f)\n"
CHANGES = {
    "code": "{m}f.__code__ = {m}other.__code__",
    "code by text": "setattr({m}f, '__code__', {m}other.__code__)",
    "code of a second name": "g = {m}f\ng.__code__ = {m}other.__code__",
    "code of a parameter": "def change(f):\n    f.__code__ = {m}other.__code__\n\n\nchange({m}f)",
    "code in a loop": "for g in ({m}f,):\n    g.__code__ = {m}other.__code__",
    "annotations": "{m}f.__annotations__ = {{'n': tl.constexpr}}",
    "an annotation": "{m}f.__annotations__['n'] = tl.constexpr",
    "more annotations": "{m}f.__annotations__.update(n=tl.constexpr)",
    "annotations by text": "getattr({m}f, '__annotations__')['n'] = tl.constexpr",
    "signature": "{m}f.__signature__ = inspect.signature(lambda y, x, n: 0)",
    "wrapped": "{m}f.__wrapped__ = {m}other",
    "a wrapper": "functools.update_wrapper({m}f, {m}other)",
    "a wrapper by another name": "make = functools.update_wrapper\nmake({m}f, {m}other)",
    "a wrapper by a decorator": "functools.wraps({m}other)({m}f)",
    "a wrapper by a decorator that is kept": "wrap = functools.wraps({m}other)\nwrap({m}f)",
    "a decorator that is given to one": (
        "def wrapped(wraps):\n    wraps({m}other)({m}f)\n    return lambda g: g\n\n\n"
        "@wrapped(functools.wraps)\ndef g(*given):\n    pass"
    ),
}
HARMLESS = {
    "nothing": "",
    "an attribute": "{m}f.note = 1",
    "annotations are read": "print({m}f.__annotations__)",
    "another wraps it": "@functools.wraps({m}f)\ndef g(*given):\n    pass",
    "a text of code in which another wraps it": 'TEXT = "import functools\\n@functools.wraps(f)\\ndef g(): pass"',
    "another is made its wrapper": "def g(*given):\n    pass\n\n\nfunctools.update_wrapper(g, {m}f)",
    "an object is": (
        "class Holder:\n    def __init__(self, f):\n        functools.update_wrapper(self, f)\n\n\n"
        "holder = Holder({m}plain)"
    ),
    "another's code": "{m}plain.__code__ = (lambda *given: 0).__code__",
}
WHERE = {"here": "", "other file": "main."}


def compiled(folder: Path, change: str, where: str, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, str | None]:
    """Whether Triton takes the function for what stands there, and why nothing is said of it."""
    name = WHERE[where]
    text = change.format(m=name)
    files = {"main": FUNCTIONS + ("" if name else f"\n\n{text}\n{MAKE.format(m='')}")}
    if name:
        files["other_file"] = f"import main\n\n{text}\n{MAKE.format(m=name)}"
    monkeypatch.syspath_prepend(str(folder))
    made: list[Any] = []
    for module, body in files.items():
        (folder / f"{module}.py").write_text(HEAD + body, encoding="utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)
    try:
        made += [importlib.import_module(module) for module in files]  # the tests' own text
    finally:
        for module in files:
            sys.modules.pop(module, None)
    kernel = made[-1].k
    as_it_stands = "def f" in kernel.src and kernel.arg_names == ["x", "y", "n"]
    as_it_stands = as_it_stands and not any(parameter.is_constexpr for parameter in kernel.params)
    project = Project([str(folder)], [], patient=True)
    loaded = [f for file in files for f in project.module(str(folder / f"{file}.py")).functions]
    (function,) = [f for f in loaded if f.name == "f"]
    try:
        cut(project, function)
    except NotCut as why:
        return as_it_stands, str(why)
    return as_it_stands, None


@pytest.mark.parametrize(("change", "where"), [*itertools.product(CHANGES, WHERE)])
def test_something_else_is_made_of_it(change: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_it_stands, why = compiled(tmp_path, CHANGES[change], where, monkeypatch)
    assert not as_it_stands
    assert why is not None


@pytest.mark.parametrize(("harmless", "where"), [*itertools.product(HARMLESS, WHERE)])
def test_it_stays_what_stands_there(harmless: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(tmp_path, HARMLESS[harmless], where, monkeypatch) == (True, None)


def test_a_file_that_never_has_it_makes_it_no_wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = "import functools\n\n\ndef made(wrapper, wrapped):\n    return functools.update_wrapper(wrapper, wrapped)\n"
    (tmp_path / "six.py").write_text(made, encoding="utf-8")
    assert compiled(tmp_path, "import six", "here", monkeypatch) == (True, None)
