"""Tries attacks as a user would meet them: ``check`` over a folder, ``serve`` with every file opened. Real processes.

Knows no case; tells what was answered.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

INTERPRETER = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
PATIENCE = 240.0
_QUIET = 5
"""As many tenths of a second without work are rest."""


@dataclass(slots=True)
class Said:
    """``problems`` of each file: (line, code, message), as they were shown. ``status`` and ``kernels``: what a check
    tells of each, by file and name. ``text``: all that came out, for a look for secrets."""

    problems: dict[Path, list[tuple[int, str, str]]] = field(default_factory=dict[Path, list[tuple[int, str, str]]])
    status: dict[tuple[Path, str], str] = field(default_factory=dict[tuple[Path, str], str])
    kernels: dict[tuple[Path, str], dict[str, Any]] = field(default_factory=dict[tuple[Path, str], dict[str, Any]])
    text: str = ""


def _command(runner: str | None, *arguments: str) -> list[str]:
    """The command as it was installed: ``python -m`` would look for modules in the current directory first."""
    start = [str(Path(sys.executable).with_name("triton-ls"))] if runner is None else [sys.executable, runner]
    return [*start, *arguments]


def check(
    work: Path, environment: dict[str, str], *options: str, runner: str | None = None, only: Path | None = None
) -> Said:
    """``runner``: a Python file that does what ``triton-ls`` does, but for what the test changes. ``only``: the one
    file that is looked at."""
    arguments = ["check", "--no-cache", "--python", INTERPRETER, *options]
    command = _command(runner, *arguments, "--format", "json", str(only or work))
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in (0, 1), f"check ended with {done.returncode}:\n{done.stderr[-3000:]}"
    document = json.loads(done.stdout)
    said = Said(text=done.stdout + done.stderr)
    for found in document["diagnostics"]:
        shown = (found["line"], found["code"], found["message"])
        said.problems.setdefault(Path(found["file"]), []).append(shown)
    for kernel in document["kernels"]:
        place = (Path(kernel["file"]), kernel["name"])
        said.status[place] = kernel["status"]
        said.kernels[place] = kernel
    return said


def check_as_text(work: Path, environment: dict[str, str], *options: str) -> str:
    command = _command(
        None, "check", "--no-cache", "--python", INTERPRETER, "--verbose", "--hints", *options, str(work)
    )
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in (0, 1), f"check ended with {done.returncode}:\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr


class Server:
    """A session that nobody trusts, in the workspace's folder. Every byte that it says is kept."""

    def __init__(self, work: Path, environment: dict[str, str], runner: str | None = None, **options: Any) -> None:
        command = _command(runner, "serve", "--log-level", "debug")
        self._log = bytearray()
        self._said: list[bytes] = []
        self._process = subprocess.Popen(
            command, cwd=work, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._answers: dict[int, dict[str, Any]] = {}
        self._shown: dict[str, tuple[int, list[dict[str, Any]]]] = {}
        self._states: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        self._ids = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_log, daemon=True).start()
        settings = {"interpreter": INTERPRETER, "cache": False, "debounce": 0, **options}
        self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": work.as_uri(),
                "workspaceFolders": [{"uri": work.as_uri(), "name": work.name}],
                "capabilities": {"textDocument": {"publishDiagnostics": {"versionSupport": True}}},
                "initializationOptions": {"status": True, "trusted": False, **settings},
            },
        )
        self.notify("initialized", {})

    def _send(self, message: dict[str, Any]) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
        self._process.stdin.flush()

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: dict[str, Any]) -> Any:
        self._ids += 1
        identity = self._ids
        self._send({"id": identity, "method": method, "params": params})
        with self._news:
            self._wait(lambda: identity in self._answers, method)
            return self._answers.pop(identity).get("result")

    def _wait(self, condition: Any, what: str) -> None:
        if not self._news.wait_for(lambda: condition() or self._ended, PATIENCE):
            raise AssertionError(f"no answer to {what} within {PATIENCE:g} s:\n{self.log[-3000:]}")
        if not condition():
            raise AssertionError(f"the server ended, waiting for {what}:\n{self.log[-3000:]}")

    def open(self, files: dict[Path, str]) -> None:
        for file, text in files.items():
            document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
            self.notify("textDocument/didOpen", {"textDocument": document})

    def settle(self, files: list[Path]) -> None:
        """Wait until every one of these has been answered and there is nothing more to come."""
        with self._news:
            self._wait(lambda: all(file.as_uri() in self._shown for file in files), "diagnostics of all files")
            self._wait(lambda: self._states[-1:] in (["ready"], ["degraded"]), "the end of all work")
        self._rest()

    def _rest(self) -> None:
        """Wait until the agents, who read the rest of the workspace while nobody waits, and correct what was said, have
        nothing to do."""
        end, before, quiet = time.monotonic() + PATIENCE, -1.0, 0
        while quiet < _QUIET:
            assert time.monotonic() < end, f"the agents found no rest within {PATIENCE:g} s:\n{self.log[-3000:]}"
            time.sleep(0.1)
            used = self._used()
            quiet, before = (quiet + 1, before) if used == before else (0, used)
        with self._news:
            self._wait(lambda: self._states[-1:] in (["ready"], ["degraded"]), "the end of all work")

    def _used(self) -> float:
        """The processor time of the server and its agents, seconds."""
        server = psutil.Process(self._process.pid)
        used = 0.0
        for process in (server, *server.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                used += sum(process.cpu_times()[:2])
        return used

    def hover(self, file: Path, line: int, column: int) -> Any:
        position = {"line": line - 1, "character": column - 1}
        return self.request("textDocument/hover", {"textDocument": {"uri": file.as_uri()}, "position": position})

    def problems(self, file: Path) -> list[tuple[int, str, str]]:
        with self._news:
            _, found = self._shown.get(file.as_uri(), (0, []))
        return [(d["range"]["start"]["line"] + 1, str(d.get("code")), d["message"]) for d in found]

    @property
    def log(self) -> str:
        return self._log.decode(errors="replace")

    @property
    def said(self) -> str:
        return b"".join(self._said).decode(errors="replace") + self.log

    def close(self) -> int:
        """Its exit code."""
        self.request("shutdown", {})
        self.notify("exit", {})
        return self._process.wait(20)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        stream = self._process.stdout
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = stream.readline()
            content = stream.read(length)
            self._said.append(content)
            self._take(json.loads(content))
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is not None and "id" in message:  # a question of the server's: we have nothing to say
            self._send({"id": message["id"], "result": None})
            return
        with self._news:
            if "id" in message:
                self._answers[message["id"]] = message
            elif method == "textDocument/publishDiagnostics":
                params = message["params"]
                count = self._shown.get(params["uri"], (0, []))[0]
                self._shown[params["uri"]] = (count + 1, params["diagnostics"])
            elif method == "triton-ls/status":
                self._states.append(message["params"]["state"])
            self._news.notify_all()

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        while chunk := os.read(self._process.stderr.fileno(), 65536):
            self._log.extend(chunk)
