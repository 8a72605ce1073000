"""What is typed in the body of a jit function leaves all around it as it was, and is told from what does not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import products
from analysis.small_projects import HEAD, USE, write
from analysis.source.test_reparse import PIECES
from kernel_analysis.kernels.files import file_texts
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.text_search.words import has_word
from kernel_analysis.source.tree.body_edits import within_a_body

SMALL = f"""{HEAD}
SIZE = 4

class Kernels:
    @triton.jit
    def inner(p, n=SIZE):
        if n:
            tl.store(p, n)
        # a comment

@triton.autotune([], key=[])
@triton.jit
def kernel(
    p,
    B: tl.constexpr = SIZE,
):
    x = (tl.load(p) +
         1)

    tl.store(p, '''
''')

@triton.jit
def short(p): tl.store(p, 1)

def launch(x):
    kernel[(1,)](x)
"""
LETTERS = ("", "(", ")", '"', "'", ":", "#", "\\", " ", "x", ",", "\n")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return write(tmp_path, work__k=SMALL)


def edits() -> list[str]:
    """Each line replaced, and each sign replaced or given company, by whatever may begin, continue, open or close."""
    lines = SMALL.split("\n")
    pieces = products.product(range(3, len(lines)), ("", "    ", "        "), PIECES)
    found = ["\n".join([*lines[:n], space + piece, *lines[n + 1 :]]) for n, space, piece in pieces]
    typed = products.product(range(len(HEAD), len(SMALL)), LETTERS, (0, 1))
    found += [SMALL[:place] + letter + SMALL[place + over :] for place, letter, over in typed]
    return [text for text in found if text != SMALL]


def around(text: str, line: int) -> str:
    """The tree without the body of the function that starts on a line, every node in its place. (How far the last line
    of a function or class reaches is nobody's.)"""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.end_col_offset = 0
        if isinstance(node, ast.FunctionDef) and node.lineno == line:
            node.body = []
    return ast.dump(tree, include_attributes=True)


@pytest.mark.slow("some thousand texts are parsed")
def test_around_the_body_everything_is_as_it_was(project: Project, tmp_path: Path) -> None:
    file = str(tmp_path / "work" / "k.py")
    before = project.module(file)
    functions = [function.node for function in project.functions(before)]
    assert [function.name for function in functions] == ["inner", "kernel", "short"]
    told = 0
    for text in edits():
        other = Project(project.roots, [])
        other.set_text(file, text)
        if not within_a_body(before, other.load(file), functions):
            continue
        told += 1
        first = next(n for n, (a, b) in enumerate(zip(SMALL.split("\n"), text.split("\n"), strict=True), 1) if a != b)
        line = next(f.lineno for f in functions if f.lineno < first <= (f.end_lineno or 0))
        assert around(SMALL, line) == around(text, line), text
    assert told > 80


@pytest.mark.parametrize(
    ("old", "new", "within"),
    [
        ("         1)", "         2)", True),
        ("    x = (", "    y = (", True),
        ("        # a comment", "        n = 2", False),
        ("tl.store(p, n)", "tl.store(p, ", False),
        ("B: tl.constexpr = SIZE", "B: tl.constexpr = 2", False),
        ("n=SIZE", "n=2", False),
        ("SIZE = 4", "SIZE = 5", False),
        ("[], key", "(), key", False),
        ("short(p): tl", "short(q): tl", False),
        ("tl.store(p, 1)", "tl.store(p, 2)", False),
        ("    x = (tl", "    global SIZE; x = (tl", False),
        ("    x = (tl", "\n    x = (tl", False),
        ("kernel[(1,)]", "kernel[(2,)]", False),
    ],
)
def test_what_is_within(project: Project, tmp_path: Path, old: str, new: str, within: bool) -> None:
    """Then what is known of the host code stands."""
    file = str(tmp_path / "work" / "k.py")
    project.functions(project.module(file))
    changes, host = project.changes, project.host_changes
    project.set_text(file, SMALL.replace(old, new, 1))
    assert project.changes > changes
    assert (project.host_changes == host) is within


def test_what_a_text_was_asked_is_asked_again(tmp_path: Path) -> None:
    """The body spells another name now, for which somebody looked."""
    project = write(tmp_path, work__k=HEAD + USE.format(1))
    file = str(tmp_path / "work" / "k.py")
    project.functions(project.module(file))
    for text, same in (("2", True), ("size", False), ("size + 1", True), ("1", False)):
        host = project.host_changes
        project.says(file, lambda text, word: word in text, "size")
        project.set_text(file, HEAD + USE.format(text))
        project.functions(project.load(file))
        assert (project.host_changes == host) is same, text


def test_answers_that_are_let_go_stand_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the next text gives the same ones nobody can say any more."""
    monkeypatch.setattr(file_texts, "_MOST_ANSWERS", 3)
    project = write(tmp_path, work__k=HEAD + USE.format(1))
    file = str(tmp_path / "work" / "k.py")
    host = project.host_changes
    for word in ("one", "two", "three"):
        project.says(file, has_word, word)
    assert project.host_changes == host
    project.says(file, has_word, "four")
    assert project.host_changes > host
