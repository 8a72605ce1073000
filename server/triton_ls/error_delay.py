"""Which findings are shown while somebody types: an error goes at once; a new one waits for a moment of quiet, or for
the cursor to leave the line that it is on.

Decides by line, code and message; may not compute or send any.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernel_analysis.report import Finding
from triton_ls.file_facts import words_of

QUIET = 0.4
"""Seconds without a key after which all there is is shown."""

_Known = tuple[str, str]
_LINE = re.compile(r"\blines? \d+")


@dataclass(slots=True)
class _File:
    """``cursor``: the line of the last edit; ``left``: the one before, if the last edit was another's; ``burst``: the
    last key came right after another. ``shown``: the errors that the user has before their eyes, and ``lines``: where
    they stood when they were sent."""

    cursor: int | None = None
    left: int | None = None
    last: float = -QUIET
    burst: bool = False
    shown: set[_Known] = field(default_factory=set[_Known])
    lines: set[int] = field(default_factory=set[int])


class ErrorDelay:
    """``now`` is in seconds, of any clock."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}

    def edited(self, file: str, cursor: int | None, now: float) -> bool:
        """``cursor``: the line where it stands now; None where that can't be told. Whether an error was shown there:
        it goes."""
        known = self._files.setdefault(file, _File())
        known.left = None if cursor == known.cursor else known.cursor
        known.cursor, known.burst, known.last = cursor, now - known.last < QUIET, now
        return cursor in known.lines

    def closed(self, file: str) -> None:
        self._files.pop(file, None)

    def shown(self, file: str, findings: Sequence[Finding], now: float) -> tuple[list[Finding], float]:
        """Those to show now, and in how many seconds to ask again because of the rest; 0: there is no rest."""
        known = self._files.setdefault(file, _File())
        left = known.last + QUIET - now
        # What is of the text before the last edits, and was not shown then, would come as news and be none.
        findings = [f for f in findings if not words_of(f)[1] or not self._is_new(known, f)]
        kept = [f for f in findings if left <= 0 or not self._waits(known, f)]
        known.shown = {_identity(finding) for finding in kept if _is_error(finding)}
        known.lines = {finding.span.line for finding in kept if _is_error(finding)}
        return kept, left if len(kept) < len(findings) else 0.0

    @staticmethod
    def _is_new(known: _File, finding: Finding) -> bool:
        return _is_error(finding) and _identity(finding) not in known.shown

    def _waits(self, known: _File, finding: Finding) -> bool:
        if not self._is_new(known, finding):
            return False
        if known.cursor is None or finding.span.line == known.cursor:
            return True
        # Python says where it lost the thread, and what uses a name says that its line is not finished: neither is
        # the line that is being typed.
        return known.burst and (finding.code == "syntax-error" or finding.span.line != known.left)


def _is_error(finding: Finding) -> bool:
    """And what stands in its place where we may be at fault."""
    return finding.severity == "error" or finding.code == "not-analyzed"


def _identity(finding: Finding) -> _Known:
    # Without its advice, which may have stood at another one; a line that it names may have moved.
    return finding.code, _LINE.sub("line", words_of(finding)[0].partition("\n")[0])
