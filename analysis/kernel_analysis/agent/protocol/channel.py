"""The agent's end of the wire: one JSON message a line over descriptors that nobody else can write to.

Knows nothing of what the messages mean. Everything else in the process that prints (``tl.static_print``, MLIR)
reaches standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import select
import sys
import threading
from typing import Any

from kernel_analysis import wire
from kernel_analysis.codec import as_object

Message = dict[str, Any]

# What is sent is plain data, which has no circles.
_ENCODER = json.JSONEncoder(separators=(",", ":"), default=as_object, check_circular=False)

# Read apart from all other messages, which wait for their turn; so it is fixed to the letter. What is not, is answered
# in its turn as the unknown method that it is.
_CANCEL = re.compile(rb'\{"jsonrpc":"2\.0","method":"cancel","params":\{"generation":(\d{1,18})\}\}\s*')
# So is an answer: our own questions have texts for an id, the server's have numbers.
_ANSWER = b'{"jsonrpc":"2.0","id":"agent-'


class Channel:
    """Takes over descriptors 0 and 1. From ``start_reader`` on a thread of its own reads, so that the end of the server
    ends the agent even while it compiles."""

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        self.cancelled = -1
        """The highest generation that nobody waits for any more: known at once, whatever the agent is at."""
        self._inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._asked = 0
        self._partial = bytearray()
        self._reader: threading.Thread | None = None
        if sys.platform != "linux":
            self.start_reader()  # nothing to wait for: what binds a thread is Linux's own

    def start_reader(self) -> None:
        """Once this process has given up what it need not have: a thread is held only to what was given up before."""
        if self._reader is None:
            self._reader = threading.Thread(target=self._read_on, name="reader", daemon=True)
            self._reader.start()

    def receive(self, wait: float | None = None) -> Message | None:
        """The next message; None when none came within ``wait`` seconds. Raises ValueError for a line that is no
        message."""
        if self._reader is None:
            self._read_now(wait)
        with contextlib.suppress(queue.Empty):
            line = self._inbox.get(self._reader is not None, wait)
            try:
                message: Message = json.loads(line)
            except RecursionError:
                raise ValueError("nested too deeply") from None
            if type(message) is not dict or type(message.get("params", {})) not in (dict, type(None)):
                raise ValueError("not a JSON object with an object as its params")
            return message
        return None

    @property
    def waiting(self) -> bool:
        """Whether a message waits for its turn."""
        return not self._inbox.empty()

    def send(self, message: Message) -> None:
        """One line; ASCII, so that a lone surrogate in a user's string can't break the stream."""
        try:
            self._out.write(_ENCODER.encode({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._out.flush()
        except BrokenPipeError:
            os._exit(0)

    def notify(self, said: wire.Said) -> None:
        self.send({"method": wire.METHODS[type(said)], "params": said})

    def recall(self, asked: wire.Recall) -> Message:
        """The server's answer, which it has at hand; whatever else it sends meanwhile waits for its turn."""
        self._asked += 1
        self.send({"id": f"agent-{self._asked}", "method": "recall", "params": asked})
        while self._reader is None and self._answers.empty():
            self._read()
        answer: Message = json.loads(self._answers.get())
        return answer["result"]

    def _read_now(self, wait: float | None) -> None:
        """Without a thread: until there is a line, or nothing came for ``wait`` seconds."""
        waiting = select.poll()
        waiting.register(self._in, select.POLLIN)
        while self._inbox.empty() and waiting.poll(None if wait is None else wait * 1000):
            self._read()

    def _read_on(self) -> None:
        while True:
            self._read()

    def _read(self) -> None:
        data = os.read(self._in, 1 << 16)
        if not data:
            # The server is gone: nobody waits for the job that runs. Every result of worth is with it already.
            os._exit(0)
        *lines, rest = data.split(b"\n")
        if not lines:
            self._partial += rest
            return
        lines[0], self._partial = bytes(self._partial) + lines[0], bytearray(rest)
        for line in lines:
            if (cancel := _CANCEL.fullmatch(line)) is not None:
                self.cancelled = max(self.cancelled, int(cancel[1]))
            elif line.startswith(_ANSWER):
                self._answers.put(line)
            elif line.strip():
                self._inbox.put(line)
