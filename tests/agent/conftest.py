"""One warm agent for the tests that need no process of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.process import Agent

FIRST = "import triton\n\n\n@triton.jit\ndef first(p):\n    pass\n"


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="session")
def agent(root: Path) -> Iterator[Agent]:
    with Agent(root) as process:
        # What an agent says once (that it is sealed) it has said then, whichever test comes first.
        process.show(root / "first.py", FIRST)
        yield process
