"""A text laid out as usual: what passes over all that stays as it is against what looks at each piece of it."""

from __future__ import annotations

import random
import re

from kernel_analysis.source.text_search import layout

SIGNS = (
    "(", ")", "[", "]", "{", "}", " ", "  ", "\t", "\n", "\\\n", "\\", "#", "# c", '"', '"""', "'", "'''", "a", "b c",
    "import", "from", "not", "lambda", ".", "..", ",", "=", "+", ":", "x1", "\r\n", "\r", "\f", "\v", "\xa0", "\u2003",
    "é", "@", "-", "\\\r\n", "\n    ", "f(a, b)", '"t"', "g[ i]",
)  # fmt: skip
_OUTSIDE = re.compile(
    rf"#[^\n]*|{layout._STRING}|(?P<bracket>[(\[{{])|[)\]}}]|(?P<gap>(?:[ \t\f]|\\\r?\n)+)", re.DOTALL
)
_INSIDE = re.compile(
    rf"{layout._STRING}|(?P<bracket>[(\[{{])|(?P<closing>[)\]}}])|(?P<gap>(?:\s|\\\r?\n|#[^\n]*)+)", re.DOTALL
)


def piece_by_piece(text: str) -> str:
    parts: list[str] = []
    depth = last = 0
    while (piece := (_INSIDE if depth else _OUTSIDE).search(text, last)) is not None:
        said, kind = piece[0], piece.lastgroup
        if kind == "open":
            return text
        parts.append(text[last : piece.start()])
        last = piece.end()
        depth += (kind == "bracket") - (kind == "closing")
        parts.append(layout._gap(text, piece.start(), last, said) if kind == "gap" else said)
    return "".join([*parts, text[last:]])


def test_what_is_passed_over_stays_as_it_is() -> None:
    chosen = random.Random(7)
    unusual = "\\\n"  # so that it is looked at
    for _ in range(20_000):
        text = unusual + "".join(chosen.choices(SIGNS, k=chosen.randint(1, 30)))
        assert layout.usual(text) == piece_by_piece(text), repr(text)


def test_a_long_run_of_one_sign_takes_no_longer_than_so_many_signs() -> None:
    for sign in SIGNS:
        text = f"\\\n{sign * 20_000}"
        assert layout.usual(text) == piece_by_piece(text), repr(sign)


def test_rows_of_numbers_take_no_longer_than_so_many_signs() -> None:
    """Brackets with much in them, each of which might be passed over or looked at: what tries both takes twice as long
    for each that it may go back over."""
    row = f"[{', '.join(['+1', '-1'] * 20)}"
    for close in ("]", ",\n]", "", "]]", '"'):
        text = f"x = [\n{f'  {row}{close},{chr(10)}' * 40}]  \\\ny  =  1\n"
        assert layout.usual(text) == piece_by_piece(text), close
