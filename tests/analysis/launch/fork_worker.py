"""Executes launches, a line of JSON each, on Triton's interpreter: each in a fork of its own, so that torch is imported
once. A line of JSON out for each."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "analysis"))

from kernel_analysis.launch.execution.execute import Execution
from kernel_analysis.launch.execution.failures import Failure, explained
from kernel_analysis.launch.launch_model import Device, launch_from_json

DEVICE = Device("interpreter", "Triton's interpreter on the CPU", "cuda:90", 0)


def _execute(order: dict[str, Any], folder: str) -> dict[str, Any]:
    try:
        return {"checks": Execution(launch_from_json(order), DEVICE, folder, lambda text: None).run()["checks"]}
    except BaseException as error:  # noqa: BLE001 - whatever a kernel raises is the answer
        return {"error": str(error if isinstance(error, Failure) else explained(error, None))}


def main() -> None:
    """One after the other."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    seconds = int(sys.argv[2])
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        reading, writing = os.pipe()
        folder = tempfile.mkdtemp()
        child = os.fork()
        if not child:
            signal.alarm(seconds)
            with os.fdopen(writing, "w") as out:
                out.write(json.dumps(_execute(json.loads(line), folder)))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as data:
            answer = data.read()
        os.waitpid(child, 0)
        shutil.rmtree(folder, ignore_errors=True)
        answers.write((answer or json.dumps({"error": f"did not end within {seconds} s"})) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
