"""One warm agent for the tests that need no process of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.process import Agent


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="session")
def agent(root: Path) -> Iterator[Agent]:
    with Agent(root) as process:
        yield process
