"""The tree of a text that differs little from one that parsed: only the statements around the difference are parsed
again, the others are the same nodes. Gives the tree that parsing the whole text gives, or none.

A text is cut right behind a top-level statement, where no bracket, string or line is open. What is left of it on either
side parses as it did, whatever stands between, and what stands between is taken only if it parses by itself: then it
neither continues the statement above (an ``else``, an indented line) nor leaves anything open for the one below.
"""

from __future__ import annotations

import ast

from kernel_analysis.source.parsing.parse import lines_of, whole
from kernel_analysis.source.parsing.text_length import MOST_TOKENS, tokens_in
from kernel_analysis.source.tree.forms import first_line


class Whole:
    """A text that parsed, and its tree. ``before``: of the text before, if that is known."""

    def __init__(self, text: str, tree: ast.Module, before: Whole | None = None) -> None:
        self._lines = lines_of(text)
        self._body = tree.body
        self._usable = _usable(text)
        # A short text has no more tokens than characters. Of a long one, they are counted once.
        known = None if before is None else before._tokens_of(self._lines)
        long = len(text) > MOST_TOKENS
        self._tokens = known if known is not None else tokens_in(text) if long else None

    def reparse(self, text: str) -> ast.Module | None:
        """The tree of another text; None where it does not parse, or too little of it is the same."""
        if not self._usable or not _usable(text):
            return None
        lines = lines_of(text)
        before = self._lines
        if len(text) > MOST_TOKENS and (self._tokens_of(lines) or tokens_in(text)) > MOST_TOKENS:
            return None  # ``parse`` decides what of it is read
        same = next((n for n, (a, b) in enumerate(zip(before, lines, strict=False)) if a != b), None)
        if same is None:
            return None
        ahead = self._up_to(same)
        first = (self._body[ahead - 1].end_lineno or 0) if ahead else 0
        last, behind = len(lines), len(self._body)
        if len(lines) == len(before):
            final = next(n for n in range(len(lines) - 1, -1, -1) if before[n] != lines[n])
            behind = self._behind(final, ahead)
            last = (self._body[behind - 1].end_lineno or 0) if behind < len(self._body) else len(lines)
        if not ahead and behind == len(self._body) or lines[last - 1].endswith("\\"):
            return None
        between = whole("\n" * first + "\n".join(lines[first:last]))
        if between is None:
            return None
        return ast.Module([*self._body[:ahead], *between.body, *self._body[behind:]], [])

    def _tokens_of(self, lines: list[str]) -> int | None:
        """How many another text has: no token goes over the end of a line."""
        if self._tokens is None:
            return None
        before = self._lines
        fewer = min(len(before), len(lines))
        ahead = next((n for n in range(fewer) if before[n] != lines[n]), fewer)
        behind = next((n for n in range(fewer - ahead) if before[-1 - n] != lines[-1 - n]), fewer - ahead)
        gone, come = (part[ahead : len(part) - behind] for part in (before, lines))
        return self._tokens - tokens_in("\n".join(gone)) + tokens_in("\n".join(come))

    def _up_to(self, line: int) -> int:
        """How many statements stay as they are where this line, from 0, is the first that differs. The one right above
        it may go on, if no other has begun by then."""
        count = 0
        for number, statement in enumerate(self._body):
            begun = first_line(statement) <= line
            if number and self._ends(number - 1) and (begun or (statement.end_lineno or 0) <= line):
                count = number
            if (statement.end_lineno or 0) > line:
                break
        return count

    def _behind(self, line: int, ahead: int) -> int:
        """The number of the first statement that stays as it is where this line, from 0, is the last that differs."""
        for number in range(ahead, len(self._body)):
            if (self._body[number].end_lineno or 0) > line and self._ends(number):
                return number + 1
        return len(self._body)

    def _ends(self, number: int) -> bool:
        """Whether the text can be cut behind a statement's last line."""
        end = self._body[number].end_lineno or 0
        following = self._body[number + 1].lineno if number + 1 < len(self._body) else end + 1
        return following > end and not self._lines[end - 1].endswith("\\")


def _usable(text: str) -> bool:
    # A line of Python's may end in another way; one future import changes what `!=` is.
    return "\r" not in text and "\0" not in text and "barry_as_FLUFL" not in text
