"""What an earlier ``check`` printed, as long as nothing that it was computed from is another: then no agent starts, and
nothing that it takes to make such an answer is imported. Where some of it may come out otherwise (a compile that took
too long), what it found of the other files.

Files of the workspace are compared by content, what is installed by its times and sizes. A record that can't be read
is none. May not analyse anything.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kernel_analysis import analysis_version
from kernel_analysis.codec import pack, unpack
from kernel_analysis.files import FileStamp, Unreadable, file_stamp, read_file, workspace_files
from kernel_analysis.zipped import unzipped, zipped
from triton_ls import __version__
from triton_ls.agents.launch import CACHE_SIZE_MB, Environment, environment_variables, find_program
from triton_ls.cli.terminal import complain
from triton_ls.settings import Settings

if TYPE_CHECKING:
    from kernel_analysis.disk import Disk
    from triton_ls.cli.result import FileResult

T = TypeVar("T")

_VARIABLES = ("PYTHON", "TRITON", "MLIR", "LLVM")
"""The beginnings of the environment variables that the compiler or the interpreter may look at."""


SECONDS = "\0"
"""Stands in an answer for the time that it took."""


class Answer(NamedTuple):
    """What is printed, with ``SECONDS`` in it, and the exit code."""

    text: str
    code: int


class Basis(NamedTuple):
    """What was found rests on. ``installed``: the agent's executable, then the directories of what is installed there,
    Triton's own first. ``stamps``: of what is outside of the workspace; None for what wasn't there."""

    contents: str
    installed: list[str]
    state: str
    stamps: list[tuple[str, FileStamp | None]]


class _Record(NamedTuple):
    basis: Basis
    answer: tuple[str, int]


class Remembered:
    """What is known of one question: these files, in this environment, under these settings. ``form``: all else that
    the text of the answer depends on."""

    def __init__(
        self, files: Sequence[str], environment: Environment, settings_for: Callable[[str], Settings], form: object
    ) -> None:
        self._key = "check:" + _key(files, environment, settings_for, form)
        self._settled_key = "settled:" + _key(files, environment, settings_for, None)
        looked_at = {*files, *workspace_files(environment.roots)}
        # Before anything is read: what is as it was then, when all is done, was the same all the time.
        self._stamps = {file: file_stamp(file) for file in sorted(looked_at)}
        self._contents = ""
        self._disk = _disk(environment)

    def find(self) -> Answer | None:
        """The answer, if it still holds."""
        record = self._read(self._key, _Record)
        return Answer(*record.answer) if record is not None and self._holds(record.basis) else None

    def settled(self) -> dict[str, FileResult]:
        """What was found of those files of which it would be found again, if that still holds."""
        from triton_ls.cli.settled import Settled

        record = self._read(self._settled_key, Settled)
        if record is None or not self._holds(record.basis):
            return {}
        for report in (report for result in record.results for report in result.reports.values()):
            report.signatures = [replace(signature, cached=True) for signature in report.signatures]
        return {result.file: result for result in record.results}

    def _read(self, key: str, kind: type[T]) -> T | None:
        data = self._disk.get(key) if self._disk else None
        if data is None:
            return None
        try:
            return unpack(kind, json.loads(unzipped(data)))
        except (ValueError, TypeError, IndexError, RecursionError) as error:
            complain(f"what was remembered of this check is damaged ({error})")
            return None

    def _holds(self, basis: Basis) -> bool:
        """Whether nothing that it was found out from is another."""
        self.look()
        same = basis.contents == self._contents and all(file_stamp(file) == stamp for file, stamp in basis.stamps)
        return same and bool(basis.installed) and basis.state == _state(basis.installed)

    def look(self) -> None:
        """Read the files, those that the question is about and all others that could launch what is in them."""
        if not self._contents:
            self._contents = _digest(self._stamps)

    def keep(self, answer: Answer, installed: Sequence[str], depends: Iterable[str]) -> None:
        """For the next time; ``depends``: all files that were read for it. Nothing is kept where files were changed
        meanwhile."""
        self._write(self._key, answer, installed, depends)

    def keep_settled(self, results: list[FileResult], installed: Sequence[str], depends: Iterable[str]) -> None:
        """The same of some files."""
        self._write(self._settled_key, results, installed, depends)

    def _write(self, key: str, what: object, installed: Sequence[str], depends: Iterable[str]) -> None:
        if self._disk is None or any(file_stamp(file) != stamp for file, stamp in self._stamps.items()):
            return
        self.look()
        outside = [(file, file_stamp(file)) for file in sorted({*depends} - self._stamps.keys())]
        basis = Basis(self._contents, list(installed), _state(installed), outside)
        self._disk.put(key, zipped(json.dumps(pack((basis, what)), separators=(",", ":"))))


def _digest(files: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for file in files:
        try:
            content = read_file(file)
        except Unreadable as why:
            content = str(why).encode()
        digest.update(repr((file, len(content))).encode("utf-8", "surrogatepass"))
        digest.update(content)
    return digest.hexdigest()


def _key(files: Sequence[str], environment: Environment, settings_for: Callable[[str], Settings], form: object) -> str:
    settings = [(file, sorted(s.severity.items()), s.timeout) for file in files for s in (settings_for(file),)]
    variables = sorted((name, value) for name, value in environment_variables().items() if name.startswith(_VARIABLES))
    interpreter = find_program(environment.interpreter)
    whole = (__version__, analysis_version(), environment, interpreter, settings, variables, form)
    return hashlib.sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest()


def _state(installed: Sequence[str]) -> str:
    """What is installed beside that interpreter: the files of Triton, and for the rest when packages came and went."""
    executable, *directories = installed
    digest = hashlib.sha256()
    for directory in directories:
        digest.update(repr((directory, file_stamp(directory))).encode("utf-8", "surrogatepass"))
    for file in (os.path.realpath(executable), *_files(directories[:1])):
        digest.update(repr((file, file_stamp(file))).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _files(directories: Sequence[str]) -> Iterator[str]:
    for top in directories:
        for folder, folders, files in os.walk(top):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith((".py", ".so")))


def _disk(environment: Environment) -> Disk | None:
    if environment.cache_file is None:
        return None
    try:
        from kernel_analysis.disk import Disk
    except ImportError:
        return None  # a Python without sqlite3; the store says so
    return Disk(environment.cache_file, CACHE_SIZE_MB << 20)
