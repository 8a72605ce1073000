"""Lines and columns of a text, as Python and LSP count lines: at ``\\n``, ``\\r\\n`` and ``\\r`` and nowhere else.

``str.splitlines`` also splits at form feeds and other separators, which would shift every place below them.
May not know documents, facts or LSP (``positions`` does).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from kernel_analysis.span import Span

_MOST_DECORATED = 500
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@lru_cache(maxsize=64)
def split_lines(text: str) -> tuple[str, ...]:
    """The lines with their line ends; a text that ends in a line end has an empty last line."""
    lines = _LINE.findall(text)
    # The pattern also matches the empty string at the very end, once more after a last line without line end.
    if len(lines) > 1 and not lines[-1] and lines[-2][-1:] not in ("\n", "\r"):
        lines.pop()
    return tuple(lines)


def contains(span: Span, line: int, column: int) -> bool:
    """Whether a cursor at this place touches the span; the place right after the last character counts."""
    return (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)


def first_decorator(lines: Sequence[str], line: int) -> int:
    """The line of the first decorator of the function whose ``def`` is on this one; itself where it has none."""
    indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    first = line
    for number in range(line - 1, max(0, line - _MOST_DECORATED), -1):
        text = lines[number - 1]
        inside = len(text) - len(text.lstrip()) > indent
        if not inside and text.lstrip().startswith("@"):
            first = number
        elif not inside and text.strip() and text.strip()[0] not in ")]}#":
            break
    return first
