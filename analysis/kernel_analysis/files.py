"""The files of the user: which there are below a directory, whether one is still the same, and what is in it.

Nothing else of ours reads a file that the user may have put there (a test holds that). What is read is a regular file
up to a cap: never a pipe that keeps us waiting, a device without an end, or more than fits."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TypeAlias

LARGEST = 4_000_000
"""Bytes of a Python file: three times the largest that people write."""
NOTEBOOK = ".ipynb"
PYTHON_ENDINGS = (".py", NOTEBOOK)
"""How the names of the files end that have Python of the workspace's in them."""
_LARGEST_NOTEBOOK = 16_000_000
"""A notebook holds the pictures that its cells show as well."""
_MOST_ENTRIES = 1_000_000
"""Files and folders below one directory that are looked at."""
MOST_FILES = 20_000
"""Files of a workspace that are looked at for what they do."""
NESTED = 3
"""Folders without ``__init__.py`` within each other, in a package."""
_NOT_SOURCES = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})
# Opening must neither wait for the other end of a pipe nor make a terminal ours. Windows has neither flag.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


FileStamp: TypeAlias = tuple[int, int]
"""When a file was changed, in ns, and its size in bytes: another whenever the file is."""


class Unreadable(Exception):
    """The message says why, in words that go behind "it can't be read: "."""


_confined: list[Callable[[str], bool]] = []


def confine(may_read: Callable[[str], bool]) -> None:
    """From now on this process reads no file but those. ``may_read`` reads none itself."""
    _confined[:] = [may_read]


def read_file(file: str, most: int | None = None) -> bytes:
    """All of a regular file of at most ``most`` bytes, or else of what one of its kind may have. Raises ``Unreadable``,
    and nothing else."""
    most = largest(file) if most is None else most
    try:
        if not all(may_read(file) for may_read in _confined):
            raise Unreadable("it is neither in the workspace nor among what is installed")
        # Before it is opened, because opening alone does something to some devices; and again what was opened, because
        # the name may mean another file by then.
        _check(os.stat(file), most)
        descriptor = os.open(file, _FLAGS)
        try:
            _check(os.fstat(descriptor), most)
            return _all(descriptor, most)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise Unreadable(_reason(error)) from error
    except ValueError as error:
        raise Unreadable(f"no file can have this name ({error})") from error


def check_regular(file: str) -> None:
    """For what others open. Raises OSError for what is there and no regular file."""
    try:
        _check(os.stat(file))
    except FileNotFoundError:
        return
    except Unreadable as why:
        raise OSError(str(why)) from why


def _check(status: os.stat_result, most: float = math.inf) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
        raise Unreadable(f"it is {kind}, not a regular file")
    if status.st_size > most:
        raise Unreadable(_too_large(most))


def _all(descriptor: int, most: int) -> bytes:
    """To the end; the size that was told before means nothing for a file that grows, or one of the system's own."""
    parts: list[bytes] = []
    left = most + 1
    while left and (part := os.read(descriptor, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    if not left:
        raise Unreadable(_too_large(most))
    return b"".join(parts)


def _reason(error: OSError) -> str:
    """The system's words, as they go on a sentence."""
    said = error.strerror or str(error)
    return said[:1].lower() + said[1:]


def _too_large(most: float) -> str:
    return f"it is larger than {most / 1e6:g} MB"


def file_stamp(file: str) -> FileStamp | None:
    """None: there is no such file."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def python_files(
    top: str, tell: Callable[[str], None] = lambda message: None, endings: tuple[str, ...] = (".py",)
) -> Iterator[str]:
    """In a fixed order, whatever else they are; links to directories are not followed. ``tell`` hears, in a sentence,
    of what can't be searched and of where the search ended because there was too much."""
    left = _MOST_ENTRIES
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(islice(entries, left))
        except OSError as error:
            tell(f"{folder} can't be searched: {_reason(error)}.")
            continue
        left -= len(listed)
        names = sorted(
            entry.name for entry in listed if entry.name.endswith(endings) and not _leads_to_directory(entry)
        )
        yield from (os.path.join(folder, name) for name in names)
        if left <= 0:
            tell(f"{top} has more than {_MOST_ENTRIES:,} files and folders: {folder} and all behind it were left out.")
            return
        folders = [entry.name for entry in listed if entry.is_dir(follow_symlinks=False)]
        # The last one in is searched first.
        pending += [os.path.join(folder, name) for name in sorted(folders, reverse=True) if not _skipped(folder, name)]


def workspace_files(roots: Iterable[str]) -> Iterator[str]:
    """The Python files and notebooks below the roots, one more than are ever taken in; what is below two of them
    once."""
    tops: list[str] = []
    for root in roots:
        if not any(_reaches(top, root) for top in tops):
            tops.append(root)
    return islice(chain.from_iterable(python_files(top, endings=PYTHON_ENDINGS) for top in tops), MOST_FILES + 1)


def _reaches(top: str, folder: str) -> bool:
    """Whether a search from ``top`` comes by the folder."""
    inside = top.rstrip(os.sep) + os.sep
    while folder != top and folder.startswith(inside):
        outer, name = os.path.split(folder)
        if _skipped(outer, name) or os.path.islink(folder):
            return False
        folder = outer
    return folder == top


def largest(file: str) -> int:
    """The bytes of the largest file that is read, of those that end like this one."""
    return _LARGEST_NOTEBOOK if file.endswith(NOTEBOOK) else LARGEST


def _leads_to_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads nowhere: whoever reads it will hear why


def import_root(directory: str) -> str:
    """The directory that the top-level package of what is in ``directory`` is in. A directory without ``__init__.py``
    may itself be part of a package, but never the user's home be in one for that."""
    while (package := _package_of(directory)) is not None:
        directory = os.path.dirname(package)
    return directory


def _package_of(directory: str) -> str | None:
    """The nearest package at or above, if no more folders are between than an import goes through."""
    home = os.path.expanduser("~")
    for level in range(NESTED + 1):
        if os.path.dirname(directory) == directory or level and directory == home:
            return None
        if os.path.exists(os.path.join(directory, "__init__.py")):
            return directory
        directory = os.path.dirname(directory)
    return None


def _skipped(folder: str, name: str) -> bool:
    """Hidden folders, virtual environments (they have a pyvenv.cfg), what tools put there."""
    return name.startswith(".") or name in _NOT_SOURCES or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
