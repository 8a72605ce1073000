"""Every row of a table with every row of others: ``make nightly`` tries all of that, every other run a part of it in
which no row is missing."""

from __future__ import annotations

import itertools
import os
import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

EVERY: Final = os.environ.get("TRITON_LS_PRODUCTS") == "all"
EACH: Final = 6
"""How often each row is in a part, at least."""


def product(*tables: Iterable[Any]) -> list[tuple[Any, ...]]:
    """The same part in every run, and nearly the same when a table gets another row."""
    return part(itertools.product(*tables))


def part(combinations: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Of a product that lacks some."""
    whole = [*combinations]
    if EVERY:
        return whole
    taken: set[tuple[Any, ...]] = set()
    seen: Counter[tuple[int, Any]] = Counter()
    for combination in sorted(whole, key=lambda rows: zlib.crc32(repr(rows).encode())):
        if any(seen[place] < EACH for place in enumerate(combination)):
            taken.add(combination)
            seen.update(enumerate(combination))
    return [combination for combination in whole if combination in taken]
