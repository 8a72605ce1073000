"""Python's own audit hook (PEP 578): what this process no longer does, and what it does not do while the user's text
is evaluated.

Cannot be taken out again. Whether a text is being evaluated is read off the stack, and nothing that a text can get hold
of says otherwise. Sees what Python announces; of the functions that announce nothing, those that reach out of
the process are taken away. Whatever goes past Python is the operating system's to stop.
"""

from __future__ import annotations

import collections
import importlib
import inspect
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any

from kernel_analysis.lowering.gate.evaluation import EVALUATING, EXECUTING, Forbidden

_FAMILIES = (
    "_winapi", "ctypes", "ensurepip", "fcntl", "ftplib", "gc", "http", "imaplib", "mmap", "msvcrt", "nntplib", "poplib",
    "pty", "resource", "shutil", "signal", "smtplib", "socket", "sqlite3", "ssl", "subprocess", "syslog", "telnetlib",
    "tempfile", "urllib", "webbrowser", "winreg",
)  # fmt: skip
"""Of these modules nothing: processes, networks, files, foreign functions, memory, signals."""

_READS = frozenset({"os.fwalk", "os.getxattr", "os.listdir", "os.listxattr", "os.scandir", "os.walk"})
"""All that is left of ``os``."""

_NEVER = frozenset({
    "builtins.breakpoint", "builtins.input", "cpython.PyInterpreterState_New", "cpython.run_command",
    "cpython.run_file", "cpython.run_interactivehook",
    "cpython.run_module", "cpython.run_startup", "cpython.run_stdin", "cpython.remote_debugger_script",
    "sys.addaudithook", "sys.monitoring.register_callback", "sys.remote_exec", "sys.set_asyncgen_hooks_finalizer",
    "sys.set_asyncgen_hooks_firstiter", "sys.setprofile", "sys.settrace",
})  # fmt: skip

_WHILE_EVALUATING = frozenset({"builtins.id", "compile", "object.__getattr__", "sys.unraisablehook"})
"""All that Triton's front end does when it compiles a kernel, beside importing its own modules. A text that is compiled
has yet to be executed, and is not."""

_FRAMES = frozenset({"ag_frame", "cr_frame", "gi_frame", "tb_frame"})
_TRITONS = ("triton.backends.", "triton.compiler.", "triton.experimental.gluon.", "triton.language.", "triton._C.ir")
"""What the front end imports when it first needs it."""

_SILENT = {
    "_ctypes": ("CFuncPtr",),
    "ctypes": (
        "CDLL", "CFUNCTYPE", "PYFUNCTYPE", "PyDLL", "cast", "cdll", "memmove", "memset", "pydll", "pythonapi",
        "string_at", "wstring_at",
    ),
    "_posixsubprocess": ("fork_exec",),
    "posix": (
        "chroot", "copy_file_range", "memfd_create", "mkfifo", "mknod", "nice", "openpty", "pidfd_open",
        "sched_setaffinity", "sched_setparam", "sched_setscheduler", "sendfile", "setegid", "seteuid", "setgid",
        "setgroups", "setns", "setpgid", "setpriority", "setregid", "setresgid", "setresuid", "setreuid", "setsid",
        "setuid", "splice", "tcsetpgrp", "unshare",
    ),
    "_signal": ("pidfd_send_signal", "setitimer", "siginterrupt"),
    "time": ("clock_settime", "clock_settime_ns"),
}  # fmt: skip
"""Functions that announce nothing, by their module."""
_ALSO_IN = ("os", "subprocess", "signal", "multiprocessing.util")


def listen() -> None:
    """From here on, for good. Threads that are there by now run our own code, until they evaluate a text."""
    importlib.import_module("string")  # Triton's front end does when a kernel first prints
    _take_away()
    sys.addaudithook(_hook())


def _hook() -> Callable[[str, tuple[Any, ...]], None]:
    """Called for every event of the process, thousands in a compile: what an event is gets looked up once. All that it
    uses is in its own cells, where no text finds it."""
    never, free, imports, opens, attribute, allowed, unknown = range(7)
    kinds: dict[str, int] = dict.fromkeys(_NEVER, never) | dict.fromkeys(_WHILE_EVALUATING, allowed)
    kinds |= {"import": imports, "open": opens, "object.__getattr__": attribute}
    reads, families, frames, tritons = _READS, frozenset(_FAMILIES), _FRAMES, _TRITONS
    refused, load, text, write = Forbidden, importlib.import_module, str, _writes
    stack, thread = inspect.currentframe, threading.get_ident
    code_of, known = id, frozenset(one.ident for one in threading.enumerate())
    evaluating = frozenset(map(id, EVALUATING))  # which live as long as the process
    # Triton makes a named tuple in each compile.
    executing = (*EXECUTING, (collections.namedtuple.__code__,))
    asking: set[int] = set()
    """The threads in which this hook itself asks for a frame or imports."""

    def kind_of(event: str) -> int:
        family = event.partition(".")[0]
        known = never if family in families or family == "os" and event not in reads else free
        kinds[event] = known
        return known

    def innermost() -> FrameType | None:
        """The frame that the event is of."""
        asking.add(thread())
        try:
            here = stack()
            return here and here.f_back and here.f_back.f_back
        finally:
            asking.discard(thread())

    def evaluates(frame: FrameType | None) -> bool:
        while frame is not None:
            if code_of(frame.f_code) in evaluating:
                return True
            frame = frame.f_back
        return thread() not in known

    def called_by(frame: FrameType | None, functions: tuple[CodeType, ...]) -> bool:
        for code in functions:
            if frame is None or frame.f_code is not code:
                return False
            frame = frame.f_back
        return True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "builtins.id":  # nine of ten
            return
        kind = kinds.get(event, unknown)
        if kind == allowed:
            return
        if kind == attribute and arguments[1] not in frames:
            return
        if kind == unknown:
            kind = kind_of(event)
        if kind == never or kind == opens and write(arguments[1], arguments[2]):
            raise refused(f"it asks Python for `{event}`, which this process has given up")
        if thread() in asking:
            return
        frame = innermost()
        if not evaluates(frame):
            return
        if kind == attribute:
            raise refused(f"it looks at `{arguments[1]}`, the state of the analysis itself")
        if kind == imports and text(arguments[0]).startswith(tritons):
            asking.add(thread())
            try:
                load(arguments[0])
            finally:
                asking.discard(thread())
        elif kind == imports:
            raise refused(f"it imports `{arguments[0]}`, which no kernel needs")
        elif not any(called_by(frame, functions) for functions in executing):
            raise refused(f"it asks Python for `{event}`, which no kernel needs")

    return hook


def _writes(mode: object, flags: object) -> bool:
    """Whether a file is opened for more than reading; ``open`` says it in words, ``os.open`` in bits."""
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & 0o1103)  # O_ACCMODE, O_CREAT, O_TRUNC


def _take_away() -> None:
    taken: dict[int, Callable[..., None]] = {}
    for owner, names in _SILENT.items():
        module = sys.modules.get(owner)
        for name in names:
            if hasattr(module, name):
                taken[id(getattr(module, name))] = _refusing(name)
    for holder in (*_SILENT, *_ALSO_IN):
        module = sys.modules.get(holder)
        if isinstance(module, ModuleType):
            for name, value in list(vars(module).items()):
                if id(value) in taken:
                    setattr(module, name, taken[id(value)])


def _refusing(name: str) -> Callable[..., None]:
    def refuse(*_: object, **__: object) -> None:
        raise Forbidden(f"it asks Python for `{name}`, which this process has given up")

    return refuse
