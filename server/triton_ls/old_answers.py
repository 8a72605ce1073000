"""Which documents were analysed before the last change of a text: what kernels hang on in other files is more than the
files that were read for them, that nothing there sets a name of theirs, too.

Counts changes and waits for a pause; may not start an analysis.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from kernel_analysis.files import Unreadable, read_file

_QUIET = 0.5
"""Seconds without a change after which all documents that are behind are looked at again."""


class OldAnswers:
    """``look`` is called when there was no change for a while."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self.changes = 0
        """How often a text was edited, here or on disk."""
        self._changed_at: dict[str, int] = {}
        self._last = 0
        self._as_of: dict[str, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.again: set[str] = set()
        """Documents that are looked at again, of which nothing changed that is known to matter."""

    @property
    def waiting(self) -> bool:
        """Whether there will be a look."""
        return self._timer is not None

    def changed(self, files: Iterable[str], delay: float = 0.0, same: bool = False) -> None:
        """They were edited, or count in another way than before. ``delay``: of what is known to hang on them. ``same``:
        with the same text."""
        self.changes += 1
        self._changed_at.update(dict.fromkeys(files, self.changes))
        if not same:
            self._last = self.changes
            self.close()
            self._timer = asyncio.get_running_loop().call_later(max(delay, _QUIET), self._begin)

    def changed_since(self, files: Iterable[str], changes: int) -> bool:
        """Whether one of these was, after so many changes."""
        return any(self._changed_at.get(file, 0) > changes for file in files)

    def answered(self, file: str, changes: int) -> None:
        """What is known of a document knows of so many changes."""
        self._as_of[file] = changes
        self.again.discard(file)

    def forget(self, file: str) -> None:
        self._as_of.pop(file, None)
        self.again.discard(file)

    def among(self, files: Iterable[str]) -> list[str]:
        """Those that are behind, unless there will be a look."""
        return [] if self.waiting else [file for file in files if self._as_of.get(file, self._last) < self._last]

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._timer = None
        self._look()


def is_on_disk(file: str, text: str | None) -> bool:
    """Whether it is the file's own text, as nearly all are written down: to show or to close it changes nothing."""
    try:
        return text is not None and read_file(file) == text.encode()
    except (Unreadable, UnicodeEncodeError):
        return False
