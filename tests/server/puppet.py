"""A tiny agent for tests of process control: speaks docs/agent.md, and does to itself what the names of functions say.

``def hang...`` never comes back, ``def crash...`` dies of a segmentation fault, ``def slow...`` takes a second, ``def
half...`` half of one, ``def brief...`` a tenth; one with ``early`` in its name tells something beforehand; any other
function is reported to write its first parameter. A file with ``# die`` kills it before its index is sent. A file
with ``# write b'...'`` makes it write those bytes after the index; ``# no answer``: and nothing after them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any


def interpreter(directory: Path, script: str = "", program: str = __file__) -> str:
    """An executable that stands where a Python interpreter is expected and runs this file instead of the real agent."""
    path = directory / "python-puppet"
    path.write_text(f"#!/bin/sh\n{script}\nexec {sys.executable} {program} {directory / 'log'}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def log(directory: Path) -> list[list[Any]]:
    """What all puppets did so far, each entry with the process first."""
    path = directory / "log"
    text = path.read_text() if path.exists() else ""
    # The last line may be half written.
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def suffers(directory: Path, name: str) -> bool:
    """Whether a puppet has begun with the function of that name; texts that it was told are in its log before that."""
    return any(entry[1:] == ["suffers", name] for entry in log(directory))


def _main(log_file: str) -> None:
    documents: dict[str, str | None] = {}

    def note(*what: Any) -> None:
        with open(log_file, "a", encoding="utf-8") as stream:
            stream.write(json.dumps([os.getpid(), *what]) + "\n")

    def send(message: dict[str, Any]) -> None:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    for line in sys.stdin:
        message = json.loads(line)
        method, params = message["method"], message.get("params", {})
        note(method, params)
        if method == "initialize":
            result: Any = {"python": "3.11.0", "executable": sys.executable, "triton": "0.0", "triton_error": None}
            send({"id": message["id"], "result": result})
        elif method == "document":
            documents[params["file"]] = params["text"]
        elif method == "analyze":
            text = documents.get(params["file"])
            if text is None:
                text = Path(params["file"]).read_text(encoding="utf-8")
            _analyze(
                text, message["id"], params, lambda method, params: send({"method": method, "params": params}), note
            )
            digest = hashlib.sha256(text.encode()).hexdigest()
            depends = dict.fromkeys(re.findall(r"^# depends (.*)$", text, flags=re.MULTILINE))
            done = {"file": params["file"], "generation": params["generation"], "digest": digest, "depends": depends}
            send({"id": message["id"], "result": {**done, "compiles": 1}})
        elif method == "ir":
            _suffer(params["qualname"])
            send({"id": message["id"], "error": {"code": 1, "message": "A puppet has no TTIR."}})


def _analyze(text: str, request: int, params: dict[str, Any], notify: Any, note: Any) -> None:
    if "# die" in text:
        os._exit(3)
    about = {"file": params["file"], "generation": params["generation"]}
    entries = [_entry(params["file"], line, match) for line, match in _functions(text)]
    notify("index", {**about, "kernels": entries, "findings": []})
    for literal in re.findall(r"^# write (.*)$", text, flags=re.MULTILINE):
        generation = str(params["generation"]).encode()
        line = ast.literal_eval(literal).replace(b"GENERATION", generation).replace(b"REQUEST", str(request).encode())
        os.write(1, line + b"\n")
    if "# no answer" in text:
        time.sleep(1000)
    for entry in entries:
        skipped = params["skip"].get(entry["key"])
        if skipped is None:
            notify("started", {**about, "key": entry["key"], "qualname": entry["qualname"]})
            if "early" in entry["name"]:
                notify("early", {**about, "report": {**_report(entry, None), "status": "partial"}})
            note("suffers", entry["name"])
            _suffer(entry["name"])
        notify("kernel", {**about, "report": _report(entry, skipped)})


def _functions(text: str) -> list[tuple[int, re.Match[str]]]:
    found = [(number, re.match(r"def (\w+)\((\w+)", line)) for number, line in enumerate(text.split("\n"), start=1)]
    return [(number, match) for number, match in found if match is not None]


def _entry(file: str, line: int, match: re.Match[str]) -> dict[str, Any]:
    def span(start: int, end: int) -> dict[str, Any]:
        return {"file": file, "line": line, "column": start, "end_line": line, "end_column": end}

    name = match.group(1)
    whole, name_span = span(1, match.end() + 1), span(5, 5 + len(name))
    key = hashlib.sha256(match.group(0).encode()).hexdigest()
    return {"key": key, "name": name, "qualname": name, "role": "kernel", "span": whole, "name_span": name_span}


def _suffer(name: str) -> None:
    if name.startswith("hang"):
        time.sleep(1000)
    elif name.startswith("slow"):
        time.sleep(1)
    elif name.startswith("half"):
        time.sleep(0.5)
    elif name.startswith("brief"):
        time.sleep(0.1)
    elif name.startswith("crash"):
        os.kill(os.getpid(), signal.SIGSEGV)


def _report(entry: dict[str, Any], skipped: str | None) -> dict[str, Any]:
    span = entry["name_span"]
    problems = [{"code": "not-analyzed", "message": skipped, "span": span}] if skipped else []
    findings = [{"code": "not-analyzed", "severity": "warning", "message": skipped, "span": span}] if skipped else []
    return {
        **entry,
        "file": span["file"],
        "status": "failed" if skipped else "analyzed",
        "problems": problems,
        "findings": findings,
    }


if __name__ == "__main__":
    _main(sys.argv[1])
