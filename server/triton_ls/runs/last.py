"""What the last run of each kernel came to, for as long as the kernel is what it was. Plain data; knows no LSP."""

from __future__ import annotations

from dataclasses import dataclass

from kernel_analysis.wire import Entry


@dataclass(frozen=True, slots=True)
class LastRun:
    """``key`` is the content of the kernel with all that it calls: another key, and the run says nothing any more.
    ``summary``: ``last run: 0.42 ms, 81% of copy bandwidth``."""

    key: str
    summary: str


class LastRuns:
    """By file and qualified name."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], LastRun] = {}

    def note(self, file: str, entry: Entry, summary: str) -> None:
        """It ran."""
        self._known[file, entry.qualname] = LastRun(entry.key, f"last run: {summary}")

    def of(self, file: str) -> dict[str, LastRun]:
        """Those of a file, by qualified name."""
        return {qualname: ran for (where, qualname), ran in self._known.items() if where == file}
