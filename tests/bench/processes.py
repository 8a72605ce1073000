"""The three processes that the benchmark measures: bare compiler, agent, and language server over real stdio.

They are driven as any client would drive them; nothing of the analysis or the server is imported.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SECONDS = 120.0


OURS = (sys.executable, "-m", "triton_ls", "serve")


def _start(*command: str) -> subprocess.Popen[bytes]:
    paths = [str(REPOSITORY / "analysis"), str(REPOSITORY / "server"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.Popen(
        [*command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


class _Lines:
    """A process that is spoken to in lines of JSON."""

    def __init__(self, *command: str) -> None:
        self._process = _start(sys.executable, *command)

    def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args} ended with {self._process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Bare(_Lines):
    """The compiler alone."""

    def __init__(self) -> None:
        super().__init__(str(HERE / "bare_child.py"))

    def compile(self, file: Path, name: str, signatures: list[dict[str, Any]]) -> dict[str, list[float]]:
        """Milliseconds of ``make_ir`` and number of operations, for each signature."""
        self.send({"file": str(file), "name": name, "signatures": signatures})
        return self.receive()


class Agent(_Lines):
    """The agent alone, as docs/agent.md has it, without a cache on disk."""

    def __init__(self, root: Path) -> None:
        super().__init__("-m", "kernel_analysis.agent")
        self._id = 0
        settings = {"target": "cuda:90", "cache": False, "memory_limit_mb": 8192}
        self.request("initialize", {"roots": [str(root)], "settings": settings})

    def request(self, method: str, params: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The result, and the notifications on the way to it."""
        self._id += 1
        self.send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        notifications: list[dict[str, Any]] = []
        while (message := self.receive()).get("id") != self._id:
            notifications.append(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"], notifications

    def analyze(self, file: Path, text: str) -> tuple[int, dict[str, dict[str, Any]]]:
        """How many compiles it took, and the report of each jit function by its qualified name."""
        self.send({"jsonrpc": "2.0", "method": "document", "params": {"file": str(file), "text": text}})
        params = {"file": str(file), "generation": self._id, "first_line": None, "skip": {}, "severity": {}}
        result, notifications = self.request("analyze", params)
        reports = [message["params"]["report"] for message in notifications if message["method"] == "kernel"]
        return result["compiles"], {report["qualname"]: report for report in reports}


class Server:
    """A language server over stdio, ours if no other is named. A thread reads, so that the moment of arrival is the
    message's own. ``initialized_ms``: from its start to the answer to ``initialize``; ``initialized_cpu_ms``: of its
    processor time."""

    def __init__(self, root: Path, command: tuple[str, ...] = OURS) -> None:
        started = time.perf_counter()
        self._process = _start(*command)
        self._id = 0
        self._replies: dict[int, queue.Queue[tuple[float, dict[str, Any]]]] = {}
        self._published: queue.Queue[tuple[float, dict[str, Any]]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": root.name}
        capabilities = {"textDocument": {"publishDiagnostics": {"versionSupport": True, "relatedInformation": True}}}
        self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri(),
                "workspaceFolders": [folder],
                "capabilities": capabilities,
            },
        )
        self.initialized_ms = (time.perf_counter() - started) * 1e3
        self.initialized_cpu_ms = self.processor_ms()
        self.notify("initialized", {})

    def processor_ms(self) -> float:
        """Of the server and all that it has started."""
        server = psutil.Process(self._process.pid)
        return sum(sum(p.cpu_times()[:2]) for p in (server, *server.children(recursive=True))) * 1e3

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = stream.readline()
            message = json.loads(stream.read(length))
            now = time.perf_counter()
            if "method" not in message:
                self._replies[message["id"]].put((now, message))
            elif message["method"] == "textDocument/publishDiagnostics":
                self._published.put((now, message["params"]))
            elif "id" in message:  # the server asks for something that a client without capabilities has not
                asks = message["method"] == "workspace/configuration"
                result = [None] * len(message["params"]["items"]) if asks else None
                self._send({"id": message["id"], "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: dict[str, Any]) -> tuple[float, Any]:
        """Milliseconds until the reply, and its result."""
        self._id += 1
        self._replies[self._id] = queue.Queue()
        start = time.perf_counter()
        self._send({"id": self._id, "method": method, "params": params})
        now, message = self._replies[self._id].get(timeout=SECONDS)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return (now - start) * 1e3, message["result"]

    def open(self, file: Path, text: str) -> None:
        document = {"uri": file.as_uri(), "languageId": "python", "version": 0, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change_line(self, file: Path, version: int, line: int, text: str) -> float:
        """Puts ``text`` in place of the line (from 0); the moment at which it was sent."""
        span = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
        start = time.perf_counter()
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": file.as_uri(), "version": version},
                "contentChanges": [{"range": span, "text": text + "\n"}],
            },
        )
        return start

    def diagnostics(self, file: Path, version: int, timeout: float) -> tuple[float, list[dict[str, Any]]] | None:
        """The next publication for this version of the file, with its moment; None when none comes in time."""
        end = time.perf_counter() + timeout
        while (left := end - time.perf_counter()) > 0:
            try:
                now, params = self._published.get(timeout=left)
            except queue.Empty:
                return None
            # Not every server says which version its diagnostics are of.
            if params["uri"] == file.as_uri() and params.get("version", version) == version:
                return now, params["diagnostics"]
        return None

    def publications(self, file: Path, quiet: float) -> list[tuple[float, int | None]]:
        """All that were not asked for yet, with their moments and versions, until none came for so many seconds."""
        found: list[tuple[float, int | None]] = []
        while True:
            try:
                now, params = self._published.get(timeout=quiet)
            except queue.Empty:
                return found
            if params["uri"] == file.as_uri():
                found.append((now, params.get("version")))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
