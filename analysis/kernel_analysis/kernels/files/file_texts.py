"""The texts of files: decoded as Python does, and kept for a next look.

May not parse any, nor know what they are for.
"""

from __future__ import annotations

import codecs
import io
import tokenize
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

from kernel_analysis.files import NOTEBOOK, FileStamp, Unreadable, read_file
from kernel_analysis.record import record
from kernel_analysis.source.parsing.notebook import Notebook, read_notebook
from kernel_analysis.source.text_search.layout import usual
from kernel_analysis.source.text_search.mentions import as_named

Stamp: TypeAlias = "FileStamp | str | None"
"""What is another whenever a file is: the editor's text of it, or what the disk says. None: there is no such file."""
_MOST_KEPT = 64_000_000
"""Characters."""
_MOST_ANSWERS = 1_000_000
_DECODED = (
    "ascii", "big5", "charmap", "cp", "euc_", "gb", "hp-roman8", "hz", "iso2022_", "iso8859-", "johab", "koi8-", "mac-",
    "kz1048", "palmos", "ptcp154", "raw-unicode-escape", "shift_jis", "tis-620", "unicode-escape", "utf-7", "utf-8",
)  # fmt: skip
"""How the names begin of the encodings that are decoded in one go through the bytes. Of what Python has beside them
some take a time that grows with the square of the length (`punycode`), or are made to fail (`undefined`)."""

_T = TypeVar("_T")


class Texts:
    """Those that were asked for of late, their names as Python has them, laid out as usual. ``changed`` is called with
    the file whose text is another than somebody was given before, ``forgot`` when answers were let go: nobody can say
    any more which would be others."""

    def __init__(self, changed: Callable[[str], None], forgot: Callable[[], None]) -> None:
        self._changed, self._forgot = changed, forgot
        self._asked: dict[str, Stamp] = {}
        self._known: dict[str, tuple[Stamp, str]] = {}
        self._kept = 0
        self._said: dict[str, tuple[Stamp, dict[tuple[Any, ...], object]]] = {}
        self._answers = 0

    def text(self, file: str, stamp: Stamp) -> str:
        """The text of a file that has this stamp; empty if it can't be read."""
        self.look_again(file, stamp)
        self._asked[file] = stamp
        known = self._known.pop(file, None)
        if known is None or known[0] != stamp:
            known = stamp, usual(as_named(stamp if isinstance(stamp, str) else decode(file).text))
            self._kept += len(known[1])
        self._known[file] = known  # the last that was asked for
        if self._kept > _MOST_KEPT:
            self._keep_fewer()
        return known[1]

    def says(self, file: str, stamp: Stamp, ask: Callable[..., _T], *words: str) -> _T:
        """What ``ask`` gives of the text of a file that has this stamp, and of words; it may hang on nothing else, and
        is small. The texts of a large workspace are more than are kept, and each is asked the same again and again."""
        known = self._said.get(file)
        if known is None or known[0] != stamp:
            known = self._said[file] = stamp, {}
        key = (ask, *words)
        if key not in known[1]:
            known[1][key] = ask(self.text(file, stamp), *words)
            self._answers += 1
            if self._answers > _MOST_ANSWERS:
                self._said.clear()
                self._answers = 0
                self._forgot()
        return cast("_T", known[1][key])

    def says_the_same(self, file: str, before: Stamp, stamp: Stamp) -> bool:
        """Whether a file that has this stamp gives all answers that it gave before."""
        known = self._said.get(file)
        if known is None:
            return True
        if known[0] != before:
            return False
        text = self.text(file, stamp)
        said = {key: key[0](text, *key[1:]) for key in known[1]}
        self._said[file] = stamp, said
        return said == known[1]

    def look_again(self, file: str, stamp: Stamp) -> None:
        """This is its stamp now."""
        if self._asked.get(file, stamp) != stamp:
            del self._asked[file]
            self._changed(file)

    def said(self, file: str, stamp: Stamp, answer: object, ask: Callable[..., object]) -> None:
        """That this is what ``ask`` would give."""
        known = self._said.get(file)
        if known is None or known[0] != stamp:
            known = self._said[file] = stamp, {}
        known[1][(ask,)] = answer

    def _keep_fewer(self) -> None:
        self._kept = sum(len(text) for _, text in self._known.values())
        while self._kept > _MOST_KEPT // 2 and len(self._known) > 1:
            self._kept -= len(self._known.pop(next(iter(self._known)))[1])


@record
class Decoded:
    """``note``: what was wrong with it."""

    text: str
    note: str | None = None
    notebook: Notebook | None = None


def decode(file: str) -> Decoded:
    """A file's text, by its BOM or coding cookie; a notebook's Python."""
    try:
        raw = read_file(file)
        if file.endswith(NOTEBOOK):
            notebook = read_notebook(raw)
            return Decoded(notebook.text, notebook=notebook)
    except Unreadable as why:
        return Decoded("", f"This file can't be read: {why}.")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        if not codecs.lookup(encoding).name.startswith(_DECODED):
            return Decoded("", f"This file can't be read: its encoding `{encoding}` is none that is known here.")
        return Decoded(raw.decode(encoding))
    except (SyntaxError, LookupError, UnicodeError) as error:
        return Decoded(raw.decode("utf-8", "replace"), f"Python can't decode this file: {error}.")
