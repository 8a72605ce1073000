"""Run by the tests in a process of its own: gives up what the agent gives up, all of it or one layer, then tries what a
line on its standard input says, in Python, and prints what came of it.

`PYTHON inside.py LAYERS WORKSPACE [TOOL]`; LAYERS as in ``without``. With a tool it gives up what the process for the
compiler's later stages does. Each line is an expression; the answer is ``ok VALUE`` or the exception's name and text.
"""
# ruff: noqa: E402, BLE001

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[3] / "analysis"), str(Path(__file__).resolve().parent)]

import ctypes
import json
import os
import signal
import socket
import subprocess
import threading

from without import switch_off

from kernel_analysis.agent.sandbox import seal
from kernel_analysis.lowering.gate import evaluation

LIBC = ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *arguments: object) -> int:
    """By its number, past all of Python; raises as ``os`` does."""
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def threads() -> int:
    """How many of eight threads came to run."""
    ran: list[int] = []
    started = [threading.Thread(target=ran.append, args=(number,)) for number in range(8)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return len(ran)


def in_thread(expression: str) -> object:
    """Tried by another thread."""
    found: list[object] = []

    def attempt() -> None:
        try:
            found.append(("ok", str(eval(expression))))
        except BaseException as error:
            found.append((type(error).__name__, str(error)))

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return found[0]


class Reader:
    """A thread that was started while the process was sealed, as the agent's is."""

    def start(self) -> None:
        self.found: list[str] = []
        self.go = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self.go.wait()
        try:
            self.found.append(Path("/etc/passwd").read_text())
        except OSError as error:
            self.found.append(type(error).__name__)

    def result(self) -> str:
        self.go.set()
        self.thread.join()
        return self.found[0]


READER = Reader()
USED = (signal, socket, subprocess)


def evaluated(expression: str) -> object:
    """As a kernel's text is: what ``eval`` itself needs has been done before."""
    code = eval("lambda: " + expression)
    return evaluation.evaluated(code)


def main() -> None:
    layers, workspace, *tools = sys.argv[1:]
    switch_off(seal, set(layers.split(",")))
    if tools:
        protection = seal.seal_for_tools(sys.path, workspace, tools, READER.start)
    else:
        protection = seal.seal([workspace], sys.path, READER.start)
    print(json.dumps([protection.audit, protection.seccomp, protection.landlock, list(protection.missing)]), flush=True)
    for line in sys.stdin:
        expression = json.loads(line)
        try:
            answer = ["ok", str(eval(expression))]
        except BaseException as error:
            answer = [type(error).__name__, str(error)]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
