"""Which lines of a text are new, in bounded time: what would take longer to tell counts as new.

Knows lines, no files.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

_MOST = 50_000_000
"""Steps that comparing may take, at worst: lines that are there many times are compared each with each."""


def new_lines(before: Sequence[bytes], now: Sequence[bytes]) -> frozenset[int]:
    """The numbers of the lines of ``now`` that were not there before, from 1."""
    found: set[int] = set()
    left = _MOST
    for start, end, was_start, was_end in _gaps(before, now):
        old, new = before[was_start:was_end], now[start:end]
        held = Counter(old)
        left -= sum(held[line] for line in new) * min(len(old), len(new)) + len(old) + len(new)
        if left < 0:
            found.update(range(start + 1, end + 1))
            continue
        steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        for kind, _, _, first, last in steps:
            if kind != "equal":
                found.update(range(start + first + 1, start + last + 1))
    return frozenset(found)


def _gaps(before: Sequence[bytes], now: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
    """What is between the lines that are certainly the same ones: from where to where, now and before."""
    here = was = 0
    for at, was_at in [*_anchors(before, now), (len(now), len(before))]:
        if at < here or was_at < was:
            continue  # what was the same behind the last one goes on beyond it
        end, was_end = at, was_at
        while end > here and was_end > was and now[end - 1] == before[was_end - 1]:
            end, was_end = end - 1, was_end - 1
        if end > here:
            yield here, end, was, was_end
        here, was = at, was_at
        while here < len(now) and was < len(before) and now[here] == before[was]:
            here, was = here + 1, was + 1


def _anchors(before: Sequence[bytes], now: Sequence[bytes]) -> list[tuple[int, int]]:
    """Lines that are there once, before as now, as many as are in the same order; the beginning first."""
    were, are = Counter(before), Counter(now)
    places = {line: at for at, line in enumerate(before) if were[line] == 1 and are[line] == 1}
    ends: list[int] = []
    chains: list[tuple[int, int, int]] = []  # where now, where before, the one in front of it
    last: list[int] = []
    for at, line in enumerate(now):
        was = places.get(line)
        if was is not None:
            length = bisect_left(ends, was)
            chains.append((at, was, last[length - 1] if length else -1))
            ends[length : length + 1] = [was]
            last[length : length + 1] = [len(chains) - 1]
    found: list[tuple[int, int]] = []
    one = last[-1] if last else -1
    while one >= 0:
        at, was, one = chains[one]
        found.append((at, was))
    return [(0, 0), *found[::-1]]
