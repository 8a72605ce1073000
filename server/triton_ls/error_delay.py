"""Which findings are shown while somebody types: an error goes at once; a new one waits for a moment of quiet, and one
that stands where nobody typed for a longer one.

Decides by file, line, code and message; may not compute or send any.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernel_analysis.report import Finding
from triton_ls.file_facts import words_of

QUIET = 0.4
"""Seconds without a key after which what is wrong where somebody types is shown."""
REST = 1.5
"""And what that makes of all else, whose cause is not where it stands and most of the time not finished: longer than
anybody thinks in the middle of a line."""

_Known = tuple[str, str]
_LINE = re.compile(r"\blines? \d+")


@dataclass(slots=True)
class _File:
    """``since``: when it was first shown. ``cursor``: the line of the last edit; ``left``: the one before, if the last
    edit was another's and not long ago; ``typed``: the lines of all edits since there was rest, where they stand now.
    ``shown``: the errors that the user has before their eyes, and ``lines``: where they stood when they were sent."""

    since: float
    cursor: int | None = None
    left: set[int] = field(default_factory=set[int])
    typed: set[int] = field(default_factory=set[int])
    last: float = -math.inf
    shown: set[_Known] = field(default_factory=set[_Known])
    lines: set[int] = field(default_factory=set[int])


class ErrorDelay:
    """``now`` is in seconds, of any clock."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._last = -math.inf
        """When there was a key, in whatever file."""

    def edited(self, file: str, first: int | None, cursor: int | None, added: int, now: float) -> bool:
        """``first``: the line where it was edited; ``cursor``: where it stands now; None where that can't be told;
        ``added``: how many lines more there are. Whether an error was shown at the cursor: it goes."""
        known = self._files.setdefault(file, _File(now))
        before = set[int]() if known.cursor is None or now - known.last >= REST else {known.cursor}
        if first is None or cursor is None:
            known.typed, known.left = set(), set()
        else:
            known.typed = _moved(known.typed if before else set(), first, cursor, added) | {*range(first, cursor + 1)}
            known.left = _moved(before, first, cursor, added) - {cursor}
        known.cursor, known.last, self._last = cursor, now, now
        return cursor in known.lines

    def saved(self) -> None:
        """Whoever saves is done: all there is is shown."""
        self._last = -math.inf
        for known in self._files.values():
            known.last = -math.inf

    def closed(self, file: str) -> None:
        self._files.pop(file, None)

    def shown(self, file: str, findings: Sequence[Finding], now: float) -> tuple[list[Finding], float]:
        """Those to show now, and in how many seconds to ask again because of the rest; 0: there is no rest."""
        known = self._files.setdefault(file, _File(now))
        # What is of the text before the last edits, and was not shown then, would come as news and be none.
        findings = [f for f in findings if not words_of(f)[1] or not self._is_new(known, f)]
        waits = [self._until(known, finding) - now for finding in findings]
        kept = [finding for finding, wait in zip(findings, waits, strict=True) if wait <= 0]
        known.shown = {_identity(finding) for finding in kept if _is_error(finding)}
        known.lines = {finding.span.line for finding in kept if _is_error(finding)}
        return kept, min((wait for wait in waits if wait > 0), default=0.0)

    @staticmethod
    def _is_new(known: _File, finding: Finding) -> bool:
        return _is_error(finding) and _identity(finding) not in known.shown

    def _until(self, known: _File, finding: Finding) -> float:
        """When it may be shown."""
        if not self._is_new(known, finding):
            return -math.inf
        if known.last < self._last:  # what is typed in another file is not looked for here
            return self._last + REST if known.since < self._last else -math.inf
        # Python says where it lost the thread: that is of what is typed, wherever it stands.
        if finding.code == "syntax-error" or known.cursor is None or finding.span.line == known.cursor:
            return known.last + QUIET
        if finding.span.line in known.left:
            return -math.inf
        return known.last + (QUIET if finding.span.line in known.typed else REST)


def _moved(lines: set[int], first: int, cursor: int, added: int) -> set[int]:
    """Where lines are after an edit, but for those that it replaced."""
    end = cursor - added
    return {line if line <= first else line + added for line in lines if not first < line <= end}


def _is_error(finding: Finding) -> bool:
    """And what stands in its place where we may be at fault."""
    return finding.severity == "error" or finding.code == "not-analyzed"


def _identity(finding: Finding) -> _Known:
    # Without its advice, which may have stood at another one; a line that it names may have moved.
    return finding.code, _LINE.sub("line", words_of(finding)[0].partition("\n")[0])
