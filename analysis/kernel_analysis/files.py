"""The Python files below a directory, and whether a file is still the same. Reads directories, no files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TypeAlias

_NOT_SOURCES = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})


FileStamp: TypeAlias = tuple[int, int]
"""When a file was changed, in ns, and its size in bytes: another whenever the file is."""


def file_stamp(file: str) -> FileStamp | None:
    """None: there is no such file."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def python_files(top: str, failed: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """In a fixed order. ``failed`` hears of directories that can't be read; without it they are passed over."""
    for folder, folders, files in os.walk(top, onerror=failed):
        folders[:] = sorted(name for name in folders if not _skipped(folder, name))
        yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith(".py"))


def _skipped(folder: str, name: str) -> bool:
    """Hidden folders, virtual environments (they have a pyvenv.cfg), what tools put there."""
    return name.startswith(".") or name in _NOT_SOURCES or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
