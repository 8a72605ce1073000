"""The answer of an earlier ``check``, as long as nothing that it was computed from is another: then no agent starts.

Files of the workspace are compared by content, what is installed by its times and sizes. A record that can't be read
is none. May not analyse anything.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from kernel_analysis import analysis_version
from kernel_analysis.codec import pack, unpack
from kernel_analysis.files import python_files
from kernel_analysis.report import KernelReport
from triton_ls import __version__
from triton_ls.agents.launch import CACHE_SIZE_MB, Environment
from triton_ls.cli.result import FileResult
from triton_ls.reports import Identity
from triton_ls.settings import Settings

if TYPE_CHECKING:
    from kernel_analysis.disk import Disk
    from triton_ls.cli.analysis import Analysis

Stamp = tuple[int, int]
_VARIABLES = ("PYTHON", "TRITON", "MLIR", "LLVM")
"""The beginnings of the environment variables that the compiler or the interpreter may look at."""


@dataclass(frozen=True, slots=True)
class _Record:
    """``stamps``: of what is outside of the workspace; None for what wasn't there."""

    contents: str
    packages: str
    stamps: list[tuple[str, Stamp | None]]
    identity: Identity
    results: list[FileResult]


class Remembered:
    """What is known of one question: these files, in this environment, under these settings."""

    def __init__(self, files: Sequence[str], environment: Environment, settings_for: Callable[[str], Settings]) -> None:
        self._environment = environment
        self._key = _key(files, environment, settings_for)
        self._stamps: dict[str, Stamp | None] = {}
        self._contents = self._digest(files)
        self._disk = _disk(environment)

    def find(self) -> tuple[Identity, list[FileResult]] | None:
        """The answer, if it still holds."""
        data = self._disk.get(self._key) if self._disk else None
        if data is None:
            return None
        try:
            record: _Record = unpack(_Record, json.loads(zlib.decompress(data)))
        except (ValueError, TypeError, IndexError, zlib.error) as error:
            print(f"triton-ls: what was remembered of this check is damaged ({error})", file=sys.stderr)
            return None
        same = record.contents == self._contents and all(_stamp(file) == stamp for file, stamp in record.stamps)
        if not same or record.packages != _state(record.identity):
            return None
        return record.identity, record.results

    def keep(self, analysis: Analysis) -> None:
        """For the next time. Nothing is kept of an answer that came out otherwise another time, or of files that were
        changed meanwhile."""
        unchanged = all(_stamp(file) == stamp for file, stamp in self._stamps.items())
        if self._disk is None or not analysis.final or not unchanged:
            return
        outside = sorted(analysis.depends - self._stamps.keys())
        record = _Record(
            self._contents,
            _state(analysis.identity),
            [(file, _stamp(file)) for file in outside],
            analysis.identity,
            [_shortened(result) for result in analysis.results],
        )
        text = json.dumps(pack(record), separators=(",", ":"))
        self._disk.put(self._key, zlib.compress(text.encode(), 1))

    def _digest(self, files: Sequence[str]) -> str:
        """Of the texts of the files, and of all others that could launch what is in them."""
        digest = hashlib.sha256()
        for file in sorted({*files, *chain.from_iterable(map(python_files, self._environment.roots))}):
            self._stamps[file] = _stamp(file)
            try:
                content = Path(file).read_bytes()
            except OSError:
                content = b""
            digest.update(repr((file, len(content))).encode("utf-8", "surrogatepass"))
            digest.update(content)
        return digest.hexdigest()


def _key(files: Sequence[str], environment: Environment, settings_for: Callable[[str], Settings]) -> str:
    settings = [(file, sorted(s.severity.items()), s.timeout) for file in files for s in (settings_for(file),)]
    variables = sorted((name, value) for name, value in os.environ.items() if name.startswith(_VARIABLES))
    interpreter = shutil.which(environment.interpreter)
    whole = (__version__, analysis_version(), environment, interpreter, settings, variables)
    return "check:" + hashlib.sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest()


def _state(identity: Identity) -> str:
    """What is installed beside that interpreter: the files of Triton, and for the rest when packages came and went."""
    digest = hashlib.sha256()
    for directory in identity.packages:
        digest.update(repr((directory, _stamp(directory))).encode("utf-8", "surrogatepass"))
    for file in (os.path.realpath(identity.executable), *_files(identity.packages[:1])):
        digest.update(repr((file, _stamp(file))).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _files(directories: Sequence[str]) -> Iterator[str]:
    for top in directories:
        for folder, folders, files in os.walk(top):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith((".py", ".so")))


def _stamp(file: str) -> Stamp | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _shortened(result: FileResult) -> FileResult:
    """Without what only hovers show."""
    return replace(result, reports={place: _known(report) for place, report in result.reports.items()})


def _known(report: KernelReport) -> KernelReport:
    signatures = [replace(signature, cached=True) for signature in report.signatures]
    return replace(report, signatures=signatures, values=[], calls=[])


def _disk(environment: Environment) -> Disk | None:
    if environment.cache_file is None:
        return None
    try:
        from kernel_analysis.disk import Disk
    except ImportError:
        return None  # a Python without sqlite3; the agent says so
    return Disk(environment.cache_file, CACHE_SIZE_MB << 20)
