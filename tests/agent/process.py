"""A real agent process, started as the server starts it: by the path of its file, in any directory. No mocks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from triton_ls.agents.store import Store

REPOSITORY = Path(__file__).resolve().parents[2]
AGENT = REPOSITORY / "analysis" / "kernel_analysis" / "agent" / "__main__.py"
PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
SECONDS = 60.0


@dataclass(slots=True)
class Answer:
    """A reply, or the error in its place, with the notifications that came before it."""

    result: dict[str, Any]
    error: dict[str, Any] | None
    notifications: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def of(self, method: str) -> list[dict[str, Any]]:
        return [n["params"] for n in self.notifications if n["method"] == method]

    @property
    def reports(self) -> dict[str, dict[str, Any]]:
        """The last report of each function, by name."""
        return {params["report"]["name"]: params["report"] for params in self.of("kernel")}

    @property
    def findings(self) -> list[dict[str, Any]]:
        found = [finding for params in self.of("index") for finding in params["findings"]]
        return found + [finding for report in self.reports.values() for finding in report["findings"]]


class Agent:
    """Initialized on entry; killed on exit. ``cache``: the file of what it finds out, kept as the server keeps it.
    ``settings`` are added to the usual ones."""

    def __init__(
        self, root: Path, python: str = PYTHON, cwd: Path | None = None, cache: str | None = None, **settings: Any
    ) -> None:
        self._store = Store(cache, 16) if cache is not None else None
        # No PYTHONPATH: the agent finds our package by itself.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        self.process = subprocess.Popen(
            [python, "-S", str(AGENT), "analysis", str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or root,
            env=environment,
        )
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self._id = 0
        self._generation = 0
        self.identity = self.initialize(root, **settings).result

    def __enter__(self) -> Agent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(5)
        if self._store is not None:
            self._store.close()

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def request(self, method: str, params: dict[str, Any]) -> Answer:
        self._id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode())
        return self.answer(self._id)

    def answer(self, identity: int | None) -> Answer:
        """Everything up to the reply; every line of it must be JSON-RPC."""
        assert self.process.stdout is not None
        notifications: list[dict[str, Any]] = []
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        try:
            for line in self.process.stdout:
                message = json.loads(line)
                assert message["jsonrpc"] == "2.0"
                if message.get("method") == "recall":
                    self._recall(message["id"], message["params"])
                elif message.get("method") == "keep":
                    assert self._store is not None
                    self._store.keep([(key, data) for key, data in message["params"]["entries"]])
                elif "id" in message:
                    assert message["id"] == identity
                    return Answer(message.get("result") or {}, message.get("error"), notifications)
                else:
                    notifications.append(message)
        finally:
            timer.cancel()
        self._reader.join(5)
        raise EOFError(f"the agent ended with {self.process.wait()}:\n" + "".join(self.log[-40:]))

    def initialize(self, root: Path, **settings: Any) -> Answer:
        """With ``settings`` in place of the usual ones."""
        base = {"target": "cuda:90", "cache": self._store is not None, "memory_limit_mb": 4096}
        return self.request("initialize", {"roots": [str(root)], "settings": {**base, **settings}})

    def _recall(self, identity: str, params: dict[str, Any]) -> None:
        assert self._store is not None

        def answer(result: dict[str, Any]) -> None:
            message = {"jsonrpc": "2.0", "id": identity, "result": result}
            self.send(json.dumps(message, separators=(",", ":")).encode())

        self._store.recall(params["keys"], answer)

    def analyze(self, file: Path, **params: Any) -> Answer:
        self._generation += 1
        base = {"first_line": None, "skip": {}, "severity": {}}
        answer = self.request("analyze", {"file": str(file), "generation": self._generation, **base, **params})
        assert answer.error is None, answer.error
        return answer

    def show(self, file: Path, text: str) -> Answer:
        """Analyse ``text`` as the editor's text of ``file``."""
        self.notify("document", {"file": str(file), "text": text})
        return self.analyze(file)

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace"))
