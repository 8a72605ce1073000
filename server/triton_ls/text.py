"""Lines and columns of a text, as Python and LSP count lines: at ``\\n``, ``\\r\\n`` and ``\\r`` and nowhere else.

``str.splitlines`` also splits at form feeds and other separators, which would shift every place below them.
May not know documents, facts or LSP (``positions`` does).
"""

from __future__ import annotations

import re
from functools import lru_cache

from kernel_analysis.span import Span

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
