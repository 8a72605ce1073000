"""seccomp: which system calls the kernel still takes from this process, all its threads and whatever it becomes.

A filter in the kernel's own small language, which looks at numbers and arguments, never at memory. What is refused is
a list of classes (``numbers``); calls that are newer than the list are refused as well. Cannot be undone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from kernel_analysis.agent.sandbox import numbers
from kernel_analysis.agent.sandbox.numbers import Processor

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_REFUSE = _ERRNO | errno.EPERM
_MISSING = _ERRNO | errno.ENOSYS
_NUMBER, _PROCESSOR, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000
"""The other way to name a call on x86-64, for programs with short pointers."""

_CLONE_THREAD = 0x00010000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0x400000  # with O_TMPFILE, without its O_DIRECTORY
_TERMINAL_QUESTIONS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Of ioctl: is it a terminal, how wide, how much is there to read; not blocking; closed on exec or not."""
_DESCRIPTORS = (0, 1, 2, 3, 4, 1030)
"""Of fcntl: copies of a descriptor and its flags. Not among them: whom to send which signal."""
_NAMES = (15, 16, 0x53564D41)
"""Of prctl: a thread's name, and a name for memory. Not among them: what happens when the parent dies."""

_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _ALL_THREADS = 1, 1

Step = tuple[int, int, int, int]


class NoSeccomp(Exception):
    """The kernel does not take it; the message is for the user."""


def restrict(processor: Processor, programs: bool = False) -> None:
    """For good. ``programs``: may start programs and change files, which Landlock has to restrict to some. Raises
    Unavailable."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise NoSeccomp(f"no_new_privs: {os.strerror(ctypes.get_errno())}")
    steps = program(processor, os.getpid(), programs)
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    number = {"x86-64": 317, "aarch64": 277}[processor.name]
    ctypes.set_errno(0)
    failed = libc.syscall(ctypes.c_long(number), ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_ALL_THREADS), head)
    if failed > 0:
        raise NoSeccomp(f"the thread {failed} can't be restricted")
    if failed:
        raise NoSeccomp(os.strerror(ctypes.get_errno()))


def program(processor: Processor, pid: int, programs: bool = False) -> list[Step]:
    """The filter: one decision after the other, the first that fits counts."""
    steps = [
        (_LOAD, 0, 0, _PROCESSOR),
        (_EQUAL, 1, 0, processor.audit),
        (_RETURN, 0, 0, _KILL),  # the numbers mean something else there
        (_LOAD, 0, 0, _NUMBER),
    ]
    if processor.name == "x86-64":
        steps += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _MISSING)]
    for number in numbers.NEW_ALLOWED.values():
        steps += _if(number, [(_RETURN, 0, 0, _ALLOW)])
    steps += [(_AT_LEAST, 0, 1, numbers.LAST_OLD[processor.column] + 1), (_RETURN, 0, 0, _MISSING)]
    refused = [numbers.SOCKETS, numbers.OTHERS, numbers.ATTRIBUTES, numbers.SYSTEM]
    if not programs:
        refused += [numbers.PROGRAMS, numbers.PROCESSES, numbers.WRITING]
    for number in processor.of(*refused):
        steps += _if(number, [(_RETURN, 0, 0, _REFUSE)])
    return [*steps, *_conditional(processor, pid, programs), (_RETURN, 0, 0, _ALLOW)]


def _conditional(processor: Processor, pid: int, programs: bool) -> list[Step]:
    conditions: dict[str, list[Step]] = {
        "tgkill": _one_of(0, (pid,)),  # how a process ends itself: abort()
        "ioctl": _one_of(1, _TERMINAL_QUESTIONS),
        "fcntl": _one_of(1, _DESCRIPTORS),
        "prctl": _one_of(0, _NAMES),
        # Asked for, of itself, and not set.
        "prlimit64": [
            (_LOAD, 0, 0, _ARGUMENTS), (_EQUAL, 1, 0, 0), (_EQUAL, 0, 4, pid),
            (_LOAD, 0, 0, _ARGUMENTS + 16), (_EQUAL, 0, 2, 0),
            (_LOAD, 0, 0, _ARGUMENTS + 20), (_EQUAL, 1, 0, 0),
            (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW),
        ],
    }  # fmt: skip
    if not programs:
        conditions["clone"] = [*_bits(0, _CLONE_THREAD), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
        for name, position in (("open", 1), ("openat", 2)):
            conditions[name] = [*_bits(position, _WRITING), (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    steps: list[Step] = []
    for name, inner in conditions.items():
        number = processor.number(name)
        if number is not None:
            steps += _if(number, inner)
    return steps


def _if(number: int, then: list[Step]) -> list[Step]:
    """The steps for the call of this number; they have to decide."""
    return [(_EQUAL, 0, len(then), number), *then]


def _bits(argument: int, mask: int) -> list[Step]:
    """On with the next step where one of the bits is set, else with the one after it."""
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), (_ANY_BIT, 0, 1, mask)]


def _one_of(argument: int, values: tuple[int, ...]) -> list[Step]:
    """Allowed where the argument, a 32-bit number to the kernel, is one of the values."""
    steps: list[Step] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument)]
    for left, value in zip(range(len(values), 0, -1), values, strict=True):
        steps.append((_EQUAL, left, 0, value))
    return [*steps, (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
