"""Kernels that were whole are retyped, key by key, through a real server: calm meanwhile, the same at the end.
``hand/retype.py`` does it with other people's packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand.projects import OURS
from hand.retype import Outcome, Session
from hand.retyping import Kind, commented, decorator, docstring, function_name, split, statement


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("helpers.py", (decorator, statement, function_name)), ("kernels.py", (commented, docstring, split, decorator))],
)
@pytest.mark.slow("a server that is typed at, and a fresh one to compare with")
async def test_what_is_retyped_disturbs_nobody(name: str, kinds: tuple[Kind, ...], tmp_path: Path) -> None:
    for other, text in OURS.items():
        (tmp_path / other).write_text(text)
    outcome = Outcome()
    await Session(tmp_path, tmp_path / name, 1, kinds=kinds, stops=0, pace=0.02).run(outcome)
    assert outcome.edits == len(kinds)
    assert outcome.keys
    assert not outcome.faults, "\n".join(outcome.faults)
