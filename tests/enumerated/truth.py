"""Asks a truth worker about programs: what all assignments together do. Knows nothing of the analysis."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.agent_client import PYTHON
from enumerated.program import Assignment, Program

FACTS = ("read", "written", "table_read", "table_written")
SECONDS = 120.0


@dataclass(slots=True)
class Truth:
    """``possible``: (leaf, fact) -> an assignment that does it; ``helped``: the same of helpers, ``helper.p``.
    ``conceivable``: what no plain reader could rule out. ``always``: what every assignment does. ``refused``: why the
    compiler takes some assignments not at all; ``valid``: the others. ``triton``: the version."""

    possible: dict[tuple[str, str], Assignment]
    helped: dict[tuple[str, str], Assignment]
    conceivable: set[tuple[str, str]]
    always: set[tuple[str, str]]
    refused: list[str]
    valid: list[Assignment]
    triton: str


class Process:
    """A worker that answers lines of JSON, in the interpreter whose Triton is tested; a new one after one has died."""

    def __init__(self, script: str, log: Path) -> None:
        self._script = script
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = log.open("wb")

    def _alive(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            unwanted = ("PYTHONPATH", "TRITON_INTERPRET")
            self._process = subprocess.Popen(
                [PYTHON, str(Path(__file__).with_name(self._script))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env={name: text for name, text in os.environ.items() if name not in unwanted},
            )
        return self._process

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """The answer to a job. Raises AssertionError when it kills two workers: one may die of something else."""
        line = self._try(job) or self._try(job)
        if not line:
            log = self._log.read_text(errors="replace")[-3000:]
            raise AssertionError(f"{self._script} died:\n{log}\n{job.get('text') or job['file']}")
        return json.loads(line)

    def _try(self, job: dict[str, Any]) -> bytes:
        process = self._alive()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if not line:
            process.kill()
            process.communicate()
        return line

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._stderr.close()


class TruthWorker:
    """Tells the truth about programs."""

    def __init__(self, log: Path) -> None:
        self._process = Process("truth_worker.py", log)

    def ask(self, program: Program) -> Truth:
        """What all assignments do. Raises AssertionError where the reader doesn't understand a module."""
        assignments = program.assignments()
        answer = self._process.ask(
            {
                "text": program.text,
                "files": program.files,
                "kernel": program.kernel,
                "parameters": program.parameters,
                "kinds": {knob.name: knob.kind for knob in program.knobs},
                "assignments": assignments,
                "helpers": program.helpers,
            }
        )
        if "error" in answer:
            raise AssertionError(f"{answer['error']}\n{program.header}{program.text}")
        possible, helped = (
            {(leaf, fact): assignments[number] for leaf, facts in answer[key].items() for fact, number in facts.items()}
            for key in ("possible", "helped")
        )
        conceivable = {(leaf, fact) for leaf, facts in answer["conceivable"].items() for fact in facts}
        refused = {int(number): why for number, why in answer["refused"].items()}
        valid = [assignment for number, assignment in enumerate(assignments) if number not in refused]
        always = {(leaf, fact) for leaf, fact in answer["always"]}
        return Truth(
            possible, helped, conceivable | set(possible), always, list(refused.values()), valid, answer["triton"]
        )

    def close(self) -> None:
        """Ends the process."""
        self._process.close()
