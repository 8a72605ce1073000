"""f-strings as Python 3.12 reads them: with quotes, backslashes, comments and line ends in their expressions. An older
one ends such a string in the middle, and what follows is nonsense to it."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Final

_START: Final = re.compile(r"#[^\n]*|(?<![^\W_])(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"{3}|'{3}|\"|')")
_INSIDE: Final = re.compile(rf"{_START.pattern}|[()\[\]{{}}:\n]|!(?!=)|=(?=\s*[}}!:])(?<![=!<>]=)")
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_DEEPEST: Final = 20


class _NotRead(Exception):
    """It is no f-string of any Python's."""


def plain(text: str) -> str | None:
    """The text with plain strings, of as many lines, for its f-strings; None where none is new to an older Python, or
    where one is wrong in any."""
    reader = _Reader(text)
    try:
        made = reader.outside()
    except _NotRead:
        return None
    return made if reader.newer else None


class _Reader:
    def __init__(self, text: str, depth: int = 0) -> None:
        if depth > _DEEPEST:
            raise _NotRead
        self.text, self.depth = text, depth
        self.newer = False

    def outside(self) -> str:
        """All of it, which is code."""
        made: list[str] = []
        last = place = 0
        while (match := _START.search(self.text, place)) is not None:
            place = match.end()
            if match["quote"] is None:
                continue
            place = self._string(match)
            if _formats(match):
                made += (
                    self.text[last : match.start()],
                    '"""',
                    "\n" * self.text.count("\n", match.start(), place),
                    '"""',
                )
                last = place
        return "".join(made) + self.text[last:]

    def _string(self, start: re.Match[str]) -> int:
        """Where a string ends."""
        quote, raw, formats = start["quote"], "r" in start["prefix"].lower(), _formats(start)
        place = start.end()
        while place < len(self.text):
            if self.text.startswith(quote, place):
                return place + len(quote)
            place = self._piece(place, quote, raw, formats, spec=False)
        raise _NotRead

    def _piece(self, place: int, quote: str, raw: bool, formats: bool, spec: bool) -> int:
        """Where what stands there in a string ends."""
        character = self.text[place]
        if character == "\n" and len(quote) == 1:
            raise _NotRead
        if character == "\\":
            named = formats and not raw and self.text.startswith("\\N{", place)
            if named:
                end = self.text.find("}", place)
                return end + 1 if end > 0 else len(self.text)
            return place + (1 if self.text[place + 1 : place + 2] in "{}" and formats else 2)
        if formats and character in "{}":
            if not spec and self.text.startswith(character * 2, place):
                return place + 2
            if character == "}":
                raise _NotRead
            return self._field(place + 1, quote, raw)
        return place + 1

    def _field(self, start: int, quote: str, raw: bool) -> int:
        """Where a field ends whose expression starts there."""
        place, end = start, None
        open_: list[str] = []
        while (match := _INSIDE.search(self.text, place)) is not None:
            found = match[0]
            place = match.end()
            if match["quote"] is not None:
                place = self._string(match)
                self.newer |= match["quote"][0] == quote[0] and (len(quote) == 1 or len(match["quote"]) == 3)
            elif found.startswith("#") or found == "\n":
                self.newer |= found != "\n" or len(quote) == 1
            elif found in _BRACKETS:
                open_.append(_BRACKETS[found])
            elif open_:
                if found in ")]}" and found != open_.pop():
                    raise _NotRead
            elif found in ")]":
                raise _NotRead
            else:
                end = match.start() if end is None else end
                if found == "}":
                    self._expression(self.text[start:end])
                    return place
                if found == ":":
                    self._expression(self.text[start:end])
                    while place < len(self.text) and self.text[place] != "}":
                        place = self._piece(place, quote, raw, True, spec=True)
                    return place + 1
        raise _NotRead

    def _expression(self, text: str) -> None:
        """Raises where it is none."""
        inner = _Reader(text, self.depth + 1)
        self.newer |= "\\" in text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(f"({inner.outside()}\n)", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _NotRead from None
        if isinstance(tree, ast.Tuple) and not tree.elts and "(" not in text:
            raise _NotRead
        self.newer |= inner.newer


def _formats(start: re.Match[str]) -> bool:
    return "f" in start["prefix"].lower()
