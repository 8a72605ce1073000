"""Outcomes by content: in memory for this process, and for all of them with the server, which stores what it is sent.

An entry that can't be read costs a log line and time, never an answer. May know nothing of Triton, and touch no file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from kernel_analysis import analysis_version, wire
from kernel_analysis.agent.protocol.channel import Channel
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.codec import pack, unpack
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.zipped import unzipped, zipped

MEMORY_ENTRIES = 512


def cache_key(slice_hash: str, signatures: list[Signature], triton: str, options: str) -> str:
    """Whatever could change an outcome is in its key; positions in the user's files are not. ``options``: target,
    limits."""
    parts = repr((analysis_version(), slice_hash, [_content(s) for s in signatures], triton, options))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def _content(signature: Signature) -> object:
    """All of it: evidence is part of what is reported, and whether a guess is to blame depends on it. But for where
    things stand, which is not stored."""
    evidence = [(name, replace(e, line=None, place=None)) for name, e in signature.evidence.items()]
    made = sorted((path, made.index) for path, made in signature.made.items())
    rest = [sorted(named.items()) for named in (signature.names, signature.extents, signature.splits)]
    return [replace(signature, evidence={}, names={}, made={}, extents={}, splits={}), evidence, made, *rest]


class Cache:
    """``server``: who stores for all processes; None: memory only."""

    def __init__(self, server: Channel | None) -> None:
        self._memory: OrderedDict[str, Outcome] = OrderedDict()
        self._unsent: list[tuple[str, bytes]] = []
        self._recalled: dict[str, bytes | None] = {}
        self._server = server

    def expect(self, keys: Iterable[str]) -> None:
        """These will be asked for: all at once costs no more than one."""
        unknown = [key for key in keys if key not in self._memory]
        self._recalled = dict.fromkeys(unknown) | self._recall(unknown)

    def get(self, key: str) -> Outcome | None:
        found = self._memory.get(key)
        if found is not None:
            self._memory.move_to_end(key)
            return found
        data = self._recalled.pop(key) if key in self._recalled else self._recall([key]).get(key)
        if data is None:
            return None
        try:
            found = unpack(Outcome, json.loads(unzipped(data)))
        except (ValueError, TypeError, IndexError, RecursionError) as error:
            print(f"triton-ls: an entry of the cache is damaged and computed anew ({error})", file=sys.stderr)
            return None
        self._remember(key, found)
        return found

    def put(self, key: str, outcome: Outcome, for_all: bool = True) -> None:
        """``for_all`` False: for this process only, another may find out more. The server has it after ``flush``."""
        self._remember(key, outcome)
        if for_all and self._server is not None:
            self._unsent.append((key, zipped(json.dumps(pack(outcome), separators=(",", ":")))))

    def note(self, key: str, text: str) -> None:
        """A text for whoever shares the store; sent with ``flush``, and nowhere without a server."""
        if self._server is not None:
            self._unsent.append((key, text.encode()))

    def noted(self, key: str) -> str | None:
        """The last text that somebody noted."""
        data = self._recall([key]).get(key)
        return None if data is None else data.decode(errors="replace")

    def recall_texts(self, keys: list[str]) -> dict[str, str]:
        """Those that another process sent, by their keys."""
        found: dict[str, str] = {}
        for key, data in self._recall(keys).items():
            try:
                found[key] = unzipped(data)
            except ValueError as error:
                print(f"triton-ls: an entry of the cache is damaged and computed anew ({error})", file=sys.stderr)
        return found

    def keep_texts(self, entries: Mapping[str, str]) -> None:
        """For other processes, at once."""
        if self._server is not None:
            self._server.notify(wire.Keep([(key, b64encode(zipped(text)).decode()) for key, text in entries.items()]))

    def flush(self) -> None:
        """Send what is new: after the answer, nobody should wait for it."""
        if self._server is not None and self._unsent:
            entries = [(key, b64encode(data).decode()) for key, data in self._unsent]
            self._server.notify(wire.Keep(entries))
        self._unsent.clear()

    def _recall(self, keys: list[str]) -> dict[str, bytes]:
        if self._server is None or not keys:
            return {}
        found = self._server.recall(wire.Recall(keys))["entries"]
        return {key: b64decode(data) for key, data in found.items()}

    def _remember(self, key: str, outcome: Outcome) -> None:
        self._memory[key] = outcome
        if len(self._memory) > MEMORY_ENTRIES:
            self._memory.popitem(last=False)
