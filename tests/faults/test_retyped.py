"""Kernels that were whole are retyped, key by key, through a real server: calm meanwhile, the same at the end.
``hand/retype.py`` does it with other people's packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand.projects import OURS
from hand.retype import Outcome, Session
from hand.retyping import (
    Kind,
    commented,
    decorator,
    docstring,
    erased,
    function_name,
    parameter,
    split,
    statement,
)

from triton_ls.error_delay import QUIET


@pytest.mark.parametrize(
    ("name", "kinds", "pace", "thinks"),
    [
        ("helpers.py", (decorator, statement, function_name), 0.02, 0.0),
        ("kernels.py", (commented, docstring, split, decorator), 0.02, 0.0),
        # So slowly that all there is to say of what is typed is said after each key.
        ("helpers.py", (statement,), 1.5 * QUIET, 0.0),
        ("kernels.py", (split,), 1.5 * QUIET, 0.0),
        # Now and then for longer.
        ("helpers.py", (decorator, parameter), 0.02, 0.5),
        ("kernels.py", (statement, erased), 0.02, 0.3),
    ],
)
@pytest.mark.slow("a server that is typed at, and a fresh one to compare with")
async def test_what_is_retyped_disturbs_nobody(
    name: str, kinds: tuple[Kind, ...], pace: float, thinks: float, tmp_path: Path
) -> None:
    for other, text in OURS.items():
        (tmp_path / other).write_text(text)
    outcome = Outcome()
    beside = [tmp_path / other for other in ("helpers.py", "kernels.py") if thinks and other != name]
    session = Session(tmp_path, tmp_path / name, 1, kinds=kinds, stops=0, pace=pace, thinks=thinks, beside=beside)
    await session.run(outcome)
    assert outcome.edits == len(kinds)
    assert outcome.keys
    assert not outcome.faults, "\n".join(outcome.faults)
