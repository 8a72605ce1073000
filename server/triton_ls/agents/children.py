"""The processes that this one has started: which live, and how they end, whatever they are at.

Knows nothing of what they do.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Generator

_HELD_UP = 1.0
living: set[int] = set()


def is_stopped(pid: int) -> bool:
    """By SIGSTOP, not by a debugger. Known on Linux; elsewhere the time limit of its job has to do."""
    return _state(pid)[:1] == [b"T"]


@contextlib.contextmanager
def starting() -> Generator[None]:
    """Around the start of a process: until it has become its program, this one waits for it and does nothing else. One
    that somebody stops in that moment would be waited for until the end of days; it is killed instead."""
    if sys.platform != "linux":
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_HELD_UP):
            for pid in _unknown_children():
                if is_stopped(pid):
                    os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=watch, name="watches a start", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()


def out_of_memory_kills() -> int:
    """How many processes the system has ended because it had no memory left; 0 where it doesn't say."""
    with contextlib.suppress(OSError), open("/proc/vmstat", "rb") as stream:
        for line in stream:
            name, _, count = line.partition(b" ")
            if name == b"oom_kill":
                return int(count)
    return 0


def kill_group(pid: int) -> None:
    """An agent leads a process group of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


def kill_all() -> None:
    """For the last moments of the server, when no event loop runs any more."""
    for pid in living:
        kill_group(pid)
    living.clear()


def _unknown_children() -> list[int]:
    """Those that exist and that nobody knows the number of yet."""
    us = str(os.getpid()).encode()
    found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in found if pid not in living and _state(pid)[1:2] == [us]]


def _state(pid: int) -> list[bytes]:
    """Its state and its parent, as Linux says them."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            # The name before it may hold anything.
            return stream.read().rpartition(b")")[2].split()[:2]
    except OSError:
        return []
