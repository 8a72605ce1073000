"""Where names are used in a text: what a cursor stands on. Tokens only; the text may be broken. May not resolve
anything."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier in the text; ``attribute``: after a dot; ``argument``: the ``name`` in ``f(name=...)`` or in a
    function's head; ``statement``: the number of the simple statement that it is in."""

    text: str
    line: int
    column: int
    attribute: bool
    argument: bool
    statement: int

    @property
    def end_column(self) -> int:
        return self.column + len(self.text)


def name_at(lines: Sequence[str], line: int, column: int, first: int, last: int) -> Name | None:
    """The identifier that the cursor touches, given that a statement starts on line ``first`` and ends on line
    ``last``."""
    names = _names("".join(lines[first - 1 : last])).get(line - first + 1, ())
    found = next((name for name in names if name.column <= column <= name.end_column), None)
    return None if found is None else replace(found, line=line)


@lru_cache(maxsize=64)
def _names(text: str) -> dict[int, list[Name]]:
    found: dict[int, list[Name]] = {}
    depth, statement, before, last = 0, 0, "", None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type in (tokenize.NL, tokenize.COMMENT):
                continue
            if token.string == "=" and depth and last is not None and last[1]:
                place, _ = last
                names = found[place]
                names[-1] = replace(names[-1], argument=True)
            last = None
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                line, column = token.start
                found.setdefault(line, []).append(Name(token.string, line, column + 1, before == ".", False, statement))
                last = (line, before in ("(", ","))
            depth += _BRACKETS.get(token.string, 0) if token.type == tokenize.OP else 0
            statement += token.type == tokenize.NEWLINE or (token.string == ";" and not depth)
            before = token.string
    except (tokenize.TokenError, SyntaxError):
        return found  # what stands before the broken place
    return found
