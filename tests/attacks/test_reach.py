"""What a kernel's text can reach is closed by enumeration: all that there is, by names, attributes and items."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from attacks.through import INTERPRETER

WORKER = Path(__file__).with_name("reach_worker.py")


@pytest.fixture(scope="module")
def reached() -> dict[str, Any]:
    done = subprocess.run([INTERPRETER, str(WORKER)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_is_reached_that_is_not_the_languages(reached: dict[str, Any]) -> None:
    assert reached["problems"] == []


def test_the_walk_was_no_short_one(reached: dict[str, Any]) -> None:
    assert reached["reached"] > 3000
    assert {"module", "function", "JITFunction", "type", "method", "list"} <= set(reached["counts"])


def test_what_is_called_is_our_version(reached: dict[str, Any]) -> None:
    assert reached["raw"] == []
