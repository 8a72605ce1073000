"""What is known about one file, tied to the exact text that it was computed from.

``Facts`` is immutable: handlers keep one and answer from it. ``moved_through`` gives the part of it that still holds
after edits. May not know LSP, settings or processes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar, cast

from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.span import Span
from triton_ls.reports import Entry, Index
from triton_ls.text import split_lines

Place = tuple[int, int]
T = TypeVar("T")

_revisions = itertools.count(1)


@dataclass(frozen=True)
class Facts:
    """``reports`` by the place of the function's name; an entry of ``kernels`` without one is not analysed (yet)."""

    file: str
    text: str
    kernels: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()
    reports: Mapping[Place, KernelReport] = field(default_factory=dict[Place, KernelReport])
    depends: frozenset[str] = frozenset()
    complete: bool = False
    revision: int = field(default_factory=lambda: next(_revisions))

    @property
    def lines(self) -> tuple[str, ...]:
        return split_lines(self.text)

    def indexed(self, index: Index, texts: Sequence[str]) -> Facts:
        """The facts at the start of a new analysis: what the last one found out about functions with the same key
        still holds."""
        kept = self.moved_through(texts).reports
        keys = {place(entry.name_span): entry.key for entry in index.kernels if not entry.stale}
        return Facts(
            file=self.file,
            text=texts[-1] if texts else self.text,
            kernels=index.kernels,
            findings=index.findings,
            reports={at: report for at, report in kept.items() if keys.get(at) == report.key},
            depends=self.depends,
        )

    def reported(self, report: KernelReport) -> Facts:
        return replace(self, reports={**self.reports, place(report.name_span): report}, revision=next(_revisions))

    def moved_through(self, texts: Sequence[str]) -> Facts:
        """What holds for the last of ``texts``, each the one before it (first: this one) after one more edit: the
        functions outside of the lines that were edited, at the lines where they are now."""
        if not texts:
            return self
        move = _Moves(self.file, [self.text, *texts])
        entries = [move.apply(entry) for entry in self.kernels]
        reports = [move.apply(report) for report in self.reports.values()]
        return Facts(
            file=self.file,
            text=texts[-1],
            kernels=tuple(entry for entry in entries if entry is not None),
            reports={place(report.name_span): report for report in reports if report is not None},
            depends=self.depends,
        )


def place(span: Span) -> Place:
    return span.line, span.column


@dataclass(frozen=True, slots=True)
class _Move:
    """Where the lines of one text are in another that differs in one stretch of lines."""

    last_before: int
    first_after: int
    shift: int

    @classmethod
    def between(cls, old: tuple[str, ...], new: tuple[str, ...]) -> _Move:
        shorter = min(len(old), len(new))
        before = next((i for i in range(shorter) if old[i] != new[i]), shorter)
        after = next((i for i in range(shorter - before) if old[-1 - i] != new[-1 - i]), shorter - before)
        return cls(before, len(old) - after + 1, len(new) - len(old))


class _Moves:
    """Takes data with spans through a series of texts."""

    def __init__(self, file: str, texts: Sequence[str]) -> None:
        self._file = file
        lines = [split_lines(text) for text in texts]
        self._moves = [_Move.between(old, new) for old, new in pairwise(lines)]

    def apply(self, value: T) -> T | None:
        """The dataclass with every span moved; None when one of them lies in what was edited."""
        try:
            return cast("T", self._moved(value))
        except _Edited:
            return None

    def _moved(self, value: Any) -> Any:
        if isinstance(value, Span):
            return self._span(value)
        if isinstance(value, list | tuple):
            items = [self._moved(item) for item in cast("list[Any]", value)]
            return items if isinstance(value, list) else tuple(items)
        if is_dataclass(value) and not isinstance(value, type):
            moved = {f.name: self._moved(old) for f in fields(value) if _holds_places(old := getattr(value, f.name))}
            return replace(value, **moved)
        return value

    def _span(self, span: Span) -> Span:
        if span.file != self._file:
            return span
        shift = 0
        for move in self._moves:
            if span.line + shift >= move.first_after:
                shift += move.shift
            elif span.end_line + shift > move.last_before:
                raise _Edited
        return replace(span, line=span.line + shift, end_line=span.end_line + shift) if shift else span


class _Edited(Exception):
    """A span lies in what was edited."""


def _holds_places(value: object) -> bool:
    return isinstance(value, list | tuple) or is_dataclass(value)
