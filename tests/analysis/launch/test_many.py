"""The static claims against what kernels do when they are launched without anybody saying how."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from launch import many

PAGES = ["effects", "branches", "loops", "helpers", "provenance", "tuples"]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="running kernels needs torch")
@pytest.mark.slow("a hundred kernels run on Triton's interpreter")
def test_no_claim_is_contradicted_by_a_launch(tmp_path: Path) -> None:
    outcomes = many.run([*many.own(), *many.corpus(tmp_path, PAGES)], tmp_path)
    launched = [ran for ran in outcomes if not ran.refused and not ran.failed]
    assert len(launched) >= 85, many.table(outcomes)
    assert len(launched) >= 0.8 * len(outcomes), many.table(outcomes)
    assert [ran for ran in launched if ran.verdicts("contradiction")] == []
    # Nearly all of what is claimed is seen: what is not is behind a condition that the launch did not meet.
    checks = sum(len(ran.checks) for ran in launched)
    assert sum(len(ran.verdicts("agree")) for ran in launched) >= 0.9 * checks, many.table(outcomes)
    # Kernels that are refused without a comment are launched with one.
    assert {ran.name for ran in launched if ran.pinned} == {"claim_place:claim_place", "loop_calls:loop_calls"}
    assert all("Out of bounds" not in ran.failed for ran in outcomes), many.table(outcomes)
