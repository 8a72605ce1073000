"""A text as most are laid out: what patterns look for may stand as far apart as anybody likes, and they look so far and
no further.

Changes nothing that the text says, nor which line a statement begins in order; where it can't be told where a string
ends, the text stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from keyword import iskeyword

_UNUSUAL = re.compile(
    r"\\\r?\n"  # a line that goes on
    r"|[^\s#][ \t\f]{20,}[^\s#]"  # a wide gap
    r"|[\w)\]\"'}][ \t\f]+\.(?!\.)|\.[ \t\f]+[^\W\d]\w*[ \t\f]*[=(\[.]"  # blanks around a dot
    r"|[\w)\]][ \t\f]+[(\[][ \t\f]|[{\[(][ \t\f]+[\"'\w]"  # ... and around brackets
    r"|[(\[{,=][ \t]*(?:#[^\n]*)?\n(?:[ \t]*\n)*[ \t]*#"  # a comment in brackets, on a line of its own
    r"|[(\[{,.][ \t]*#[^\n]{40}"
)
_STRING = (
    r'''"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'''
    r"""|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|(?P<open>["'])"""
)
_PIECE = re.compile(rf"#[^\n]*|{_STRING}|(?P<bracket>[(\[{{])|[)\]}}]|(?P<gap>(?:[ \t\f]|\\\r?\n)+)", re.DOTALL)
_INSIDE = re.compile(
    rf"{_STRING}|(?P<bracket>[(\[{{])|(?P<closing>[)\]}}])|(?P<gap>(?:\s|\\\r?\n|#[^\n]*)+)", re.DOTALL
)
"""The same in brackets, where lines end nothing."""
_BRACKETS = re.compile(rf"#[^\n]*|{_STRING}|(?P<bracket>[(\[{{])|(?P<closing>[)\]}}])", re.DOTALL)
_WORD = re.compile(r"\w+\Z")
_IMPORT = re.compile(r"import\b")
_LONGEST_KEYWORD = 10
_OPENS, _ENDS, _FOLLOWS = frozenset("([{"), frozenset(")]}\"'"), frozenset("()[]},.:")


def usual(text: str) -> str:
    """The same with one blank, or none, where many, a comment in brackets or the end of a line that goes on stands."""
    if _UNUSUAL.search(text) is None:
        return text
    parts: list[str] = []
    depth = last = 0
    while (piece := (_INSIDE if depth else _PIECE).search(text, last)) is not None:
        said, kind = piece[0], piece.lastgroup
        if kind == "open":
            return text
        parts.append(text[last : piece.start()])
        last = piece.end()
        if kind == "bracket":
            depth += 1
        elif kind == "closing":
            depth -= 1
        elif kind == "gap":
            said = _gap(text, piece.start(), last, said)
        parts.append(said)
    return "".join([*parts, text[last:]])


def closing(text: str, place: int) -> int:
    """Where the brackets end that are open at a place of a text; its end where that can't be told."""
    depth = 0
    for piece in _BRACKETS.finditer(text, place):
        kind = piece.lastgroup
        if kind == "open":
            break
        depth += (kind == "bracket") - (kind == "closing")
        if depth < 0:
            return piece.start()
    return len(text)


def around(text: str, place: int) -> int:
    """Where the innermost brackets around a place end, or where none are its line."""
    starts, ends = _outermost(text)
    number = bisect_right(starts, place) - 1
    if number >= 0 and place < ends[number]:
        return closing(text, place)
    line = text.find("\n", place)
    return len(text) if line < 0 else line


@lru_cache(maxsize=16)
def _outermost(text: str) -> tuple[list[int], list[int]]:
    """Where brackets begin that are in no others, and where they end."""
    starts, ends, end = list[int](), list[int](), 0
    for piece in _BRACKETS.finditer(text):
        if piece.lastgroup == "open":
            starts.append(piece.start())
            ends.append(len(text))
            break
        if piece.lastgroup == "bracket" and piece.start() >= end:
            end = closing(text, piece.end())
            starts.append(piece.start())
            ends.append(end)
    return starts, ends


def _gap(text: str, start: int, end: int, said: str) -> str:
    """What stands for blanks between two signs; an indentation stays."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in ("", "\n", "\r"):
        return said.replace("\\\r\n", "").replace("\\\n", "")
    if after in ("", "\n", "\r", "#") or before in _OPENS or before == "." and not _IMPORT.match(text, end):
        return ""
    word = _WORD.search(text, max(0, start - _LONGEST_KEYWORD), start)
    keyword = word is not None and iskeyword(word[0])
    follows = after in _FOLLOWS and (before in _ENDS or word is not None)
    return "" if follows and not (keyword and after in "([.") else " "
