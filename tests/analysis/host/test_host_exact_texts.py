"""Which texts a name may be: every way to bind it with every way to change what it is bound from, run by Python. What
is said to be all of them has each that Python has."""

from __future__ import annotations

import ast
import itertools
import sys
from pathlib import Path

import pytest

from agent.process import Agent
from kernel_analysis.host.names.spelled_texts import exactly, texts
from kernel_analysis.kernels.project import Project

ROWS = '(("one", 1), ("two", 2))'
EXACT = {
    "assigned": 'name = "one"\n    use(name)',
    "chosen": 'name = "one" if given else "two"\n    use(name)',
    "another name": 'other = "one"\n    name = other\n    use(name)',
    "a loop": 'for name in ("one", "two"):\n        use(name)',
    "a list": 'for name in ["one", "two"]:\n        use(name)',
    "rows": f"for name, value in {ROWS}:\n        use(name)",
    "rows by a name": f"rows = {ROWS}\n    for name, value in rows:\n        use(name)",
    "keys": 'for name, value in {"one": 1, "two": 2}.items():\n        use(name)',
    "itself": 'use("one")',
}
OTHER = {
    "letters": 'for name in "one":\n        use(name)',
    "letters of rows": 'for name, value in ("ab", "cd"):\n        use(name)',
    "unpacked": 'name, value = "ab"\n    use(name)',
    "upper": 'for name in ("one", "two"):\n        use(name.upper())',
    "put together": 'name = "one"\n    name += "two"\n    use(name)',
    "set again": 'for name in ("one", "two"):\n        name = name + "three"\n        use(name)',
    "a function's": "def inner(name):\n        use(name)\n    inner('one')\n    inner(''.join(['t', 'wo']))",
    "global": "set_it()\n    use(GLOBAL)",
    "nonlocal": (
        "name = 'one'\n    def inner():\n        nonlocal name\n        name = given + 'x'\n    inner()\n    use(name)"
    ),
    "a starred row": 'rest = [("x" + given, 1)]\n    for name, value in (("one", 1), *rest):\n        use(name)',
    "a star": 'for value, *name in ((1, "one"),):\n        use(name[0])',
    "more is put in": 'rows = ["one"]\n    rows.append(given + "y")\n    for name in rows:\n        use(name)',
    "a row is put in": (
        'rows = [["one", 1]]\n    rows[0][0] = given + "y"\n    for name, value in rows:\n        use(name)'
    ),
    "caught": "try:\n        raise ValueError(given)\n    except ValueError as name:\n        use(name.args[0])",
    "matched": "match given:\n        case name:\n            use(name)",
    "walrus": 'if (name := given + "z"):\n        use(name)',
    "a with": "with opened(given) as name:\n        use(name)",
    "after a loop": 'for name in ("one", "two"):\n        pass\n    for name in (given,):\n        pass\n    use(name)',
    "deleted": "name = 'one'\n    del name\n    name = given\n    use(name)",
}
HEAD = """\
import contextlib

GLOBAL = "one"


def set_it():
    global GLOBAL
    GLOBAL = "other"


@contextlib.contextmanager
def opened(what):
    yield what


def place(given):
    BODY


place("given")
place("")
"""


def said_and_seen(folder: Path, body: str) -> tuple[list[frozenset[str] | None], set[str]]:
    text = HEAD.replace("BODY", body)
    (folder / "m.py").write_text(text)
    project = Project([str(folder)], sys.path, patient=True)
    module = project.module(str(folder / "m.py"))
    said: list[frozenset[str] | None] = []

    def walk(node: ast.AST, around: tuple[ast.AST, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            inside = (*around, child) if isinstance(child, ast.FunctionDef) else around
            if isinstance(child, ast.Call) and getattr(child.func, "id", "") == "use":
                scope = project.resolver.scope(module, around)
                said.append(exactly(project.resolver, scope, child.args[0]))
                said.append(texts(project.resolver, scope, child.args[0]) or None)
            walk(child, inside)

    walk(module.tree, ())
    seen: set[str] = set()
    exec(text, {"use": seen.add})
    return said, {one for one in seen if one}


@pytest.mark.parametrize("form", list(EXACT))
def test_they_are_known(tmp_path: Path, form: str) -> None:
    said, seen = said_and_seen(tmp_path, EXACT[form])
    assert said[0] is not None
    assert said[0] == seen


@pytest.mark.parametrize("form", list(OTHER))
def test_no_other_is_called_known(tmp_path: Path, form: str) -> None:
    said, seen = said_and_seen(tmp_path, OTHER[form])
    assert seen
    assert all(one is None or one >= seen for one in said)


@pytest.mark.parametrize(("first", "second"), [*itertools.product(EXACT, [*EXACT, *OTHER])])
def test_one_after_the_other(tmp_path: Path, first: str, second: str) -> None:
    body = f"{EXACT[first].replace('use(', 'print(')}\n    {(EXACT | OTHER)[second]}".replace("print(", "str(")
    said, seen = said_and_seen(tmp_path, body)
    assert all(one is None or one >= seen for one in said)


KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def k(x, out):
    tl.store(out, tl.load(x))
"""
SETS = """\
import triton.language as tl


def put(old, other):
    for name, value in ((NAME, old), ("_second", other)):
        setattr(tl, name, value)


def load(path):
    return path, "run", "configs", "add", "int64", "jit", "load", "store"
"""


@pytest.mark.parametrize(("name", "changed"), [("'_first'", False), ("'load'", True)])
def test_what_a_loop_sets_is_what_its_rows_say(tmp_path: Path, name: str, changed: bool) -> None:
    (tmp_path / "k.py").write_text(KERNEL)
    (tmp_path / "sets.py").write_text(SETS.replace("NAME", name))
    with Agent(tmp_path, patient=True) as agent:
        report = agent.analyze(tmp_path / "k.py").reports["k"]
    assert any(one["reason"] for one in report["parameters"]) == changed
