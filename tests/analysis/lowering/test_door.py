"""What is used of Triton's insides may be gone, or taken differently, in a Triton that nobody has seen yet: then there
are facts or a sentence, and never a way out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from kernel_analysis.lowering import door

REPOSITORY = Path(__file__).resolve().parents[3]
PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
NEEDED = [part.path for part in door.NEEDED]
QUICKER = [part.path for part in door.QUICKER]


@lru_cache(maxsize=1)
def _told() -> dict[tuple[str, str], dict[str, str]]:
    worker = Path(__file__).with_name("door_worker.py")
    command = [PYTHON, str(worker), str(REPOSITORY / "analysis"), str(worker.parent), *NEEDED, *QUICKER]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {(row["path"], row["way"]): row for row in rows}


@pytest.mark.parametrize("way", ["gone", "other"])
@pytest.mark.parametrize("path", NEEDED)
@pytest.mark.slow("a Triton for each thing that it may lack: the first asks for all of them at once")
def test_nothing_is_analysed_without_what_is_needed(path: str, way: str) -> None:
    row = _told()[path, way]
    if way == "other" and row["outcome"] in ("facts", "as it was"):
        # It is no function, or one that is only told from others.
        assert next(part for part in door.NEEDED if part.path == path).takes is None, row
        return
    assert row["outcome"] == "sentence", row
    assert "safely" in row["text"], row
    assert "triton-ls" in row["text"], row


@pytest.mark.parametrize("way", ["gone", "other"])
@pytest.mark.parametrize("path", QUICKER)
def test_short_cuts_are_not_needed(path: str, way: str) -> None:
    row = _told()[path, way]
    assert row["outcome"] in ("facts", "sentence", "as it was"), row
    if row["outcome"] == "sentence":
        assert "safely" in row["text"], row  # Triton itself does not work without it
