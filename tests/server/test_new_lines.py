"""Which lines are new: what is said to be old was there, in that order; and it comes to an end whatever is compared."""

from __future__ import annotations

import itertools
import random
import time

from triton_ls.cli.new_lines import new_lines


def is_within(some: list[bytes], lines: list[bytes]) -> bool:
    rest = iter(lines)
    return all(line in rest for line in some)


def check(before: list[bytes], now: list[bytes]) -> None:
    new = new_lines(before, now)
    assert new <= set(range(1, len(now) + 1))
    assert is_within([line for n, line in enumerate(now, 1) if n not in new], before), (before, now, new)


def test_what_is_old_was_there_in_that_order() -> None:
    letters: list[bytes] = [b"a", b"b", b"c"]
    texts = [list(text) for n in range(5) for text in itertools.product(letters, repeat=n)]
    for before, now in itertools.product(texts, texts[:40]):
        check(before, now)
    chance = random.Random(1)
    for _ in range(2000):
        before = [b"%d" % chance.randrange(chance.choice((3, 60))) for _ in range(chance.randrange(60))]
        now = list(before)
        for _ in range(chance.randrange(6)):
            at = chance.randrange(len(now) + 1)
            now[at : at + chance.randrange(3)] = [b"%d" % chance.randrange(60)] * chance.randrange(3)
        check(before, now)
        assert new_lines(before, before) == frozenset()


def test_a_line_that_is_put_in_is_the_new_one() -> None:
    lines = [b"%d" % (n % 17 and n) for n in range(300)]
    for at in range(0, 301, 7):
        assert new_lines(lines, [*lines[:at], b"new", *lines[at:]]) == {at + 1}


def test_the_same_line_many_times_takes_no_time() -> None:
    many = [b"pass"] * 200_000
    for before, now, most in (
        ([b"a", *many, b"b"], [b"c", *many, b"d"], 200_002),
        ([b"a", *many], [*many, b"a"], 200_001),
        ([b"a", b"b"] * 100_000, [b"b", b"b", b"a"] * 60_000, 180_000),
        ([b"x", b"y", b"y", b"x"] * 500_000, [b"y", b"x"] * 1_000_000, 2_000_000),
    ):
        start = time.process_time()
        assert len(new_lines(before, now)) <= most
        assert time.process_time() - start < 8
