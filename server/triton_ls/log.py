"""What the log keeps for whoever reports a problem, and what it leaves out. May not write anywhere."""

from __future__ import annotations

import logging
from collections import deque

from pygls.exceptions import JsonRpcException

_KEPT = 60


class Tail(logging.Handler):
    """Keeps what was logged last, as it was written."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: deque[str] = deque(maxlen=_KEPT)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


class Refusals(logging.Filter):
    """A request that was answered with a sentence is no failure of ours: one line, no traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, JsonRpcException):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg, record.args, record.exc_info = f"refused: {error}", None, None
        return True
