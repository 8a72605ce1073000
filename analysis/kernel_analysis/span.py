"""Where something stands in a user's file. Plain data, shared by every room.

One convention everywhere outside ``ast`` and LSP: lines and columns count from 1, columns count
code points (not bytes, not UTF-16 units), the end is exclusive.
"""

from __future__ import annotations

from kernel_analysis.record import record


@record
class Span:
    """A stretch of text: ``file`` is an absolute path, lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
