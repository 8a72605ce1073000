"""What a glance at a text says of whether a name's object is handed on there, or set something of, against what its
tree says: no place that may do so is missed, and words in prose are none."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernel_analysis.host.changes.text.text_holds import may_give
from kernel_analysis.host.changes.uses import Beside, Kept, occurrences, use
from kernel_analysis.kernels.project import Project

GIVES = [
    "f(X)", "f(a.X)", "y = X", "y = a.X", "y = [a.X]", "f(\n    a\n    .X,\n)", "X.fn = 1", "a.X.fn = 1", "a.X.fn += 1",
    "a.X.__dict__", "setattr(a.X, 'fn', 1)", "f(a['X'])", "f(a[('X')])", "f(a['m.X'])", 'f(a["""X"""])',
    "f(a['m.' 'X'])", "f(getattr(a, 'X'))", "f(getattr(a,  # why\n    'X'))", "f(getattr(a, ('X')))",
    "f(getattr(b(a), r'X'))",
    "f(X := y)", "lambda: a.X", "exec('f(X)')", "exec('''\nX.fn = 1\n''')", "exec('f(a' '.X)')", '""">>> f(X)\n"""',
    "f(f'{g(X)}')", "for y in X, 1:\n    pass", "a.X[1](2)", "return_(a.X)", "from m import X; f(X)", "f(a=X)",
    "with a.X:\n    pass", "f(a. X)", "f(a.\\\nX)",
]  # fmt: skip
GIVES_NOT = [
    "y = 1  # f(X)", '"""What X is (or X was)."""', "'''f(X), if X is'''", "f('X')", "f(a, b='X')", "f('X', 1)",
    "y = 'X'", "y == 'X'", "y in 'X'", "{'X': 1}", "X(1)", "a.X(1)", "X.y(1)", "a.X.y(1)", "X = 1", "X=1", "f(X=1)",
    "import X",
    "from m import X", "from m import (\n    Y,  # why\n    X,\n)", "def X(): pass", "f('an X (or two)')",
]  # fmt: skip


@pytest.mark.parametrize("text", GIVES)
def test_what_is_handed_on_is_seen(text: str) -> None:
    ast.parse(text)
    for said in (text, f"import m\n\n{text}\n", f"'''Of X.'''\nif y:\n    pass  # X\n{text}\n"):
        assert may_give(said, "X", "fn"), said


@pytest.mark.parametrize("text", GIVES_NOT)
def test_what_is_looked_up_or_prose_is_not(text: str) -> None:
    ast.parse(text)
    for said in (text, f"import m\n\n{text}\n", f"'''Of X.'''\nif y:\n    pass  # X\n{text}\n"):
        assert not may_give(said, "X", "fn"), said


def test_all_of_a_text_counts_where_no_string_can_be_told() -> None:
    assert may_give('f(1)\ny = "never ends\n# and X, of course\n', "X")


def libraries() -> Iterator[Path]:
    folder = Path(os.__file__).parent
    yield from (path for name in ("unittest", "importlib") for path in folder.joinpath(name).glob("*.py"))
    yield from (folder / name for name in ("typing.py", "enum.py", "functools.py"))


def keeps(call: ast.Call | Beside, _position: int | str | None) -> Kept:
    return "all" if isinstance(call, ast.Call) else "nothing"


@pytest.mark.slow("reads some of Python's own library")
def test_pythons_own_files() -> None:
    project = Project([], [])
    given = spared = 0
    for path in libraries():
        module = project.load(str(path))
        words = {
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute | ast.Name)
        }
        for word in words:
            places = [at for at in occurrences(module, word) if isinstance(at.chain[0], ast.Name | ast.Attribute)]
            made = [use(at, keeps) for at in places if isinstance(getattr(at.chain[0], "ctx", None), ast.Load)]
            if any(m is not None and m.kind == "held" and m.first is None for m in made):
                assert may_give(module.text, word), (path, word)
                given += 1
            else:
                spared += not may_give(module.text, word)
    assert given > 500
    assert spared > 500, f"{spared} beside {given}"
