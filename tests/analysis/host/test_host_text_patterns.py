"""What a glance at a text says of a word against what its tree says: nothing that sets, or hands on, is missed."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernel_analysis.host.changes.text.text_patterns import keys, may_hold, may_set, set_in_strings
from kernel_analysis.host.changes.uses import Beside, Kept, occurrences, use
from kernel_analysis.kernels.project import Project

SETS = [
    "m.X = 1", "m.X += 1", "m.X //= 2", "m.X: int = 1", "m.X, y = 1, 2", "y, m.X = 1, 2", "(m.X) = 1", "[m.X] = [1]",
    "(m.X  # why\n) = 1", "m.X = m.Y = 1", "y = m.X = 1",
    "for m.X in range(3):\n    pass", "for m.X, y in ():\n    pass",
    "for (y, m.X) in ():\n    pass", "with f() as m.X:\n    pass", "with f() as m.X, g():\n    pass",
    "with (f() as m.X):\n    pass", "with (f() as m.X,\n      g()):\n    pass", "del m.X", "del (m.X)",
    "del (y,\n     m.X)",
    "del y, \\\n    m.X", "del (a[0],\n     m.X)", "if y: m.X = 1", "else_ = 1; m.X = 2", "for y in a, b: m.X = 1",
    "if a and \\\n  b: m.X = 1", "try: m.X = 1\nfinally: m.X = 2", "class C: m.X = 1", "def f(a, b: int): m.X = 1",
    "def f(a) -> int: m.X = 1", "m \\\n  .X = 1", "(m.\n X) = 1", "(m.  # why\n X) = 1",
    "*m.X, y = z", "[y for m.X in z]",
    'setattr(m, "X", 1)', "setattr(m, 'X', 1)", 'patch("m.X", 1)', 'setattr(\n    m,\n    "X",\n    1)',
    "if (a,\n    b): m.X = 1", "while a, b: m.X = 1", "match a, b:\n    case c, d: m.X = 1", "m.X=1",
    "del m.Y, m.X", "for a in (1,\n    2), c: m.X = 3", "lambda: 0; m.X = 2", "m.X |= 1", "m.X @= y", "m.X >>= 1",
]  # fmt: skip
ONLY_READS = [
    "class A(m.X): pass", "class A(\n    m.X,\n    B,\n):\n    pass", "def f(a: m.X, b): pass", "def f(a) -> m.X: pass",
    "def f(\n    self, a: m.X, b: int = 1\n): pass", "def f(\n    a: list[m.X] | None = None,\n): pass", "y = m.X",
    "y = m.X + 1", "m.X(1)", "m.X[0] = 1", "m.X.y = 1", "f(m.X)", "y: m.X = 1", "# m.X = 1", "if m.X == 1:\n    pass",
    "from m.X import y", "isinstance(a, m.X)", "@m.X('a')\ndef f(): pass", "X = 1", "y = X", 'y = "an X of m"',
]  # fmt: skip
HOLDS = [
    "f(X)", "y = X", "y = [X]", "y = X.items()", "return_(X)", "(X).y", "y = {a: X}", "f(a=X)", "f(\n    X,\n)",
    "setattr(X, name, 1)", "lambda: X", "def f(a=X): pass", "y: int = X",
]  # fmt: skip
HOLDS_NOT = [
    "class A(X): pass", "class A(\n    X,\n): pass", "from m import X", "from m import (\n    Y,  # why\n    X,\n)",
    "X(1)", "X.y(1)", "X.y = 1", "# f(X)", "m.X", "import X", "@X.register('a')\nclass A: pass", "def f(a: X): pass",
]  # fmt: skip


KEYED = [
    'd["X"]', "d['X'] = 1", "'''X'''", "update(X=1)", "update(X = 1)", "update(y, X  # why\n  = 1)", "dict(a=1, X=2)",
    "X=1", "f(f'X')", "'a''X'",
]  # fmt: skip
NOT_KEYED = ["X", "f(X)", "m.X == 1", "'XY'", '"aX"', "XX=1", "X == 1", "y: X = 1", "y:X=1", "a['y'].X", "X != 1"]


@pytest.mark.parametrize("text", KEYED)
def test_a_key_is_seen(text: str) -> None:
    assert keys(text, "X")
    assert keys(f"Y = 1\n{text}\n", "X")


@pytest.mark.parametrize("text", NOT_KEYED)
def test_what_is_no_key_is_none(text: str) -> None:
    assert not keys(text, "X")


@pytest.mark.parametrize("text", SETS)
def test_a_store_is_seen(text: str) -> None:
    assert may_set(text, "X")
    assert may_set("import m\n\n\n" + text + "\n", "X")


@pytest.mark.parametrize("text", SETS)
def test_a_store_in_a_text_is_seen(text: str) -> None:
    """However it is written down: in one string or in two, wherever it is parted."""
    written = [f"{text!r}", f"f{text!r}", f"'y = 1;' {text!r}", f"[\n    {text!r},\n    1,\n]  # why"]
    written.append('"""\n' + text.replace("\\", "\\\\") + '\n"""')
    if "\\" not in text:
        written += [f"r'''{text}'''", f"r'a\\n#' '''\n{text}'''"]
    for at in range(1, len(text)):
        one, two = repr(text[:at]), repr(text[at:])
        written += [f"{one} {two}", f"{one} + {two}", f"({one}\n  # why\n  {two})", f"{one} \\\n f{two}"]
    for said in written:
        assert "X" in set_in_strings(f"import m\nexec({said})\n"), said


@pytest.mark.parametrize("text", SETS + ONLY_READS)
def test_code_is_no_text_that_is_run(text: str) -> None:
    assert "X" not in set_in_strings(f"import m\n{text}\n# exec('m.X = 1')\n")


@pytest.mark.parametrize("text", ONLY_READS)
def test_a_read_is_none(text: str) -> None:
    assert not may_set("import m\n" + text + "\n", "X")


@pytest.mark.parametrize("text", HOLDS)
def test_what_is_handed_on_is_seen(text: str) -> None:
    assert may_hold(text + "\n", "X")


@pytest.mark.parametrize("text", HOLDS_NOT)
def test_what_is_looked_up_is_not_handed_on(text: str) -> None:
    assert not may_hold(text + "\n", "X")


def libraries() -> Iterator[Path]:
    """Some of Python's own files, written by many people."""
    folder = Path(os.__file__).parent
    yield from (path for name in ("unittest", "importlib") for path in folder.joinpath(name).glob("*.py"))
    yield from (folder / name for name in ("typing.py", "enum.py"))


def keeps(call: ast.Call | Beside, _position: int | str | None) -> Kept:
    return "all" if isinstance(call, ast.Call) else "nothing"


@pytest.mark.slow("reads all of Python's own library")
def test_pythons_own_files() -> None:
    project = Project([], [])
    stores = spared = words = 0
    for path in libraries():
        module = project.load(str(path))
        stored: set[str] = set()
        looked_up: set[str] = set()
        names: set[str] = set()
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute):
                (looked_up if isinstance(node.ctx, ast.Load) else stored).add(node.attr)
            elif isinstance(node, ast.Name):
                names.add(node.id)
        for word in stored:
            assert may_set(module.text, word), (path, word)
        for word in names:
            made = [use(at, keeps) for at in occurrences(module, word) if isinstance(at.chain[0], ast.Name)]
            if any(m is not None and m.kind in ("held", "store") and m.first is None for m in made):
                assert may_hold(module.text, word), (path, word)
                stores += 1
        only_read = looked_up - stored
        words += len(only_read)
        spared += sum(not may_set(module.text, word) for word in only_read)
    assert stores > 100
    assert spared > words / 2, f"{spared} of {words}"
