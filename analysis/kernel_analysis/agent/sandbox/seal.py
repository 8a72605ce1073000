"""The one step behind which this process can only read what it needs and answer: everything that it gives up, and what
of that the system could not take."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable

from kernel_analysis.agent.sandbox import audit, landlock, numbers, readable, seccomp
from kernel_analysis.wire import Protection


def seal(workspace: Iterable[str], installed: Iterable[str], start_threads: Callable[[], None]) -> Protection:
    """For good. ``start_threads`` is called in between: threads that were there before would not be held to files, and
    later ones can't be started by a kernel's text."""
    _keep_no_bytecode()
    workspace = list(workspace)
    missing: list[str] = []
    version = restrict_files(workspace, installed, missing)
    called = restrict_calls(missing)
    start_threads()
    heard = restrict_python()
    return Protection(heard, called, version, tuple(missing))


def seal_for_tools(
    installed: Iterable[str], directory: str, tools: Iterable[str], start_threads: Callable[[], None]
) -> Protection:
    """For good, for the process that never sees the user's Python: it may start ``tools``, and write in
    ``directory``."""
    _keep_no_bytecode()
    missing: list[str] = []
    tools = list(tools)
    version = 0
    if sys.platform == "linux":
        try:
            executable = [*tools, *readable.loaders(tools)]
            version = landlock.restrict(readable.readable((), installed), [directory, "/dev/null"], executable)
        except landlock.NoLandlock as error:
            missing.append(f"Landlock: {error}: the compiler's later stages are held to no files and programs.")
    called = restrict_calls(missing, programs=True)
    start_threads()
    return Protection(False, called, version, tuple(missing))


def restrict_files(workspace: list[str], installed: Iterable[str], missing: list[str]) -> int:
    if sys.platform != "linux":
        missing.append(_elsewhere("files outside of the workspace could be read or changed"))
        return 0
    missing += [
        f"The workspace {place} holds your home directory: all in it that is not hidden can be read."
        for place in workspace
        if readable.holds_home(place)
    ]
    threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
    if threads > 1:
        missing.append(f"{threads - 1} threads of the interpreter ran before Landlock: they are not held to its files.")
    try:
        return landlock.restrict(readable.readable(workspace, installed))
    except landlock.NoLandlock as error:
        missing.append(f"Landlock: {error} (Linux {platform.release()}): files outside of the workspace could be read.")
        return 0


def restrict_calls(missing: list[str], programs: bool = False) -> bool:
    if sys.platform != "linux":
        return False
    could = "programs could be started, files changed and sockets opened"
    processor = numbers.this_processor()
    if processor is None:
        missing.append(f"seccomp: the system calls of {platform.machine()} are not known: {could}.")
        return False
    try:
        seccomp.restrict(processor, programs)
    except seccomp.NoSeccomp as error:
        missing.append(f"seccomp: {error} (Linux {platform.release()}): {could}.")
        return False
    return True


def _keep_no_bytecode() -> None:
    """A module that is imported from here on must not be written beside its source: the import would fail by that."""
    sys.dont_write_bytecode = True


def restrict_python() -> bool:
    audit.listen()
    return True


def _elsewhere(could: str) -> str:
    name = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
    return f"{name} has neither seccomp nor Landlock: without the gate and the audit hook {could}."
