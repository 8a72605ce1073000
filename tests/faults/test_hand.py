"""Two short sessions of a hand that types; ``make nightly`` has it type longer, ``hand/many.py`` any session again."""

from __future__ import annotations

import os

import pytest
from hand.session import Outcome, session

SEEDS = range(int(os.environ.get("TRITON_LS_HANDS", "2")))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow("a server for the hand, and a fresh one at each rest to compare with")
async def test_what_is_shown_under_a_hand_is_what_a_fresh_server_shows(seed: int) -> None:
    outcome = Outcome()
    if os.environ.get("TRITON_LS_HANDS"):
        await session(seed, outcome)
    else:
        await session(seed, outcome, kind=("ours", "examples")[seed % 2], rounds=1, pace=0.01)
    assert outcome.rests
    assert not outcome.faults, "\n".join(outcome.faults)
