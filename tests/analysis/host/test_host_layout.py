"""However far apart what sets a value stands, by blanks, comments or lines that go on: it counts as it does where all
of it is near. Every way to set something with every layout, and a gap at every place of it."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from host_told import judged

from kernel_analysis.source.text_search.layout import usual
from products import product

MANY = 300
WAYS = {
    "attribute": "import main\nmain.N = 2",
    "renamed": "import main as m, os\nm.N = 2",
    "augmented": "import main\nmain.N += 1",
    "deleted": "import main\ndel main.N\nmain.N = 2",
    "from a package": "from main import D\nD['N'] = 2",
    "a method": "from main import D, N as n\nD.update(N=2)",
    "setattr": "import main\nsetattr(main, 'N', 2)",
    "vars": "import main\nvars(main)['N'] = 2",
    "update": "import main\nmain.__dict__.update(N=2)",
    "modules": "import sys\nimport main\nsys.modules['main'].N = 2",
    "a loop": "import sys\nimport main\nfor m in list(sys.modules.values()):\n    if m is main:\n        m.N = 2",
    "import_module": "import importlib\nimportlib.import_module('main').N = 2",
    "patch": "import unittest.mock\nunittest.mock.patch('main.N', 2).start()",
    "patch object": "import main\nfrom unittest import mock\nmock.patch.object(main, 'N', 2).start()",
    "a name that is computed": "import main\nsetattr(main, 'n'.upper(), 2)",
    "exec": "import main\nexec('N = 2', main.__dict__)",
    "in its place": "import sys\nimport types\nm = types.ModuleType('main')\nm.N = 2\nsys.modules['main'] = m",
    "handed": "import main\n\n\ndef change(m):\n    m.N = 2\n\n\nchange(main)",
    "held": "import main\nALL = [main]\nALL[0].N = 2",
    "lambda": "import main\n(lambda m: setattr(m, 'N', 2))(main)",
    "walrus": "import main\n(m := main).N = 2",
    "conditional": "import main\n(main if main else None).N = 2",
    "star": "import main\nfrom main import *\nmain.N = 2",
    "pickle": "import pickle\npickle.loads(b'cbuiltins\\nexec\\n(S\"import main; main.N = 2\"\\ntR.')",
}
LAYOUTS = {"blanks": " " * MANY, "lines": " \\\n" * MANY, "comment": f"  # {'x' * MANY}\n" * 3}
_KEEPS = ("NEWLINE", "NL", "COMMENT", "ENDMARKER", "INDENT", "DEDENT")


def _gaps(text: str) -> Iterator[tuple[int, int, bool]]:
    """The places between two tokens of a line, and whether those are in brackets."""
    before, depth = "NL", 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name not in _KEEPS and before not in _KEEPS:
            yield *token.start, depth > 0
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        before = name


def spread(text: str, gap: str, only: int | None = None) -> str:
    """``only``: at this place, and not at each."""
    lines = text.splitlines(keepends=True)
    places = [(row, column) for row, column, inside in _gaps(text) if inside or "#" not in gap]
    for row, column in reversed(places if only is None else places[only : only + 1]):
        lines[row - 1] = lines[row - 1][:column] + gap + lines[row - 1][column:]
    return "".join(lines)


def _said(folder: Path, other: str) -> str:
    folder.mkdir()
    question = "D['N']" if re.search(r"import[\s\\]+D\b", other) else "N"
    said, seen = judged(folder, {"main": "N = 1\nD = {'N': 1}\n", "other": other}, question)
    assert len({repr(answer) for answer in seen}) > 1 or "patch" in other or "modules" in other or "pickle" in other
    return said


@pytest.mark.parametrize(("way", "layout"), product(WAYS, LAYOUTS))
def test_what_stands_far_apart_is_seen(way: str, layout: str, tmp_path: Path) -> None:
    assert _said(tmp_path / "near", WAYS[way] + "\n") != "certain"
    assert _said(tmp_path / "far", spread(WAYS[way] + "\n", LAYOUTS[layout])) != "certain"


@pytest.mark.parametrize("way", ["attribute", "from a package", "setattr", "modules", "patch object", "handed"])
def test_one_gap_is_enough(way: str, tmp_path: Path) -> None:
    text = WAYS[way] + "\n"
    for name, gap in LAYOUTS.items():
        for number in range(sum(inside or "#" not in gap for _, _, inside in _gaps(text))):
            assert _said(tmp_path / f"{name}{number}", spread(text, gap, number)) != "certain", (name, number)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("way", WAYS)
def test_it_is_laid_out_as_usual(way: str, layout: str) -> None:
    """But for a blank around an operator, which no pattern needs."""
    text = WAYS[way] + "\n"
    assert usual(spread(text, LAYOUTS[layout])).replace(" ", "") == text.replace(" ", "")


LONG = ", ".join(f"'word{n:04}'" for n in range(400))
FAR = {
    "behind many arguments": f"import main\n[setattr(m, 'N', 2) for m in [main] if m not in ({LONG})]",
    "in a call with many": f"import main\nsetattr((main, {LONG})[0], 'N', 2)",
    "a path before many": (
        f"from unittest import mock\nmock.patch.multiple('main', N=2, **dict(zip([], [{LONG}]))).start()"
    ),
    "modules of many": (
        f"import sys\nimport types\nm = types.ModuleType('main')\nm.N = 2\n"
        f"sys.modules.update({{**({{}} if [{LONG}] else {{}}), 'main': m}})"
    ),
    "a text of many": f"import main\nW = [{LONG}]\nexec('main.N = 2\\nX = [' + str(W) + ']')",
    "a long text": f"import main\nexec('''main.N = 2\nX = [{', '.join(map(str, range(9000)))}]''')",
    "a pickle behind many names": (
        "import pickle\nP0 = b'cbuiltins\\nexec\\n(S\"import main; main.N = 2\"\\ntR.'\n"
        + "".join(f"P{n + 1} = P{n}\n" for n in range(20))
        + "pickle.loads(P20)"
    ),
    "handed on by many functions": (
        "import main\n\n\ndef f0(m):\n    exec('m.N = 2')\n\n\n"
        + "".join(f"def f{n + 1}(m):\n    f{n}(m)\n\n\n" for n in range(12))
        + "f12(main)"
    ),
}


@pytest.mark.parametrize("how", FAR)
def test_how_much_stands_between_makes_no_difference(how: str, tmp_path: Path) -> None:
    assert _said(tmp_path / "far", FAR[how] + "\n") != "certain"


def test_a_module_that_is_handed_through_many_files(tmp_path: Path) -> None:
    through = {f"a{n}": f"from a{n - 1} import main\n" if n else "import main\n" for n in range(14)}
    texts = {"main": "N = 1\n", **through, "other": "from a13 import main as m\nm.N = 2\n"}
    said, _ = judged(tmp_path, texts, "N")
    assert said != "certain"
