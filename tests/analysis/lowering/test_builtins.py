"""What Triton marks as a builtin of its values is for kernels, whatever its name; its effects are known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from kernel_analysis.dataflow.text.language import METHODS

REPOSITORY = Path(__file__).resolve().parents[3]
PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)


def test_builtins_with_private_names() -> None:
    worker = Path(__file__).with_name("builtins_worker.py")
    command = [PYTHON, str(worker), str(REPOSITORY / "analysis")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    told = json.loads(done.stdout.splitlines()[-1])
    assert "_keep_alive" in told["marked"]
    assert told["passing"] == told["marked"]
    assert set(told["marked"]) <= METHODS.keys()
