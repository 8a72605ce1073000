"""The gate takes nothing away: what Triton's front end makes of an operator or function over any two kinds of values,
ours makes of it, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRITON_PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
WORKER = Path(__file__).with_name("taken_worker.py")


@pytest.mark.slow("thousands of expressions are compiled, one by one as any may be refused")
def test_every_operator_on_every_kind() -> None:
    done = subprocess.run([TRITON_PYTHON, str(WORKER)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["lost"] == []
    assert found["taken"] > 1000
