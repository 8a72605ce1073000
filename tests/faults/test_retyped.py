"""Kernels that were whole are retyped, key by key, through a real server: calm meanwhile, the same at the end.
``hand/retype.py`` does it with other people's packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand.projects import OURS
from hand.retype import Outcome, Session
from hand.retyping import Kind, commented, decorator, docstring, function_name, split, statement

from triton_ls.error_delay import QUIET


@pytest.mark.parametrize(
    ("name", "kinds", "pace"),
    [
        ("helpers.py", (decorator, statement, function_name), 0.02),
        ("kernels.py", (commented, docstring, split, decorator), 0.02),
        # So slowly that all there is to say is said after each key.
        ("helpers.py", (statement,), 1.5 * QUIET),
        ("kernels.py", (split,), 1.5 * QUIET),
    ],
)
@pytest.mark.slow("a server that is typed at, and a fresh one to compare with")
async def test_what_is_retyped_disturbs_nobody(name: str, kinds: tuple[Kind, ...], pace: float, tmp_path: Path) -> None:
    for other, text in OURS.items():
        (tmp_path / other).write_text(text)
    outcome = Outcome()
    await Session(tmp_path, tmp_path / name, 1, kinds=kinds, stops=0, pace=pace).run(outcome)
    assert outcome.edits == len(kinds)
    assert outcome.keys
    assert not outcome.faults, "\n".join(outcome.faults)
