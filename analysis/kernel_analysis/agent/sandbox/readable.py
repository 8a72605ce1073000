"""Which files the agent may read: the Python that it runs in and what is installed there, the workspace, what the
loader needs.

Says which; Landlock holds it. Reads directories, no files.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator

_LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64")
_SINGLE = ("/etc/ld.so.cache", "/dev/null", "/dev/urandom")
_INSTALLED = ("site-packages", "dist-packages")
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "NIX_LD_LIBRARY_PATH")


def readable(workspace: Iterable[str], installed: Iterable[str]) -> list[str]:
    """``workspace``: its folders, and files beside them; ``installed``: where imports lead."""
    home = _home()
    places = (path for place in dict.fromkeys((*installed, *workspace)) if place for path in _inside(place, home))
    return [*python(), *libraries(), *places]


def python() -> Iterator[str]:
    """The library of this Python and of the one that its environment was made of, our own package, and where what was
    imported really is: an installer may have left links."""
    for prefix in dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)):
        yield from (os.path.join(prefix, name) for name in ("lib", "lib64", "lib32"))
    yield os.path.dirname(os.path.realpath(os.__file__))
    if sys.pycache_prefix is not None:
        yield sys.pycache_prefix
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("triton", "kernel_analysis"):
            for folder in getattr(module, "__path__", ()):
                if "." not in name or os.path.islink(folder):
                    yield os.path.realpath(folder)
    for entry in sys.path:
        if os.path.basename(entry) in _INSTALLED:
            yield from _linked(entry)


def _linked(place: str) -> Iterator[str]:
    """Where the links of an installer lead that keeps packages elsewhere, file by file or as whole folders: of each
    package its folder there. (What is installed is trusted as the interpreter is.)"""
    try:
        with os.scandir(place) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        if entry.is_symlink():
            yield os.path.realpath(entry.path)
        elif entry.name.isidentifier() and os.path.islink(first := os.path.join(entry.path, "__init__.py")):
            yield os.path.dirname(os.path.realpath(first))


def libraries() -> list[str]:
    named = [entry for name in _LIBRARY_PATHS for entry in os.environ.get(name, "").split(os.pathsep) if entry]
    return [*_LIBRARIES, *_SINGLE, *named]


def loaders(programs: Iterable[str]) -> list[str]:
    """What the kernel starts first to start these programs: each names its own."""
    found: list[str] = []
    for program in programs:
        try:
            with open(program, "rb") as file:
                head = file.read(1 << 14)
        except OSError:
            continue
        named = re.search(rb"\0(/[\w./+-]*/ld[\w.+-]*)\0", head) if head.startswith(b"\x7fELF") else None
        if named is not None:
            found.append(os.fsdecode(named[1]))
    return found


def holds_home(place: str) -> bool:
    """Whether the folder is the user's home or above it: then it has much in it that is no workspace."""
    return _holds(place, _home())


def _home() -> str:
    return os.path.realpath(os.path.expanduser("~"))


def _holds(place: str, home: str) -> bool:
    real = os.path.realpath(place)
    return home == real or home.startswith(real.rstrip(os.sep) + os.sep)


def _inside(place: str, home: str) -> Iterator[str]:
    """The place itself; of a folder that holds the user's home only what is in it and not hidden, where keys and
    passwords are; of the root of all only the files."""
    if not _holds(place, home):
        yield place
        return
    top = os.path.realpath(place) == os.sep
    try:
        with os.scandir(place) as entries:
            found = [entry for entry in entries if not entry.name.startswith(".")]
    except OSError:
        return
    for entry in found:
        if entry.is_symlink() or top and entry.is_dir():
            continue
        yield from _inside(entry.path, home) if entry.is_dir() else (entry.path,)
