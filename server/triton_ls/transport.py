"""Standard input as pygls reads it, and the signals that end the server.

Knows headers and signals, no messages.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import BinaryIO, NoReturn, cast

from triton_ls.agents.children import kill_all

logger = logging.getLogger(__name__)

_PATIENCE = 3.0
_LENGTH = b"content-length"
_LONGEST = 1 << 24


class Input:
    """``before`` is read first. pygls knows one spelling of ``Content-Length``; names of headers are the same in upper
    and lower case, and what stands around a value means nothing."""

    def __init__(self, stream: BinaryIO, before: bytes = b"") -> None:
        self._stream, self._before = stream, io.BytesIO(before)

    def readline(self) -> bytes:
        """A line of the headers: bodies are read by their length."""
        line = self._before.readline() or self._stream.readline()
        length = _length(line)
        return line if length is None else b"Content-Length: %d\r\n" % length

    def read(self, size: int) -> bytes:
        before = self._before.read(size)
        return before + self._stream.read(size - len(before)) if len(before) < size else before

    def as_stream(self) -> BinaryIO:
        """Of all that a stream can do, pygls asks for what this one has."""
        return cast("BinaryIO", self)


def first_message(stream: BinaryIO) -> tuple[bytes, bytes]:
    """The headers and the body of the first message, as they came; what ends before it is whole, or is too long to be
    the start of a conversation, is all headers."""
    head, length = b"", None
    while line := stream.readline(_LONGEST):
        head += line
        length = length or _length(line)
        if length and not line.strip():
            body = stream.read(length) if length <= _LONGEST else b""
            return (head, body) if len(body) == length else (head + body, b"")
        if len(head) >= _LONGEST:
            break
    return head, b""


def _length(line: bytes) -> int | None:
    """What a header says of the length of the body."""
    name, colon, value = line.partition(b":")
    return int(value) if colon and name.strip().lower() == _LENGTH and value.strip().isdigit() else None


def end_on_signals(stop: Callable[[], Awaitable[None]]) -> None:
    """SIGINT and SIGTERM end the server as ``shutdown`` does: ``stop`` is awaited. Not by an exception: a thread that
    waits for input holds up every end of the interpreter."""

    def end(number: int, frame: FrameType | None) -> None:
        # Nothing is logged in here: a signal may come in the middle of a line of the log.
        for each in signals:  # whoever asks twice can't wait
            signal.signal(each, lambda number, frame: _leave(number))
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            _leave(number)
        tasks: list[asyncio.Task[None]] = []
        loop.call_soon_threadsafe(lambda: tasks.append(loop.create_task(_end(stop, number))))

    signals = (signal.SIGINT, signal.SIGTERM)
    for each in signals:
        signal.signal(each, end)


async def _end(stop: Callable[[], Awaitable[None]], number: int) -> None:
    logger.info("ended by %s", signal.Signals(number).name)
    try:
        await asyncio.wait_for(stop(), _PATIENCE)
    except Exception:
        logger.exception("the end was not a calm one")
    finally:
        _leave(number)


def _leave(number: int) -> NoReturn:
    try:
        kill_all()
        logging.shutdown()
        sys.stderr.flush()
    finally:  # in the middle of a line of the log, its stream can't be flushed
        os._exit(128 + number)
