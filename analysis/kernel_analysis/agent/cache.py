"""Outcomes by content: in memory for this process, and on disk for all of them (``disk``).

A cache that can't be read or written costs a log line and time, never an answer. May know nothing of Triton.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING

from kernel_analysis import analysis_version
from kernel_analysis.agent.outcome import Outcome
from kernel_analysis.codec import pack, unpack
from kernel_analysis.signature.model import Signature

if TYPE_CHECKING:
    from kernel_analysis.disk import Disk

MEMORY_ENTRIES = 512


def cache_key(slice_hash: str, signatures: list[Signature], triton: str, options: str) -> str:
    """Whatever could change an outcome is in its key; positions in the user's files are not. ``options``: target,
    limits."""
    parts = repr((analysis_version(), slice_hash, [_content(s) for s in signatures], triton, options))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def _content(signature: Signature) -> object:
    """Evidence is part of what is reported, and whether a guess is to blame depends on it; the line that it stands on
    is not stored."""
    constants = [(name, repr(value)) for name, value in signature.constants.items()]
    evidence = [(name, e.kind, e.detail, e.certain) for name, e in signature.evidence.items()]
    return list(signature.types.items()), constants, evidence


class Cache:
    """``path`` None: memory only. Several processes may share the file."""

    def __init__(self, path: str | None, size_mb: int) -> None:
        self._memory: OrderedDict[str, Outcome] = OrderedDict()
        self._unwritten: list[tuple[str, Outcome]] = []
        self._notes: list[tuple[str, str]] = []
        self._disk = _disk(path, size_mb) if path else None

    def get(self, key: str) -> Outcome | None:
        found = self._memory.get(key)
        if found is not None:
            self._memory.move_to_end(key)
            return found
        data = self._disk.get(key) if self._disk else None
        if data is None:
            return None
        try:
            found = unpack(Outcome, json.loads(zlib.decompress(data)))
        except (ValueError, TypeError, IndexError, zlib.error) as error:
            print(f"triton-ls: an entry of the cache is damaged and computed anew ({error})", file=sys.stderr)
            return None
        self._remember(key, found)
        return found

    def put(self, key: str, outcome: Outcome, on_disk: bool = True) -> None:
        """``on_disk`` False: for this process only, another may find out more. The disk has it after ``flush``."""
        self._remember(key, outcome)
        if self._disk is not None and on_disk:
            self._unwritten.append((key, outcome))

    def note(self, key: str, text: str) -> None:
        """A text for whoever shares the disk; written with ``flush``, and nowhere without one."""
        if self._disk is not None:
            self._notes.append((key, text))

    def noted(self, key: str) -> str | None:
        """The last text that somebody noted."""
        data = self._disk.get(key) if self._disk else None
        return None if data is None else data.decode(errors="replace")

    def flush(self) -> None:
        """Write what is new to the disk: after the answer was sent, nobody should wait for it."""
        for key, outcome in self._unwritten:
            if self._disk is not None:
                text = json.dumps(pack(outcome), separators=(",", ":"))
                self._disk.put(key, zlib.compress(text.encode(), 1))
        self._unwritten.clear()
        for key, text in self._notes:
            if self._disk is not None:
                self._disk.put(key, text.encode())
        self._notes.clear()

    def close(self) -> None:
        self.flush()
        if self._disk is not None:
            self._disk.close()

    def _remember(self, key: str, outcome: Outcome) -> None:
        self._memory[key] = outcome
        if len(self._memory) > MEMORY_ENTRIES:
            self._memory.popitem(last=False)


def _disk(path: str, size_mb: int) -> Disk | None:
    try:
        from kernel_analysis.disk import Disk
    except ImportError as error:
        # A Python built where SQLite's headers were missing has no sqlite3.
        print(f"triton-ls: results are kept in memory only, this Python has no sqlite3 ({error})", file=sys.stderr)
        return None
    return Disk(path, size_mb << 20)
