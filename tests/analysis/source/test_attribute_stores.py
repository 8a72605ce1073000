"""Which attributes a text may set: every place of Python's grammar where one is set, each in every layout, against what
the syntax tree says."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest

from kernel_analysis.host.changes.text.text_patterns import may_set
from kernel_analysis.source.text_search.attribute_stores import settable
from kernel_analysis.source.text_search.mentions import as_named, mentions

STATEMENTS = [
    "{} = 1", "y = {} = 1", "{} = y = 1", "{}: int = 1", "for {} in z: pass", "for y in z:\n    {} = y",
    "async def f():\n    async for {} in z: pass", "async def f():\n    async with g() as {}: pass",
    "with g() as {}: pass", "with g() as {}, h() as y: pass", "with g() as y, h() as {}: pass",
    "with (g() as {}, h()): pass", "with (g(), h() as {}): pass", "with (g() as {}): pass", "with (g() as {},): pass",
    "del {}", "del y, {}", "del {}, y", "del (y, {})", "del [{}, y]", "del ({})", "del y[0], {}", "del (y,\n  {})",
    "del (y,\n  {}\n  )", "del y, \\\n  {}", "del y['('], (y['\\''], {},\n  y)", "del y['a'], {}", "del {}  # (don't",
    "del (  # )\n  {})", "del y[\"\"\"\n\"\"\"], {}", "if y: del {}", "del y; del {}; y", "del y['''#'''], {}",
    "x = [0 for {} in z]", "x = [0 for y in z for {} in y]", "x = {{0 for {} in z}}", "x = {{0: 0 for {} in z}}",
    "f(0 for {} in z)", "f(0 for {} in z if y)", "async def f():\n    return [0 async for {} in z]",
    "x = f'{{[0 for {} in z]}}'", "{} += 1", "{} -= 1", "{} *= 1", "{} /= 1", "{} //= 1", "{} %= 1", "{} **= 1",
    "{} >>= 1", "{} <<= 1", "{} &= 1", "{} ^= 1", "{} |= 1", "{} @= 1", "if y: {} = 1", "y; {} = 1; y",
    "class C: {} = 1", "def f(): {} = 1", "lambda: 0; {} = 1", "try: {} = 1\nfinally: y",
    "match y:\n    case 1: {} = 1",
    "while y: {} = 1", "for y in z: y\nelse: {} = 1", "for " + "y, " * 90 + "{} in z: pass",
    "for (y," + "\n  y," * 90 + "{}) in z: pass",
]  # fmt: skip
TARGETS = [
    "{}", "({})", "{}, y", "y, {}", "(y, {})", "[{}, y]", "y, ({}, y)", "[y, [y, {}]]", "*{}, y", "y, *{}", "(y, *{})",
    "({},)", "{},", "y[0], {}", "y['a,b'], {}", "{}, y['=']", "{}, y[f(a=1)]", "f(y).z, {}", "({}\n), y", "{}, \\\n  y",
    "(y,\n  {})", "[y,\n  {},\n  y]", "(y,  # in = (\n  {})", "({}  # '\n , y)", "y[[0 for a in b][0]], {}",
]  # fmt: skip
LAYOUTS = ["m.X", "m . X", "m\t.X", "(m.X)", "( m.X )", "(m\n.X)", "(m.\n  X)", "(m.  # =\n X)", "(m  # why\n .X)",
           "m \\\n .X", "m. \\\n X", "(m['#'].\n X)", "(m  # a.\n .X)", "(m.  # a.\n X)",
           "f().X", "m[0].X", "m.n.X", "m.X.X", "(m).X", "m\\\n.\\\nX",
           "m.\uff38"]  # fmt: skip


def programs() -> list[str]:
    """All that Python takes, and in which an attribute ``X`` is set."""
    found: list[str] = []
    for statement, target in itertools.product(STATEMENTS, TARGETS):
        for layout in LAYOUTS if target == "{}" else ("m.X", "(m.\n  X)"):
            text = statement.format(target.format(layout))
            try:
                tree = ast.parse(text)
            except SyntaxError:
                continue
            stored = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "X")
            if any(not isinstance(node.ctx, ast.Load) for node in stored):
                found.append(text)
    return list(dict.fromkeys(found))


PROGRAMS = programs()


def test_there_are_many() -> None:
    assert len(PROGRAMS) > 1500


def test_what_is_set_is_seen() -> None:
    missed = [text for text in PROGRAMS for around in (text, f"import m\n\n{text}\n") if not sees(around)]
    assert missed == []


def sees(text: str) -> bool:
    return "X" in mentions(as_named(text)).stored


AROUND = [
    "{}", "f(a, '(')\n{}", "f('')\n{}", "x = f(''.y, [])\n{}", "if y: pass\n{}", "f(a)(\n  b)\n{}", "x = f('y')\n{}",
    "QQQf(QQQ\n{}", "QQQ{QQQ\n{}", "x = '{'\n{}", "# {\n{}", "x in (\n  y)\n{}", "x = {y: y}\n{}",
    "QQQ\nif a\nQQQ\n{}", "x = QQQ\nf( QQQ + ''\n{}", "# f(\n{}", "x = 'f(' 'y'\n{}",
]  # fmt: skip


def test_a_glance_sees_it_too() -> None:
    texts = [around.replace("QQQ", '"' * 3).replace("{}", text) for text in PROGRAMS for around in AROUND]
    assert [text for text in texts if not may_set(as_named(text), "X")] == []


@pytest.mark.parametrize(
    "text",
    ["f(m.X, y)", "f(y, m.X,\n  z=1)", "f('', m.X, y)", "if 'a' in m.X: pass", "while y in m.X:\n    pass",
     "a[m.X, 1] = 2", "if (y\n    or 'z' in m.X):\n    pass", "if (m.X, y) == z: pass", "f([m.X, y], {m.X: y})",
     "class C(m.X, y): pass", "for y in m.X:\n    pass", "{m.X: y, 1: (m.X, y)}", "y in (\n  m.X,\n  y)", "{m.X, y}"],
)  # fmt: skip
def test_a_glance_tells_what_is_only_looked_up(text: str) -> None:
    assert not may_set(text, "X")


@pytest.mark.parametrize(
    "text",
    ["y = m.X", "f(m.X)", "m.X(1)", "m.X[0] = 1", "m.X.y = 1", "if m.X == 1: pass", "y = m.X + 1", "x = [m.X]\ny = 1",
     "return_(m.X)\ndel y", "y = m.X\nfor a in b: pass", "y = m.X <= 1", "f(m.X)\n(y) = 1", "# How many.\nX = 1",
     "y = 1  # How many.\nX = 1", "# How many.\n\n# These.\nX: int = 1", "# Ends.\r\nX = 1",
     "# Ends.\nX = 1\ndel (y,\n  z)"],
)  # fmt: skip
def test_what_is_only_looked_up_is_not(text: str) -> None:
    assert "X" not in {match[1] for match in settable(text)}


@pytest.mark.slow("parses all of Python's own library")
def test_what_of_pythons_own_files_is_set() -> None:
    missed: list[tuple[str, set[str]]] = []
    for path in Path(ast.__file__).parent.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        stored = {
            node.attr
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        }
        found = {match[1] for match in settable(text)}
        missed += [(path.name, stored - found)] if stored - found else []
    assert missed == []
