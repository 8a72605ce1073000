"""An index of the workspace's files by the names that they could launch: read a little at a time, kept up to date by
what changed. Reads text only; within bounds, whatever the roots are."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeVar, cast

from kernel_analysis.files import MOST_FILES, PYTHON_ENDINGS, largest, workspace_files
from kernel_analysis.host.changes.text.text_patterns import (
    asked_for,
    hands_on_any,
    may_call_own,
    may_hand_on,
    set_in_strings,
)
from kernel_analysis.kernels.files.text_index import WORD, Indexed, TextIndex, hashed, spells_as_attribute
from kernel_analysis.source.text_search.mentions import ANY_MODULE, ANY_NAME, OWN, RUNS, takes_unspelled
from kernel_analysis.source.text_search.words import has_word

if TYPE_CHECKING:
    from kernel_analysis.kernels.files.file_texts import Stamp
    from kernel_analysis.kernels.project_view import FilesView
    from kernel_analysis.source.module import Module

_MOST_BYTES = 256_000_000
_FRESH_SECONDS = 10.0
_CATCH_UP_SECONDS = 0.1
"""For files that changed beside those in the editor: somebody waits."""
_FIRST_SECONDS = 0.5
"""For all files, before the first answer: there are few in most workspaces, or an earlier process has read them."""
_AT_ONCE = 32
"""Files that the store is asked for together: few enough for a key not to wait for them."""
_T = TypeVar("_T")
_NONE: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Entry:
    stamp: Stamp
    size: int
    text: Indexed
    said: dict[tuple[Callable[..., object], tuple[str, ...]], object] = field(
        default_factory=dict[tuple[Callable[..., object], "tuple[str, ...]"], object]
    )
    """What was asked of its text, and what it says."""


class _Files(dict[str, set[str]]):
    """Files by name, and for which names anybody asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def of(self, name: str) -> set[str] | frozenset[str]:
        self.asked.add(name)
        return self.get(name, _NONE)

    def add(self, name: str, file: str) -> None:
        self.setdefault(name, set()).add(file)


@dataclass(slots=True, eq=False)
class Workspace:
    """``revision`` grows whenever an answer may have become another, ``meaning`` whenever one that is not which files
    launch something. Nothing is read before ``advance``."""

    project: FilesView
    index: TextIndex
    revision: int = 0
    meaning: int = 0
    _entries: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    _naming: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    _renaming: _Files = field(default_factory=_Files)
    _importing: _Files = field(default_factory=_Files)
    _setting: _Files = field(default_factory=_Files)
    _worded: dict[str, int] = field(default_factory=dict[str, int])
    """The words for which texts were searched, with their hashes."""
    _computing: tuple[int, set[str]] = field(default_factory=lambda: (-1, set[str]()))
    _bytes: int = 0
    _left_out: set[str] = field(default_factory=set[str])
    _touched: dict[str, None] = field(default_factory=dict[str, None])
    _pass: Iterator[str] | None = None
    _next: deque[str] = field(default_factory=deque[str])
    _seen: set[str] = field(default_factory=set[str])
    _ended: float | None = None

    @property
    def busy(self) -> bool:
        """Whether there is something to read."""
        return bool(self._touched) or self._pass is not None or (self._ended is None and bool(self.project.roots))

    def touched(self, file: str) -> None:
        """The file has changed, on disk or in the editor."""
        if self._within(file):
            self._touched[file] = None

    def read_now(self, file: str) -> None:
        """Before all others, where it was not read yet: who asks what may set a name knows of this file."""
        if file not in self._entries and self._within(file):
            self._read(file)

    def catch_up(self) -> None:
        """Somebody waits for an answer about the texts as they are now: read the editor's that have changed, and what
        else has as far as there is time; the first time, all that there is."""
        if self._pass is None and self._ended is None:
            self.advance(_FIRST_SECONDS)
        end = time.monotonic() + _CATCH_UP_SECONDS
        for file in sorted(self._touched, key=lambda file: not self.project.is_edited(file)):
            if not self.project.is_edited(file) and time.monotonic() > end:
                break
            del self._touched[file]
            self._read(file)

    def freshen(self) -> None:
        """Somebody works: look for files that came and went without a word, unless that was done just now."""
        if self._pass is None and self._ended is not None and time.monotonic() - self._ended > _FRESH_SECONDS:
            self._begin()

    def advance(self, seconds: float | None = None) -> None:
        """Read for so long; None: to the end."""
        end = None if seconds is None else time.monotonic() + seconds
        if self._ended is None and self._pass is None:
            self._begin()
        while self._touched:
            file = next(iter(self._touched))
            del self._touched[file]
            self._read(file)
            if end is not None and time.monotonic() >= end:
                return
        while self._pass is not None:
            if not self._next:
                self._look_ahead(self._pass)
            if self._next:
                file = self._next.popleft()
                self._seen.add(file)
                self._read(file)
            else:
                self._finish()
            if end is not None and time.monotonic() >= end:
                return

    def launching(self, name: str) -> set[str]:
        """The files that could launch what is called ``name`` where it is defined."""
        return {file for known in self.called(name) for file in self._naming.get(known, ())}

    def called(self, name: str) -> set[str]:
        """What some file may call what is called ``name`` where it is defined."""
        names, todo = {name}, [name]
        while todo:
            current = todo.pop()
            for file in self._renaming.of(current):
                new = self._entries[file].text.mentions.renamed[current] - names
                names |= new
                todo += new
        return names

    def storing(self, module: Module | None, name: str, contents: bool) -> set[str]:
        """The files that could set ``name`` in the module by an attribute, or change what is in it; None: of
        whatever."""
        setting = self._setting.of(name)
        if module is None:
            return set(setting)
        importing = self._naming_module(module)
        if name == RUNS:
            return importing.intersection(setting)
        anywhere = importing | self._importing.of(ANY_MODULE)
        found = anywhere.intersection(setting)
        own = anywhere.intersection(self._setting.of(f"{OWN}{name}")) - found
        found |= {file for file in own if self._says(file, may_call_own)}
        if contents:
            for called in self.called(name):
                found |= self._importing.of(called)
                found |= self._spelling(called, (importing | self._importing.of("*")) - found)
        return found

    def calling(self, module: Module, name: str) -> set[str]:
        """The other files that may call the module's function ``name``: they import it, or spell it and have the
        module."""
        having = self._naming_module(module)
        imported = {file for called in self.called(name) for file in self._importing.of(called)}
        spelled = {file for called in self.called(name) for file in self._spelling(called, having)}
        return (imported | spelled) - {module.file}

    def handing(self, module: Module | None, spelled: bool) -> tuple[str, ...]:
        """The files that may hand the module on as a value, by a glance at their texts; None: any, by a text that is
        not in sight. Without ``spelled`` those that set what they don't spell, or import from such."""
        if module is None:
            anywhere = self._importing.of(ANY_MODULE)
            return tuple(sorted(file for file in anywhere if self._says(file, hands_on_any)))
        own = module.name.rpartition(".")[2]
        anywhere = self._importing.of(ANY_MODULE) | self._importing.of("__dict__")
        found, files = list[str](), self._naming_module(module) | anywhere
        for file in sorted((files if spelled else files & self._near_computing()) | {module.file}):
            itself = "__name__" if file == module.file else own
            by_text = not self._asked_for(file).isdisjoint((own, ANY_MODULE, itself))
            if by_text or self._says(file, may_hand_on, module.name):
                found.append(file)
        return tuple(found)

    def handing_library(self, path: str) -> frozenset[str]:
        """The files that may use the module of a library as a value, by a glance at their texts."""
        own = path.rpartition(".")[2]
        files = self._importing.of(own) | self._spelling(own, set(self._entries))
        found = {file for file in files if own in self._asked_for(file) or self._says(file, may_hand_on, path)}
        return frozenset(found | self._importing.of(ANY_MODULE))

    def wording(self, name: str) -> set[str]:
        """The files that have it as a word, or what some file calls it."""
        hashes = [self._hash(word) for word in self.called(name)]
        return {file for one in hashes for file, entry in self._entries.items() if entry.text.has(one)}

    def reaching(self, module: Module) -> set[str]:
        """The files that may use what is in the module by no name that they spell: which hand the module on, or have
        it, or any, and take what is in it by something else than its name."""
        near = self._naming_module(module) | self._importing.of(ANY_MODULE) | {module.file}
        return {file for file in near if self._says(file, takes_unspelled)} | set(self.handing(module, True))

    def _asked_for(self, file: str) -> frozenset[str]:
        """By what a file may look modules up."""
        return self._says(file, asked_for)

    def _near_computing(self) -> set[str]:
        if self._computing[0] != self.revision:
            found = set(self._setting.of(ANY_NAME))
            for file in list(found):
                found |= self._importing.of(_word(file))
            self._computing = self.revision, found
        return self._computing[1]

    def looking_near(self, module: Module) -> bool:
        """Whether a file, or one that it imports or that imports it, may have any module, by a text."""
        near = self._naming_module(module) | {module.file}
        looking = self._importing.of(ANY_MODULE)
        return any(file in near or module.file in self._importing.of(_word(file)) for file in looking)

    def having(self, one: Module, other: Module) -> set[str]:
        """The files that have two modules, but the first's own."""
        return (self._naming_module(one) & (self._naming_module(other) | {other.file})) - {one.file}

    def stored(self, name: str) -> bool:
        """Whether a file sets an attribute of that name, by what it spells."""
        return bool(self._setting.of(name) or self._setting.of(f"{OWN}{name}"))

    @property
    def left_out(self) -> str | None:
        """A file that is too large, or one too many: what it does is not known."""
        return min(self._left_out, default=None)

    def has_read(self, file: str) -> bool:
        """Whether what a file says is among what is known."""
        return file in self._entries

    def imported(self, name: str) -> bool:
        """Whether a file's imports have that word."""
        return bool(self._importing.of(name))

    def _naming_module(self, module: Module) -> set[str]:
        """The files whose imports, or paths, could mean the module: with the name of the package that it is in, or
        from inside of that."""
        package, _, own = module.name.rpartition(".")
        files = self._importing.of(own)
        # `import main`, and there `main.c`: what that file calls the module.
        again = {file for name in self.called(own) - {own} for file in self._importing.of(name)}
        if not package:
            return {*files, *again}
        inside = os.path.dirname(module.file)
        if os.path.basename(module.file) == "__init__.py":
            inside = os.path.dirname(inside)
        beside = {file for file in files if file.startswith(inside + os.sep)}
        return beside | again | files.intersection(self._importing.of(package.rpartition(".")[2]))

    def _spelling(self, name: str, files: set[str]) -> set[str]:
        """Those in which a module's ``name`` is spelled as such, or which take all names of some module: to parse a
        file takes hundreds of times as long."""
        star = self._importing.of("*")
        word = self._hash(name) if WORD.fullmatch(name) else None

        def spells(file: str) -> bool:
            entry = self._entries.get(file)
            if word is not None and entry is not None and not entry.text.has(word):
                return False  # the texts of a large workspace are more than are kept
            return self._says(file, has_word if file in star else spells_as_attribute, name)

        return {file for file in files if spells(file)}

    def _hash(self, word: str) -> int:
        """By which it is looked for, as everybody is told whose text has it from now on, or has it no more."""
        return self._worded.setdefault(word, hashed(word))

    def _says(self, file: str, ask: Callable[..., _T], *words: str) -> _T:
        """What ``ask`` gives of the text of a file, and of words. It is asked again when the file is another."""
        entry = self._entries.get(file)
        if entry is None:
            return self.project.says(file, ask, *words)
        key = ask, words
        if key not in entry.said:
            entry.said[key] = ask(self.project.text(file), *words)
        return cast("_T", entry.said[key])

    def _begin(self) -> None:
        self._seen = set()
        self._pass, self._next = workspace_files(self.project.roots), deque[str]()

    def _look_ahead(self, files: Iterator[str]) -> None:
        """The next files, with what the store has of those that are new."""
        self.index.flush()
        self._next.extend(islice(files, _AT_ONCE))
        if self.index.stored:
            new = (file for file in self._next if file not in self._entries)
            self.index.expect([self.project.text(file) for file in new if self._room(file, self.project.stamp(file))])

    def _finish(self) -> None:
        self.index.flush()
        for file in [file for file in (*self._entries, *self._left_out) if file not in self._seen]:
            self._read(file)
        self._pass, self._ended = None, time.monotonic()

    def _read(self, file: str) -> None:
        """Take a file in as it is now, if it is another than before."""
        before, stamp = self._entries.get(file), self.project.stamp(file)
        if before is not None and before.stamp == stamp:
            return
        if before is not None:
            self._drop(file, before)
            self.project.changed((file,))
        after = self._taken_in(file, stamp)
        left_out = after is None and stamp is not None
        if left_out != (file in self._left_out):
            (self._left_out.add if left_out else self._left_out.discard)(file)
        elif before is None and after is None:
            return
        self.revision += 1
        if before is None or after is None or not self._means_the_same(before, after, self.project.text(file)):
            self.meaning += 1

    def _taken_in(self, file: str, stamp: Stamp) -> _Entry | None:
        size = self._room(file, stamp)
        if not size:
            return None
        indexed = self.index.of(self.project.text(file), keep=not isinstance(stamp, str))
        self.project.said(file, indexed.in_strings, set_in_strings)
        entry = self._entries[file] = _Entry(stamp, size, indexed)
        self._bytes += size
        found = indexed.mentions
        for name in found.names:
            self._naming.setdefault(name, set()).add(file)
        for name in found.imported:
            self._importing.add(name, file)
        for name in found.stored:
            self._setting.add(name, file)
        for name in found.renamed:
            self._renaming.add(name, file)
        return entry

    def _means_the_same(self, before: _Entry, after: _Entry, text: str) -> bool:
        """Whether all that was ever asked of a file has the same answer, but which names it launches."""
        old, new = before.text.mentions, after.text.mentions
        renamed = {name for name in {*old.renamed, *new.renamed} if old.renamed.get(name) != new.renamed.get(name)}
        asked = ((self._importing, old.imported ^ new.imported), (self._setting, old.stored ^ new.stored))
        if any(not files.asked.isdisjoint(names) for files, names in (*asked, (self._renaming, renamed))):
            return False
        words = set(before.text.words) ^ set(after.text.words)
        if not words.isdisjoint(self._worded.values()):
            return False
        after.said = {(ask, names): ask(text, *names) for ask, names in before.said}
        return after.said == before.said

    def _drop(self, file: str, entry: _Entry) -> None:
        del self._entries[file]
        self._bytes -= entry.size
        mentions = entry.text.mentions
        known = (mentions.names, self._naming), (mentions.renamed, self._renaming)
        for names, files in (*known, (mentions.imported, self._importing), (mentions.stored, self._setting)):
            for name in names:
                files[name].discard(file)

    def _room(self, file: str, stamp: Stamp) -> int:
        """The size of a file that there is room for, at least 1; else 0."""
        if stamp is None:
            return 0
        size = len(stamp) if isinstance(stamp, str) else stamp[1]
        full = size > largest(file) or len(self._entries) >= MOST_FILES or self._bytes + size > _MOST_BYTES
        return 0 if full else max(size, 1)

    def _within(self, file: str) -> bool:
        inside = any(file.startswith(root.rstrip(os.sep) + os.sep) for root in self.project.roots)
        return inside and file.endswith(PYTHON_ENDINGS)


def _word(file: str) -> str:
    """The last word of the module's name."""
    folder, word = os.path.split(file.removesuffix(".py"))
    return os.path.basename(folder) if word == "__init__" else word
