"""What Python runs while a kernel is compiled, a ``constexpr_function`` and a class of named tuples: every way to get
at one with every way to set what it does or makes, each run by real Python. Where that answers something else then, it
is not fixed in a kernel; where nothing is set, or something of another, it must be."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_python import answers, show_sources
from small_projects import is_fixed

from products import product

HEAD = (
    "import triton\nimport triton.language as tl\nfrom typing import NamedTuple\n"
    "from collections import namedtuple\n\n\n"
)
FUNCTIONS = (
    "@triton.constexpr_function\ndef C(on=0):\n    return on\n\n\n"
    "@triton.constexpr_function\ndef D(on=0):\n    return 1\n\n\n"
    "def plain(on=0):\n    return 1\n\n\n"
)
KERNEL = "@triton.jit\ndef kernel(p):\n    if {0} == 1:\n        tl.store(p, 1)\n"
GOT = {
    "attribute": "f = main.C",
    "imported": "from main import C\nf = C",
    "renamed": "from main import C as other\nf = other",
    "by text": "f = getattr(main, 'C')",
    "of several": "for f in (main.C,):\n    pass",
    "handed": "def of(j):\n    return j\n\n\nf = of(main.C)",
    "in a list": "js = [main.C]\nf = js[0]",
}
SETS = {
    "what it runs": "f.fn = main.plain",
    "what it runs by a text": "setattr(f, 'fn', main.plain)",
    "what it runs in a function": "def on(g):\n    g.fn = main.plain\n\n\non(f)",
    "what it runs, and more": "f.fn, _ = main.plain, 0",
    "its code": "f.fn.__code__ = main.plain.__code__",
    "its defaults": "f.fn.__defaults__ = (1,)",
    "its defaults by a text": "setattr(f.fn, '__defaults__', (1,))",
}
KEEPS = {
    "read": "print(f.fn, f.fn.__defaults__)",
    "another's": "main.D.fn = main.plain",
    "another's code": "main.D.fn.__code__ = main.plain.__code__",
    "an object's": "class K:\n    def __init__(self, fn):\n        self.fn = fn\n\n\nK(3)",
}
CLASSES = {
    "written": "class C(NamedTuple):\n    x: object\n    on: object = 0\n\n\n",
    "made": "C = namedtuple('C', 'x on', defaults=(0,))\n\n\n",
    "made of texts": "C = namedtuple('C', ['x', 'on'], defaults=[0])\n\n\n",
}
MAKES = {
    "defaults": "f.__new__.__defaults__ = (1,)",
    "as many as fields": "f.__new__.__defaults__ = (1,) * len(f._fields)",
    "defaults by a text": "setattr(f.__new__, '__defaults__', (1,))",
    "defaults in a function": "def on(g):\n    g.__new__.__defaults__ = (1,)\n\n\non(f)",
    "what makes it renamed": "new = f.__new__\nnew.__defaults__ = (1,)",
    "what makes it": "f.__new__ = lambda cls, x: tuple.__new__(cls, (x, 1))",
    "what makes it by a text": "setattr(f, '__new__', lambda cls, x: tuple.__new__(cls, (x, 1)))",
}
ASKED_FIELDS = {
    "a field": "f.on = property(lambda t: 1)",
    "a field by a text": "setattr(f, 'on', property(lambda t: 1))",
    "any field": "f.__getattribute__ = lambda t, name: 1",
}
LEAVES = {"read": "print(f._fields, f.__new__.__defaults__)", "told": "f.__doc__ = 'x'"}


def _texts(main: str, asked: str, got: str, body: str) -> dict[str, str]:
    return {
        "main": HEAD + main + KERNEL.format(asked),
        "other": f"import main\nimport triton.language as tl\n\n{got}\n{body}\n",
    }


def _answers(texts: dict[str, str], asked: str) -> list[str]:
    show_sources(texts)
    (seen,) = answers(texts, "main", [f"repr({asked})"])
    return [value for _, value in seen]


def _agree(folder: Path, texts: dict[str, str], asked: str, changes: bool) -> None:
    assert (len(set(_answers(texts, asked))) > 1) is changes
    assert is_fixed(folder, texts) is not changes


@pytest.mark.parametrize(("got", "body"), product(GOT, SETS))
def test_a_function_that_is_set(got: str, body: str, tmp_path: Path) -> None:
    _agree(tmp_path, _texts(FUNCTIONS, "C()", GOT[got], SETS[body]), "C.fn()", True)


@pytest.mark.parametrize(("got", "body"), product(GOT, KEEPS))
def test_a_function_that_is_not(got: str, body: str, tmp_path: Path) -> None:
    _agree(tmp_path, _texts(FUNCTIONS, "C()", GOT[got], KEEPS[body]), "C.fn()", False)


@pytest.mark.parametrize(("cls", "got", "body"), product(CLASSES, GOT, MAKES))
def test_how_a_named_tuple_is_made(cls: str, got: str, body: str, tmp_path: Path) -> None:
    _agree(tmp_path, _texts(CLASSES[cls], "C(p).on", GOT[got], MAKES[body]), "C(0).on", True)


@pytest.mark.parametrize(("cls", "got", "body"), product(CLASSES, GOT, ASKED_FIELDS))
def test_what_a_constant_one_has(cls: str, got: str, body: str, tmp_path: Path) -> None:
    main = f"{CLASSES[cls]}T = tl.constexpr(C(0))\n\n\n"
    _agree(tmp_path, _texts(main, "T.on", GOT[got], ASKED_FIELDS[body]), "T.value.on", True)


@pytest.mark.parametrize(("cls", "got", "body"), product(CLASSES, GOT, LEAVES))
def test_named_tuples_that_nothing_is_set_in(cls: str, got: str, body: str, tmp_path: Path) -> None:
    main = f"{CLASSES[cls]}T = tl.constexpr(C(0))\n\n\n"
    _agree(tmp_path, _texts(main, "C(p).on + T.on", GOT[got], LEAVES[body]), "C(0).on + T.value.on", False)
