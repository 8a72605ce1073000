"""What a glance at a text leaves out, strings and comments, and what it sees of modules: nothing is missed that the
tree has."""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernel_analysis.host.changes.text.text_patterns import (
    asked_for,
    hands_on_any,
    may_hand_on,
    may_hold,
    may_rename,
    may_set,
)
from kernel_analysis.host.changes.text.text_strings import code
from kernel_analysis.source.text_search.mentions import ANY_MODULE

SETS = [
    'patch.object(m, "X", 1)', 'object.__setattr__(m, "X", 1)', '(setattr)(m, r"X", 1)', "delattr(m, '''X''')",
    'setattr  (m,  # "\n "X", 1)', 'f = f"{a["b"]}"; m.X = "}"', "s = \"it's\"; m.X = 1  # don't",
    "for y, \\\n  m.X in z: pass", "for (m.X) in ():\n    pass", "y = [0 for a in b for m.X in a]",
    "for a, m.X in b: pass", "for a in b:\n    for c, m.X in d: pass",
]  # fmt: skip
SETS_NOT = [
    'f("m.X")', 'y = {"X": 1}', '"""m.X = 1"""', "if m.X in (1, 2): pass", 'f(f"{m.X}")', 'log("dispatch(", "X")',
    "for a in b:\n    y = m.X in c", 'open("m.X")', "f('X')  # setattr(m, \"X\")",
]  # fmt: skip
ASKS = [
    'sys.modules["m"]', "sys.modules['p.m']", 'sys.modules.get("m")', 'sys.modules . pop ( "m", None)',
    'import_module("m")', 'importlib.import_module("p.m", __name__)', '__import__("p.m", fromlist=["x"])',
    '(sys.modules)["m"]', '(sys\n .modules\n  ["m"])', 'modules["m"]', 'import_module(r"m")', "import_module('''m''')",
    '(sys).modules["m"]', 'sys.modules[  # which\n"m"]', 'sys.modules[("m")]', 'import_module("p." "m")',
    'other.modules["m"]', 'os.sys.modules["m"]', '__import__("sys").modules["m"]', 's[0].modules.get("m")',
]  # fmt: skip
ASKS_NOT = [
    "sys.modules[name]", "import_module(name)", 'import_module("other")', 'import_module("m" + name)',
    'import_module(f"m{x}")', '"m" in sys.modules', 'self.modules["m"]', 'import_module("m.other")',
    'model.modules("m")', 'torch.nn.modules.make("m")', "sys.modules.items()", '# sys.modules["m"]',
    "f('sys.modules[\"m\"]')", '"""All modules.\n(m)"""',
    "x = sys.modules\ny = 'm'",
]  # fmt: skip


@pytest.mark.parametrize("text", SETS)
def test_a_store_is_seen(text: str) -> None:
    assert may_set("import m\n" + text + "\n", "X")


@pytest.mark.parametrize("text", SETS_NOT)
def test_what_a_string_says_is_no_store(text: str) -> None:
    assert not may_set("import m\n" + text + "\n", "X")


@pytest.mark.parametrize("text", ["yield from X", "(yield\nfrom X)"])
def test_what_is_yielded_from_is_handed_on(text: str) -> None:
    assert may_hold(text + "\n", "X")


@pytest.mark.parametrize("text", ["    from X import y", "from X.y import z", "if a: from X import y"])
def test_a_module_that_is_imported_from_is_not(text: str) -> None:
    assert not may_hold(text + "\n", "X")


@pytest.mark.parametrize("text", ASKS)
def test_a_module_by_a_text_is_seen(text: str) -> None:
    assert asked_for("import sys, importlib.import_module  # sys.modules\n" + text + "\n") & {"m", ANY_MODULE}


@pytest.mark.parametrize("text", ASKS_NOT)
def test_another_module_by_a_text_is_none(text: str) -> None:
    assert not asked_for("import sys, importlib\n" + text + "\n") & {"m", ANY_MODULE}


def test_a_file_by_its_own_name() -> None:
    assert asked_for("import sys\nf(sys.modules[__name__])\n") == {"__name__"}
    assert not asked_for('import sys\nsys.modules[name]\nif __name__ == "__main__":\n    pass\n')


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("from p import m\nf(m)\n", True),
        ("import p.m as other\nf(other)\n", True),
        ("import p\nf(p.m)\n", True),
        ('from p import m\nx = f"{f(m)}"\n', True),
        ('from p import m\nx = f"{a["b"]}", f(m)\n', True),
        ('from p import m\nx = "\\\\", f(m), "\\""\n', True),
        ('from p import m\nx = """\n@triton.jit\ndef f(): g(m)\n"""\n', True),
        ('from p import m\n"""Uses m, f(m)."""\nm.f()\n', False),
        ("from p import m\nm.f()  # f(m)\n", False),
        ("from p import m\nraise E(f'without {x} no m is to be had')\n", False),
        ("import p.other_m as other\nfrom p import m\nf(other)\nm.f()\n", False),
        ("import m\ntry:\n    from m import x\nexcept E:\n    pass\n", False),
    ],
)
def test_a_module_that_is_handed_on(text: str, is_one: bool) -> None:
    assert may_hand_on(text, "p.m") is is_one


def test_a_module_that_no_text_spells_is_handed_on() -> None:
    assert hands_on_any("f(import_module(name))\n")
    assert not hands_on_any('"""As in f(import_module(name))."""\nimport_module(name)\n')


def test_another_name_of_an_import() -> None:
    assert may_rename("from m import X as y\n", "X")
    assert not may_rename("from m import MAX as y\n# X as such\n", "X")


def libraries() -> Iterator[Path]:
    """Some of Python's own files, written by many people."""
    folder = Path(os.__file__).parent
    yield from (path for name in ("unittest", "importlib", "asyncio") for path in folder.joinpath(name).glob("*.py"))
    yield from (folder / name for name in ("typing.py", "enum.py", "inspect.py", "argparse.py"))


def names(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.NAME]


def test_only_strings_and_comments_are_left_out() -> None:
    spared = 0
    for path in libraries():
        text = path.read_text()
        left = code(text)
        assert names(left) == names(text), path
        spared += len(text) - len(left)
    assert spared > 100_000


@pytest.mark.parametrize("text", ["x = '", 'x = """', 'x = f"{a["b"]}"', 'x = f"}}{x:{y["k"]}}"', "'don't'"])
def test_where_a_string_ends_is_not_known(text: str) -> None:
    assert code(text) == text
