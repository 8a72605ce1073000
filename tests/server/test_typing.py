"""What somebody sees who types a kernel in a finished file, at 5 and at 12 keys a second: nothing that was there goes
away, and nothing turns red that is merely not finished."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from connection import connect
from typist import TYPED, Typist

WHOLE = bool(os.environ.get("TRITON_LS_TYPE_ALL"))
LINES = TYPED.splitlines()
BODY = LINES.index("):") + 1


async def type_some(directory: Path, keys_a_second: float, first: int, last: int) -> Typist:
    """The lines from ``first`` up to ``last`` key by key, what is before them at once."""
    async with connect(directory) as connection:
        typist = Typist(connection, keys_a_second)
        await typist.begin()
        if first:
            await typist.paste("\n".join(LINES[:first]))
            await asyncio.sleep(0.5)  # a pause, as after pasting: the rhythm of typing is what is tested
        await typist.type(("\n" if first else "") + "\n".join(LINES[first:last]) + ("\n" if last == len(LINES) else ""))
        if last == len(LINES):
            await asyncio.sleep(1)  # an error under the cursor is shown that late
            await typist.look()
    return typist


@pytest.mark.parametrize(
    ("keys_a_second", "first", "last"),
    [(12, 0, 4), (5, BODY + 5, BODY + 7), (12, BODY + 7, BODY + 11), (12, BODY + 13, len(LINES))]
    if not WHOLE
    else [(5, 0, len(LINES)), (12, 0, len(LINES))],
)
@pytest.mark.slow("a file is typed from its first key to its last, and compiled at each rest")
async def test_nothing_disturbs(tmp_path: Path, keys_a_second: float, first: int, last: int) -> None:
    seen = (await type_some(tmp_path, keys_a_second, first, last)).seen
    print(seen)
    assert seen.keys > 30
    # Somebody who stops in the middle of a word for a while is told; here nobody does, but a busy machine may.
    assert seen.flashes <= 1, seen
    assert seen.red <= seen.keys // 20, seen
    assert seen.blanked <= seen.keys // 50, seen
    assert seen.swapped == 0, seen
    assert seen.late_symbols <= 1 + seen.keys // 100, seen
    assert seen.late_lenses <= 1 + seen.keys // 100, seen
