"""The programs in ``cases/``: each compiles under its assignments, and what varies decides something."""

from __future__ import annotations

import pytest

from enumerated.pages import Case, read_all
from enumerated.truth import TruthWorker

CASES = read_all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_varies(case: Case, truth: TruthWorker) -> None:
    told = truth.ask(case.program)
    if not case.holds_for(told.triton):
        pytest.skip(f"the page says that this does not hold for Triton {told.triton}")
    assert not told.refused or "static_assert" in case.program.text, told.refused[0]
    assert told.always != set(told.possible), "the same happens whatever is passed"
