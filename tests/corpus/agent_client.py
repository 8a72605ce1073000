"""Asks a real agent process (docs/agent.md) about files, one after the other. No editor, no server in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
SECONDS = 60.0


class AgentError(Exception):
    """The agent answered with an error, said something unknown, or died."""


@dataclass(slots=True)
class Analysis:
    """What one ``analyze`` told: the reports, and all findings, those about the file as a whole included."""

    reports: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    findings: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Agent:
    """One agent process for one target."""

    def __init__(self, roots: list[Path], target: str, log: Path) -> None:
        paths = [str(REPOSITORY / "analysis"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self._log = log
        self._stderr = log.open("wb")
        self._process = subprocess.Popen(
            [PYTHON, "-m", "kernel_analysis.agent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=environment,
        )
        self._id = 0
        settings = {"target": target, "cache": False, "memory_limit_mb": 4096}
        answer, _ = self.request("initialize", {"roots": [str(root) for root in roots], "settings": settings})
        if answer["triton"] is None:
            raise AgentError(f"{PYTHON} has no Triton: {answer['triton_error']}")
        self.triton: str = answer["triton"]

    def request(self, method: str, params: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The reply to a request and the notifications that came before it."""
        self._id += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        notifications: list[dict[str, Any]] = []
        timer = threading.Timer(SECONDS, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                answer = json.loads(line)
                if answer.get("id") == self._id:
                    if "error" in answer:
                        raise AgentError(answer["error"]["message"])
                    return answer["result"], notifications
                notifications.append(answer)
        except BrokenPipeError:
            pass  # the process died; the next line says so with its log
        finally:
            timer.cancel()
        log = self._log.read_text(errors="replace")[-4000:]
        raise AgentError(f"the agent ended with {self._process.wait()} during {method}; its log ends with\n{log}")

    @property
    def alive(self) -> bool:
        """Whether the process still runs; one that died has cost only the block that killed it."""
        return self._process.poll() is None

    def analyze(self, file: Path) -> Analysis:
        """Everything that the agent has to say about a file."""
        params = {"file": str(file), "generation": 1, "first_line": None, "skip": {}, "severity": {}}
        _, notifications = self.request("analyze", params)
        found = Analysis()
        for notification in notifications:
            params = notification["params"]
            if notification["method"] == "index":
                found.findings += params["findings"]
            elif notification["method"] == "kernel":
                found.reports.append(params["report"])
                found.findings += params["report"]["findings"]
        return found

    def changed(self, files: list[Path]) -> None:
        """These files appeared, changed or went away."""
        message = {"jsonrpc": "2.0", "method": "changed", "params": {"files": [str(file) for file in files]}}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._stderr.close()


class Agents:
    """Agents by target, started when first needed, and anew after one has died."""

    def __init__(self, root: Path, logs: Path) -> None:
        self.root = root
        self._logs = logs
        self._agents: dict[str, Agent] = {}

    def get(self, target: str = "cuda:90") -> Agent:
        """A living agent for a target."""
        agent = self._agents.get(target)
        if agent is None or not agent.alive:
            agent = self._agents[target] = Agent([self.root], target, self._logs / f"{target.replace(':', '-')}.log")
        return agent

    def only(self, files: dict[str, str]) -> Path:
        """A folder with these files alone: what another block says of launches and functions is not in the workspace
        any more, whenever an agent looks through that."""
        folder = self.root / "block"
        gone = [path for path in folder.rglob("*") if path.is_file()]
        if folder.exists():
            shutil.rmtree(folder)
        written = [folder / name for name in files]
        for path, text in zip(written, files.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for agent in self._agents.values():
            if agent.alive:
                agent.changed(sorted({*gone, *written}))
        return folder

    def close(self) -> None:
        """Ends all of them."""
        for agent in self._agents.values():
            agent.close()
