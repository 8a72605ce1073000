"""Launches are counted as variants by what of their keys is known: as each with each would be, without looking at each
with each."""

from __future__ import annotations

import random

import pytest

from kernel_analysis.signature.launches.variants_of import variants_seen

Key = tuple["tuple[object, ...] | None", ...]


def each_with_each(keys: list[Key]) -> int:
    counted: list[Key] = []
    for key in keys:
        pairs = [list(zip(key, other, strict=True)) for other in counted]
        if all(any(a is not None and b is not None and a != b for a, b in pair) for pair in pairs):
            counted.append(key)
    return len(counted)


def test_as_each_with_each() -> None:
    chosen = random.Random(0)
    parts = (None, None, ("int", 1), ("int", 16), ("none",))
    for length in range(1, 5):
        for _ in range(500):
            keys: list[Key] = [tuple(chosen.choice(parts) for _ in range(length)) for _ in range(chosen.randrange(9))]
            assert variants_seen._distinct(keys) == each_with_each(keys), keys  # pyright: ignore[reportPrivateUsage]


def test_thousands_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    differ = variants_seen._differ  # pyright: ignore[reportPrivateUsage]

    def counting(one: Key, other: Key) -> bool:
        nonlocal compared
        compared += 1
        return differ(one, other)

    monkeypatch.setattr(variants_seen, "_differ", counting)
    keys: list[Key] = [(("int", number), None) for number in range(2000)]
    keys += [(("int", 1), ("none",))] * 2000
    assert variants_seen._distinct(keys) == 2000  # pyright: ignore[reportPrivateUsage]
    assert compared <= 2000
