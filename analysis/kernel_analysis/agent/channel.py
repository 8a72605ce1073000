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
import threading
from typing import Any

Message = dict[str, Any]

# Read apart from all other messages, which wait for their turn; so it is fixed to the letter. What is not, is answered
# in its turn as the unknown method that it is.
_CANCEL = re.compile(rb'\{"jsonrpc":"2\.0","method":"cancel","params":\{"generation":(\d{1,18})\}\}\s*')


class Channel:
    """Takes over descriptors 0 and 1. A thread of its own reads, so that the end of the server ends the agent even
    while it compiles."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        self.cancelled = -1
        """The highest generation that nobody waits for any more: known at once, whatever the agent is at."""
        self._inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="reader", daemon=True).start()

    def receive(self, wait: float | None = None) -> Message | None:
        """The next message; None when none came within ``wait`` seconds. Raises ValueError for a line that is no
        message."""
        with contextlib.suppress(queue.Empty):
            line = self._inbox.get(timeout=wait)
            try:
                message: Message = json.loads(line)
            except RecursionError:
                raise ValueError("nested too deeply") from None
            if type(message) is not dict or type(message.get("params", {})) not in (dict, type(None)):
                raise ValueError("not a JSON object with an object as its params")
            return message
        return None

    def send(self, message: Message) -> None:
        """One line; ASCII, so that a lone surrogate in a user's string can't break the stream."""
        try:
            self._out.write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n")
            self._out.flush()
        except BrokenPipeError:
            os._exit(0)

    def notify(self, method: str, params: Message) -> None:
        self.send({"method": method, "params": params})

    def _read(self) -> None:
        for line in self._in:
            if (cancel := _CANCEL.fullmatch(line)) is not None:
                self.cancelled = max(self.cancelled, int(cancel[1]))
            elif line.strip():
                self._inbox.put(line)
        # The server is gone: nobody waits for the job that runs. Every result of worth is on disk already.
        os._exit(0)
