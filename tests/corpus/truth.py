"""Truth by execution: drives ``truth_worker``, and holds a block's claims against what ran.

Knows nothing of the analysis. The environment is the tests' own Python where that has torch, else ``.cache/truth``,
which it makes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from corpus.agent_client import REPOSITORY
from corpus.expected import Expected

TORCH = "2.13.0"
TRITON = "3.9.0"
OLDER = "3.7.1"  # has block pointers; torch 2.13 belongs to it
CACHE = REPOSITORY / ".cache" / "truth"
INTERPRET = Path(__file__).with_name("truth_worker.py")
SECONDS = 300.0
FACTS = {"read": "table_read", "written": "table_written"}


class NoTruth(Exception):
    """There is no Python with torch and Triton to run kernels in, and none could be made."""


def _pip(python: Path, *arguments: str) -> None:
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "-q", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoTruth(f"pip install {' '.join(arguments)} failed: {done.stderr.strip()[-500:]}")


def _python() -> Path:
    """A Python with torch, numpy and Triton; made if need be."""
    if all(importlib.util.find_spec(name) for name in ("torch", "numpy", "triton")):
        return Path(sys.executable)
    python, ready = CACHE / "bin" / "python", CACHE / f"ready-{TORCH}-{TRITON}"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", str(CACHE)], check=True)
        _pip(python, f"torch=={TORCH}", "numpy", "setuptools")
        _pip(python, f"triton=={TRITON}")
        ready.touch()
    return python


def _overlay(python: Path, triton: str) -> Path:
    """A folder with another Triton, to be put before the environment's own."""
    folder = CACHE.with_name(f"triton-{triton}")
    if not (folder / f"triton-{triton}.dist-info").exists():
        _pip(python, "--no-deps", "--target", str(folder), f"triton=={triton}")
    return folder


def environment(older: bool) -> tuple[Path, dict[str, str]]:
    """The Python to run kernels with, and its environment variables. Raises NoTruth."""
    python = _python()
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TRITON_INTERPRET")}
    if older:
        variables["PYTHONPATH"] = str(_overlay(python, OLDER))
    return python, variables


class Worker:
    """One process that executes run blocks, as ``script`` says; ``older``: with Triton 3.7.1."""

    def __init__(self, log: Path, older: bool = False, script: Path = INTERPRET) -> None:
        python, variables = environment(older)
        self._log = log
        self._stderr = log.open("wb")
        self._process = subprocess.Popen(
            [str(python), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=variables,
        )

    def run(self, file: Path, run: str, run_file: str, run_line: int) -> list[dict[str, Any]]:
        """The launches of a run block: for each the kernel and, by buffer, what was done to it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        job = {"file": str(file), "run": run, "run_file": run_file, "run_line": run_line}
        timer = threading.Timer(SECONDS, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            raise AssertionError(f"the worker died:\n{self._log.read_text(errors='replace')[-3000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["launches"]

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._stderr.close()


def observed(launches: list[dict[str, Any]]) -> dict[tuple[str, str], set[str]]:
    """(kernel, parameter) -> the facts that the launches together showed; buffers in a table count for the table."""
    seen: dict[tuple[str, str], set[str]] = {}
    for launch in launches:
        for name, facts in launch["buffers"].items():
            table = name.startswith("*")
            parameter = name[1:].split("#")[0] if table else name
            shown = seen.setdefault((launch["kernel"], parameter), set())
            shown.update((FACTS[fact] if table else fact) for fact in FACTS if facts[fact])
            if facts["written"] and facts["programs"] > 1 and not facts["uniform"]:
                shown.add("not uniform")
            shown.update(f"{first} first" for first in facts["first"] if not table)
    return seen


def contradictions(expected: Expected, launches: list[dict[str, Any]]) -> list[str]:
    """Where the claims and the runs differ, in both directions."""
    seen = observed(launches)
    claims = {function.name: function for function in expected.functions}
    wrong: list[str] = []
    for kernel in dict.fromkeys(launch["kernel"] for launch in launches):
        function = claims.get(kernel)
        if function is None:
            wrong.append(f"{kernel} was run, but claims nothing")
            continue
        parameters = {name for ran, name in seen if ran == kernel}
        for (name, fact), claim in function.facts.items():
            if claim == "yes" and name not in parameters:
                wrong.append(f"{kernel}: the run gives no buffer for {name}, so its claim ({fact}) was not tested")
        for name in sorted(parameters):
            shown = seen[kernel, name]
            for fact in ("read", "written", "table_read", "table_written"):
                claim = function.verdict(name, fact)
                if fact in shown and claim == "no":
                    wrong.append(f"{kernel}: {name} is {fact} when it runs, and the page says no")
                if fact not in shown and claim == "yes":
                    wrong.append(f"{kernel}: {name} is claimed to be {fact}, and no run did it")
            if name in function.flags.get("uniform", set()) and "not uniform" in shown:
                wrong.append(f"{kernel}: {name} is claimed to be written uniformly, and programs differ")
            for first, other in (("read", "write"), ("write", "read")):
                if name in function.flags.get(f"{first}-first", set()) and f"{other} first" in shown:
                    wrong.append(f"{kernel}: {name} is claimed {first}-first, and a program {other}s it first")
    return wrong
