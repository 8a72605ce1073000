"""What the workspace's index has of a text, and the same from an earlier process: to find it out takes ten times as
long as to read it.

Hangs on the text alone, and on this program. An entry that can't be read costs a log line and time, never an answer.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
import sys
from array import array
from base64 import b64decode, b64encode
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Protocol
from zlib import crc32

from kernel_analysis import analysis_version
from kernel_analysis.codec import pack, unpack
from kernel_analysis.host.changes.text.text_patterns import set_in_strings
from kernel_analysis.record import record
from kernel_analysis.source.text_search.mentions import Mentions, mentions

WORD = re.compile(r"[^\W\d]\w*")
_DIGITS = string.digits.encode()
_IN_WORDS = f"{string.ascii_letters}{string.digits}_".encode()
_BLANKS = bytes(byte if byte in _IN_WORDS or byte >= 0x80 else 0x20 for byte in range(256))
"""What is in no word of ASCII is a blank."""
_Stored = tuple[list[str], dict[str, list[str]], list[str], list[str], list[str], str]


class TextStore(Protocol):
    """Texts by key, which outlive the process."""

    def recall_texts(self, keys: list[str]) -> Mapping[str, str]:
        """Those that there are."""
        ...

    def keep_texts(self, entries: Mapping[str, str]) -> None: ...


@record
class Indexed:
    """``words``: hashes of its words, in order. ``in_strings``: the attributes that texts in it set."""

    mentions: Mentions
    words: array[int]
    in_strings: frozenset[str]

    def has(self, word: int) -> bool:
        """Whether it may have the word with this hash: a few have the same."""
        place = bisect_left(self.words, word)
        return place < len(self.words) and self.words[place] == word


def hashed(word: str) -> int:
    """The same in every process."""
    return crc32(_encoded(word))


def indexed(text: str) -> Indexed:
    """Of a text, its names as Python has them."""
    return Indexed(mentions(text), array("I", sorted(_words(text))), set_in_strings(text))


def _words(text: str) -> set[int]:
    """The hashes of a text's words. (To search for each of them takes several times as long.)"""
    found: set[bytes] = set()
    for run in set(text.encode("utf-8", "surrogatepass").translate(_BLANKS).split()):
        if run.isascii():
            found.add(run.lstrip(_DIGITS))
        else:
            found.update(map(_encoded, WORD.findall(run.decode("utf-8", "surrogatepass"))))
    found.discard(b"")
    return set(map(crc32, found))


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def spells_as_attribute(text: str, name: str) -> bool:
    """Whether a module's ``name`` is spelled as such."""
    # A search for a literal takes a tenth of one that begins with anything else.
    return any(_before(text, match.start()) in (".", "'", '"') for match in re.finditer(rf"{re.escape(name)}\b", text))


def _before(text: str, place: int) -> str:
    """The last sign before a place that is no space."""
    while text[place - 1 : place].isspace():
        place -= 1
    return text[place - 1 : place]


class TextIndex:
    """``store``: None where nothing is kept."""

    def __init__(self, store: TextStore | None) -> None:
        self._store = store
        self._expected: dict[str, str] = {}
        self._new: dict[str, str] = {}
        self._program = f"{analysis_version()}, Python {sys.version_info[:2]}, text\0" if store else ""

    @property
    def stored(self) -> bool:
        """Whether an earlier process may have left something."""
        return self._store is not None

    def expect(self, texts: Iterable[str]) -> None:
        """These will be asked for: all at once costs little more than one."""
        keys = [self._key(text) for text in texts]
        if self._store is not None and keys:
            self._expected = dict(self._store.recall_texts(keys))

    def of(self, text: str, keep: bool) -> Indexed:
        """``keep``: for other processes, too."""
        if self._store is None:
            return indexed(text)
        key = self._key(text)
        stored = self._expected.pop(key, None)
        if stored is not None:
            try:
                return _from_stored(stored)
            except (ValueError, TypeError, IndexError, RecursionError) as error:
                print(f"triton-ls: an entry of the cache is damaged and computed anew ({error})", file=sys.stderr)
        found = indexed(text)
        if keep:
            self._new[key] = _to_stored(found)
        return found

    def flush(self) -> None:
        """What is new goes to the store."""
        if self._store is not None and self._new:
            self._store.keep_texts(self._new)
        self._new = {}

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self._program}{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _to_stored(found: Indexed) -> str:
    said = found.mentions
    renamed = {name: sorted(others) for name, others in said.renamed.items()}
    words = b64encode(found.words.tobytes()).decode()
    rest = (sorted(said.imported), sorted(said.stored), sorted(found.in_strings), words)
    return json.dumps(pack((sorted(said.names), renamed, *rest)), separators=(",", ":"))


def _from_stored(stored: str) -> Indexed:
    names, renamed, imported, stored_names, in_strings, words = unpack(_Stored, json.loads(stored))
    hashes = array("I")
    hashes.frombytes(b64decode(words, validate=True))
    others = {name: frozenset(said) for name, said in renamed.items()}
    said = Mentions(frozenset(names), others, frozenset(imported), frozenset(stored_names))
    return Indexed(said, hashes, frozenset(in_strings))
