"""What compiles a program under all its assignments: one process for all of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from enumerated.truth import TruthWorker


@pytest.fixture(scope="session")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TruthWorker]:
    worker = TruthWorker(tmp_path_factory.mktemp("log") / "truth.log")
    yield worker
    worker.close()
