"""What is known of a document in the moment in which somebody asks about it: all that a handler has that only answers.

Immutable, and says nothing to anybody. May not know how any of it came about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lsprotocol import types

from kernel_analysis.report import Finding, KernelReport, ValueReport
from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls import convert
from triton_ls.client import Client
from triton_ls.file_facts import FileFacts
from triton_ls.positions import from_position, to_range
from triton_ls.reports import Compiled
from triton_ls.runs.last import LastRun
from triton_ls.settings import Settings
from triton_ls.shapes import Chosen


@dataclass(frozen=True, slots=True)
class Snapshot:
    """By qualified name: ``compiled``, which kernels were compiled to the end; ``chosen``, for which config or launch
    the shapes in them are to be shown; ``ran``, what their last runs came to. ``lines``: of any file."""

    uri: str
    facts: FileFacts
    client: Client
    settings: Settings
    compiled: Mapping[str, Compiled]
    chosen: Mapping[str, Chosen]
    ran: Mapping[str, LastRun]
    lines: Callable[[str], tuple[str, ...]]

    @property
    def findings(self) -> list[Finding]:
        """Those that are shown, at once or a little later."""
        return convert.findings(self.facts, self.client.inlay_hints and self.settings.inlay_hints.written)

    def resources(self, report: KernelReport) -> Compiled | None:
        """What is known to be true of this very function."""
        found = self.compiled.get(report.qualname)
        return found if found is not None and found.holds_for(report) else None

    def choice(self, entry: Entry) -> str | None:
        """What the shapes in a kernel are shown for, where that was chosen."""
        found = self.chosen.get(entry.qualname)
        return None if found is None else found.choice

    def values(self, report: KernelReport) -> list[ValueReport]:
        """The types in a kernel as they are to be shown."""
        found = self.chosen.get(report.qualname)
        return report.values if found is None else found.values(report)

    def last_run(self, entry: Entry) -> str | None:
        """What it came to, as long as the kernel is what it was."""
        found = self.ran.get(entry.qualname)
        return found.summary if found is not None and found.key == entry.key and not entry.stale else None

    def place(self, position: types.Position) -> tuple[int, int]:
        """Line and column as reports have them."""
        return from_position(self.facts.lines, position, self.client.encoding)

    def range(self, span: Span) -> types.Range:
        """A stretch of this document as the client counts."""
        return to_range(self.facts.lines, span, self.client.encoding)
