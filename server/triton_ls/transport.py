"""Standard input as pygls reads it, and the signals that end the server.

Knows headers and signals, no messages.
"""

from __future__ import annotations

import asyncio
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


class Input:
    """pygls knows one spelling of ``Content-Length``; names of headers are the same in upper and lower case, and what
    stands around a value means nothing."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """A line of the headers: bodies are read by their length."""
        line = self._stream.readline()
        name, colon, value = line.partition(b":")
        if colon and name.strip().lower() == _LENGTH and value.strip().isdigit():
            return b"Content-Length: %b\r\n" % value.strip()
        return line

    def read(self, size: int) -> bytes:
        return self._stream.read(size)


def as_stream(stream: BinaryIO) -> BinaryIO:
    """Of all that a stream can do, pygls asks for what ``Input`` has."""
    return cast("BinaryIO", Input(stream))


def end_on_signals(stop: Callable[[], Awaitable[None]]) -> None:
    """SIGINT and SIGTERM end the server as ``shutdown`` does: ``stop`` is awaited. Not by an exception: a thread that
    waits for input holds up every end of the interpreter."""

    def end(number: int, frame: FrameType | None) -> None:
        logger.info("ended by %s", signal.Signals(number).name)
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
    try:
        await asyncio.wait_for(stop(), _PATIENCE)
    except Exception:
        logger.exception("the end was not a calm one")
    finally:
        _leave(number)


def _leave(number: int) -> NoReturn:
    kill_all()
    logging.shutdown()
    sys.stderr.flush()
    os._exit(128 + number)
