"""Where what stood in one text stands in a later one, and what of it stood on lines that were edited since.

Lines only: a line counts as edited when its text is another. May not know what the data means.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar, cast

from kernel_analysis.span import Span
from triton_ls.text import split_lines

T = TypeVar("T")
_MOST_STRETCHES = 60
"""Of one edit that are told apart; those above them are one."""


@dataclass(frozen=True, slots=True)
class _Move:
    """Where the lines of one text are in another that differs in one stretch of lines. ``new``: the other's lines."""

    last_before: int
    first_after: int
    shift: int
    new: tuple[str, ...]

    @classmethod
    def between(cls, old: tuple[str, ...], new: tuple[str, ...]) -> _Move:
        shorter = min(len(old), len(new))
        before = next((i for i in range(shorter) if old[i] != new[i] and _differ(old[i], new[i])), shorter)
        rest = range(shorter - before)
        after = next((i for i in rest if old[-1 - i] != new[-1 - i] and _differ(old[-1 - i], new[-1 - i])), len(rest))
        return cls(before, len(old) - after + 1, len(new) - len(old), new)

    @property
    def edited(self) -> range:
        """The lines of the other text that the first has not."""
        return range(self.last_before + 1, self.first_after + self.shift)

    def first(self, line: int) -> int:
        """Where a stretch that begins on the line begins now."""
        return line + self.shift if line >= self.first_after else min(line, self.last_before + 1)

    def last(self, line: int) -> int:
        """Where a stretch that ends on the line ends now: what was typed right below it belongs to it."""
        if line > self.last_before and line < self.first_after or line == self.last_before:
            return max(line if line == self.last_before else 0, self.first_after + self.shift - 1)
        return line + self.shift if line >= self.first_after else line


def _differ(one: str, other: str) -> bool:
    """Whether two lines differ in more than how they end."""
    return one.rstrip("\r\n") != other.rstrip("\r\n")


def _moves(old: tuple[str, ...], new: tuple[str, ...]) -> list[_Move]:
    """One for each stretch that differs: a text that an editor reads again, or takes back, is handed over as one edit,
    wherever in it something is another."""
    found = _Move.between(old, new)
    stretches = _stretches(old[found.last_before : found.first_after - 1], [new[line - 1] for line in found.edited])
    if len(stretches) <= 1:
        return [found]
    apart: list[_Move] = []
    for start, end, come, stop in reversed(stretches):  # what stands above each is where it was
        start, end, come, stop = (place + found.last_before for place in (start, end, come, stop))
        old = (*old[:start], *new[come:stop], *old[end:])
        apart.append(_Move(start, end + 1, (stop - come) - (end - start), old))
    return apart


def _stretches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """The stretches of lines in which two differ, as [start, end) in either: between lines that each has once, in the
    same order, and what is the same around those."""
    olds, news = [line.rstrip("\r\n") for line in old], [line.rstrip("\r\n") for line in new]
    found: list[tuple[int, int, int, int]] = []
    at, come = 0, 0
    for one, other in [*_in_order(_once(olds), _once(news)), (len(olds), len(news))]:
        if one < at:
            continue  # the same as around the one before
        start, stop = one, other
        while start > at and stop > come and olds[start - 1] == news[stop - 1]:
            start, stop = start - 1, stop - 1
        if (at, come) != (start, stop):
            found.append((at, start, come, stop))
        at, come = one, other
        while at < len(olds) and come < len(news) and olds[at] == news[come]:
            at, come = at + 1, come + 1
    rest = len(found) - _MOST_STRETCHES
    return found if rest <= 0 else [(found[0][0], found[rest][1], found[0][2], found[rest][3]), *found[rest + 1 :]]


def _once(lines: Sequence[str]) -> dict[str, int]:
    """Where each line stands that there is once."""
    count = Counter(lines)
    return {line: number for number, line in enumerate(lines) if count[line] == 1 and line.strip()}


def _in_order(old: dict[str, int], new: dict[str, int]) -> list[tuple[int, int]]:
    """The longest row of lines of both that stand in the same order, by their places."""
    pairs = [(at, new[line]) for line, at in old.items() if line in new]
    ends: list[int] = []  # of a row of each length, the smallest place that one ends with
    last: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else None)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    row: list[tuple[int, int]] = []
    number = last[-1] if last else None
    while number is not None:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


class Moves:
    """Takes data with spans in ``file`` through a series of texts."""

    def __init__(self, file: str, texts: Sequence[str]) -> None:
        self._file = file
        self._moves = [move for old, new in pairwise(split_lines(text) for text in texts) for move in _moves(old, new)]

    def apply(self, value: T) -> T | None:
        """The dataclass with every span moved; None when one of them lies in what was edited."""
        try:
            return cast("T", self._moved(value))
        except _Edited:
            return None

    def all_of(self, values: Iterable[T]) -> list[T]:
        """Those that do not lie in what was edited."""
        return [moved for value in values if (moved := self.apply(value)) is not None]

    def around(self, span: Span) -> Span:
        """A stretch of whole lines, with what was edited in it."""
        first, last = span.line, span.end_line
        for move in self._moves:
            first, last = move.first(first), max(move.first(first), move.last(last))
        return replace(span, line=first, end_line=last)

    def is_continued(self, span: Span) -> bool:
        """Whether something was written right below it that an indentation makes a part of it."""
        end = span.end_line
        for move in self._moves:
            if move.last_before <= end < move.first_after and any(
                text[:1].isspace() and text.strip() for text in (move.new[line - 1] for line in move.edited)
            ):
                return True
            end = move.last(end) if end >= move.first_after else end
        return False

    def definition(self, name: str, span: Span) -> Span | None:
        """Where the name behind a ``def`` stands, also where its line was edited; None where it is there no more."""
        for move in self._moves:
            if span.line >= move.first_after:
                span = replace(span, line=span.line + move.shift, end_line=span.end_line + move.shift)
            elif span.line > move.last_before:
                head = re.compile(rf"\s*def\s+({re.escape(name)})\b")
                found = [(line, match) for line in move.edited if (match := head.match(move.new[line - 1]))]
                if not found:
                    return None
                line, match = found[0]
                span = Span(span.file, line, match.start(1) + 1, line, match.end(1) + 1)
        return span

    def edited(self, lines: frozenset[int]) -> frozenset[int]:
        """The lines of the last text that are not those of the first, given those that were not before."""
        for move in self._moves:
            kept = {move.first(line) for line in lines if not move.last_before < line < move.first_after}
            lines = frozenset(kept | set(move.edited))
        return lines

    def _moved(self, value: Any) -> Any:
        """The value itself where nothing in it moved, as at nearly every key."""
        if isinstance(value, Span):
            return self._span(value)
        if isinstance(value, list | tuple):
            items = cast("list[Any]", value)
            moved = [item if type(item) in _PLAIN else self._moved(item) for item in items]
            if all(new is old for new, old in zip(moved, items, strict=True)):
                return items
            return moved if isinstance(value, list) else tuple(moved)
        names = _fields_of(value.__class__)
        changed: dict[str, Any] = {}
        for name in names:
            old = getattr(value, name)
            if type(old) not in _PLAIN and (new := self._moved(old)) is not old:
                changed[name] = new
        return replace(value, **changed) if changed else value

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


_PLAIN = frozenset({str, int, float, bool, type(None), dict, frozenset})
"""What no place is in: dicts hold types and constants by name."""


@cache
def _fields_of(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
