"""Landlock: which files this process may still read, write or run, by where they are.

Binds the thread that asks for it and those that it starts later. Cannot be undone. May not decide which files.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIRECTORY = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _DEVICES = 1 << 13, 1 << 14, 1 << 15
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICES
_TCP = 0b11
_SIGNALS_AND_SOCKETS = 0b11
_READ = _READ_FILE | _READ_DIRECTORY
_ADDED = {2: _REFER, 3: _TRUNCATE, 5: _DEVICES}
"""By version: what can be restricted from there on."""


class NoLandlock(Exception):
    """The kernel has none, or does not take this; the message is for the user."""


def version() -> int:
    """Of Landlock in this kernel; 0: there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(ctypes.c_long(_CREATE), None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION))
    return max(found, 0)


def restrict(readable: Iterable[str], writable: Iterable[str] = (), executable: Iterable[str] = ()) -> int:
    """For good: files and what is in folders. ``writable`` may also be read and removed; ``executable`` also be read.
    A path that is not there is passed over. Returns the version; raises Unavailable."""
    known = version()
    if not known:
        raise NoLandlock("this kernel has none, or has it switched off")
    handled = _EXECUTE | _WRITE_FILE | _READ | _REMOVE_AND_MAKE
    for since, right in _ADDED.items():
        handled |= right if known >= since else 0
    attributes = struct.pack("=QQQ", handled, _TCP if known >= 4 else 0, _SIGNALS_AND_SOCKETS if known >= 6 else 0)[
        : 24 if known >= 6 else 16 if known >= 4 else 8
    ]
    libc = ctypes.CDLL(None, use_errno=True)
    rules = _call(libc, _CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    try:
        for paths, rights in (
            (readable, _READ),
            (executable, _READ | _EXECUTE),
            (writable, handled & ~_EXECUTE & ~_DEVICES),
        ):
            for path in dict.fromkeys(paths):
                _allow(libc, rules, path, rights)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise NoLandlock(os.strerror(ctypes.get_errno()))
        _call(libc, _RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0))
    finally:
        os.close(rules)
    return known


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP):
            raise NoLandlock(f"{path}: {error.strerror}") from error
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, descriptor)
        _call(libc, _ADD, ctypes.c_int(rules), ctypes.c_int(_BENEATH), rule, ctypes.c_uint(0))
    finally:
        os.close(descriptor)


def _call(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise NoLandlock(os.strerror(ctypes.get_errno()))
    return result
