"""What the agents found out, kept on disk for the next ones: an agent itself writes nothing.

Believes no agent: it stores under an agent's own kinds of keys only, so many and so large. Works in a thread of its
own, because a disk may be slow and another process may hold the file.
"""

from __future__ import annotations

import functools
import logging
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from triton_ls.agents.launch import CACHE_SIZE_MB

if TYPE_CHECKING:
    from kernel_analysis.disk import Disk

logger = logging.getLogger(__name__)

_KEY = re.compile(r"(last:)?[0-9a-f]{64}")
_MOST_WAITING = 10_000
"""Entries that may wait to be written; what comes on top of them is computed again when it is needed."""


@functools.cache
def store(path: str) -> Store:
    """One for each file, for as long as this process lives."""
    return Store(path)


class Store:
    """``recall`` and ``keep`` are the agent's own messages (docs/agent.md)."""

    def __init__(self, path: str, size_mb: int = CACHE_SIZE_MB) -> None:
        self._path, self._size = path, size_mb << 20
        self._thread = ThreadPoolExecutor(1, "cache")
        self._waiting = 0
        self._opened = False
        self._disk: Disk | None = None

    def open(self) -> None:
        """Before it is needed: the first time takes longest."""
        self._thread.submit(self._file)

    def recall(self, keys: list[str], answer: Callable[[dict[str, Any]], None]) -> None:
        """``answer`` gets the result, in the store's thread."""
        self._thread.submit(lambda: answer({"entries": self._found(keys)}))

    def keep(self, entries: Iterable[tuple[str, str]]) -> None:
        entries = [(key, data) for key, data in entries if _KEY.fullmatch(key)]
        if self._waiting + len(entries) <= _MOST_WAITING:
            self._waiting += len(entries)
            self._thread.submit(self._write, entries)

    def close(self) -> None:
        """What was sent is written."""
        self._thread.submit(self._close_file)
        self._thread.shutdown()

    def _found(self, keys: list[str]) -> dict[str, str]:
        try:
            disk = self._file()
            found = {key: disk.get(key) for key in keys if _KEY.fullmatch(key)} if disk is not None else {}
        except Exception:  # the agent waits, and can do without
            logger.exception("the cache could not be read")
            return {}
        return {key: b64encode(data).decode() for key, data in found.items() if data is not None}

    def _write(self, entries: list[tuple[str, str]]) -> None:
        try:
            disk = self._file()
            if disk is not None:
                for key, data in entries:
                    disk.put(key, b64decode(data, validate=True))
        except Exception:  # what is not stored is computed again
            logger.exception("the cache could not be written")
        finally:
            self._waiting -= len(entries)

    def _close_file(self) -> None:
        if self._disk is not None:
            self._disk.close()

    def _file(self) -> Disk | None:
        if not self._opened:
            self._opened = True
            try:
                from kernel_analysis.disk import Disk
            except ImportError as error:
                # A Python built where SQLite's headers were missing has no sqlite3.
                logger.warning("results are kept in memory only, this Python has no sqlite3 (%s)", error)
            else:
                self._disk = Disk(self._path, self._size)
        return self._disk
