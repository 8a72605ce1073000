"""A text that is parsed piece by piece has the tree that Python gives for all of it, whatever was typed where."""

import ast
import random
import textwrap
from pathlib import Path

import pytest

from kernel_analysis.source.parsing.parse import whole
from kernel_analysis.source.parsing.reparse import Whole
from kernel_analysis.source.parsing.text_length import MOST_TOKENS, tokens_in

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.py"))
# What may begin, continue, open or close something.
PIECES = (
    *("else:", "    pass", "x = 1 \\", "\\", '"""', "'''", ")", "(", "@dec", "@\\", "@(", "x)", "def f():"),
    *("async def g():", "class C:", "if x:", "elif x:", "try:", "except E:", "finally:", "# a comment \\", "", "  "),
    *("\f", "\fy = 2", "x = 1; y = 2", "x = 1;", "    return", "\tz = 3", "for i in y:", "match x:", "    case 1:"),
    *("case (1)", "case = 1", "+ 2", "], [", "f(", "lambda: (", "é = 'ü'", "from __future__ import annotations"),
    *("while x: pass", "with a as b:", "x: int", "print", "type X = int"),
)
SMALL = """\
import a

@dec
@(
    other
)
def f(x):
    return (x +
            1)
x = 1; y = 2
if x:
    pass
elif y:
    pass

z = '''
text
''' + \\
    "more"  # why

class C:
    def m(self): return 1

try:
    f(1)
except E: pass
last = [
    1,
]
"""


def same(text: str, before: Whole) -> bool | None:
    """Whether the tree is Python's; None where none is given."""
    tree, expected = before.reparse(text), whole(text)
    if tree is None:
        return None
    return expected is not None and ast.dump(tree, include_attributes=True) == ast.dump(
        expected, include_attributes=True
    )


def edited(text: str, choice: random.Random) -> str:
    """One edit: a line more, less or another, a character, or two lines that change places."""
    lines = text.split("\n")
    at = choice.randrange(len(lines))
    match choice.randrange(7):
        case 0:
            lines.insert(at, choice.choice(PIECES))
        case 1:
            lines[at] = choice.choice(PIECES)
        case 2:
            del lines[at]
        case 3:
            lines[at] = lines[at] + choice.choice(
                ("\\", "(", ")", " # c", ";", " else", ":", '"""', "'", ",", "]", " +")
            )
        case 4:
            column = choice.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:column] + choice.choice("()[]{}'\"\\#:;=@ \tabc1") + lines[at][column:]
        case 5:
            lines[at] = lines[at][1:]
        case _:
            other = choice.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


@pytest.mark.parametrize("file", [None, *EXAMPLES], ids=lambda file: file.stem if file else "small")
def test_every_edit_gives_pythons_tree(file: Path | None) -> None:
    text = file.read_text(encoding="utf-8") if file else SMALL
    choice = random.Random(7)
    given = 0
    for _ in range(60 if file else 4000):
        tree = whole(text)
        assert tree is not None
        before, after = Whole(text, tree), text
        for _ in range(choice.randrange(1, 4)):
            after = edited(after, choice)
        found = same(after, before)
        assert found is not False, f"{text}\n----\n{after}"
        given += found is True
        if whole(after) is not None and len(after) < 2 * len(SMALL) + 60 and not file:
            text = after  # and on from there
    assert given > 5, "nothing was parsed in pieces: this shows nothing"


@pytest.mark.parametrize("piece", PIECES)
def test_each_piece_at_each_line(piece: str) -> None:
    tree = whole(SMALL)
    assert tree is not None
    before, lines = Whole(SMALL, tree), SMALL.split("\n")
    for at in range(len(lines)):
        for text in ([*lines[:at], piece, *lines[at:]], [*lines[:at], piece, *lines[at + 1 :]]):
            for second in ("", "x", "    x", "def g(): pass"):
                assert same("\n".join([*text[: at + 1], second, *text[at + 2 :]]), before) is not False, (at, piece)
            assert same("\n".join(text), before) is not False, (at, piece)


def test_what_did_not_change_is_the_same_nodes() -> None:
    text = textwrap.dedent("""\
        import a

        def f(x):
            return x

        def g(x):
            return x
    """)
    tree = whole(text)
    assert tree is not None
    found = Whole(text, tree).reparse(text.replace("return x", "return x + 1", 1))
    assert found is not None
    assert [new is old for new, old in zip(found.body, tree.body, strict=True)] == [True, False, True]


def test_a_long_text_is_parsed_in_pieces_as_far_as_it_is_read() -> None:
    """What is read of a text is a matter of its tokens, and there are more characters than that."""
    line = "f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)  # a long name\n"
    text = "a = 1\nb = 1\nx = 1\n" + line * (MOST_TOKENS // tokens_in(line) - 2)
    room = (MOST_TOKENS - tokens_in(text)) // 2
    assert len(text) > MOST_TOKENS
    tree = whole(text)
    assert tree is not None
    known = Whole(text, tree)
    for more in (1, room, room + 1, 0, 2, room + 1, room):
        after = text.replace("x = 1", "x = 1" + " + 1" * more, 1)
        found = known.reparse(after) if more else tree
        assert (found is not None) == (more <= room), more
        if found is not None:
            known = Whole(after, found, known)


@pytest.mark.parametrize(
    "text", ["x = 1\r\ny = 2\r\n", "x = 1\ny = '\0'\n", "from __future__ import barry_as_FLUFL\ny = 2\n"]
)
def test_what_python_counts_otherwise_is_parsed_as_a_whole(text: str) -> None:
    assert Whole("x = 1\ny = 3\n", ast.parse("x = 1\ny = 3\n")).reparse(text) is None
