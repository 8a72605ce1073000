"""How an agent is started, and why it can't be: the command line, the environment, a diagnosis for the user.

Locates the agent's file without importing it. May not keep processes.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from triton_ls.settings import Settings

CACHE_SIZE_MB = 256


@dataclass(frozen=True, slots=True)
class Environment:
    """All that an agent process depends on; jobs of the same environment share its agents."""

    interpreter: str
    target: str
    cache_file: str | None
    memory_limit_mb: int
    roots: tuple[str, ...]
    patient: bool = False
    """Every answer is final, however long it takes: launches in other files are not looked for in the background."""
    limited: bool = False
    """Started without site-packages, in place of an interpreter that can't be used: finds kernels, compiles none."""


def patient(settings: Settings, roots: tuple[str, ...]) -> Environment:
    """For questions whose answer is printed once."""
    return Environment(
        settings.interpreter, settings.target, settings.cache_file, settings.memory_limit, roots, patient=True
    )


class CannotStart(Exception):
    """The message tells the user what is wrong and what to do. ``signal``: what killed it, where another try may come
    out otherwise."""

    def __init__(self, message: str, *, signal: int | None = None) -> None:
        super().__init__(message)
        self.signal = signal


def agent_file() -> str:
    spec = importlib.util.find_spec("kernel_analysis")
    if spec is None or spec.origin is None:
        raise CannotStart("The analysis package kernel_analysis is missing; reinstall triton-ls.")
    return str(Path(spec.origin).parent / "agent" / "__main__.py")


def command(environment: Environment) -> list[str]:
    """The agent's command line. ``CannotStart`` when there is no such interpreter."""
    if environment.limited:
        return [sys.executable, "-S", agent_file()]
    interpreter = environment.interpreter
    found = shutil.which(interpreter)
    if found is None:
        what = "is not executable" if os.path.exists(interpreter) else "does not exist"
        raise CannotStart(
            f"The Python interpreter {interpreter} {what}. Set triton-ls.interpreter (on the command line: --python) "
            f"to the Python that has the triton you write kernels for."
        )
    if os.path.isdir(found):
        raise CannotStart(f"{interpreter} is a directory; triton-ls.interpreter names the python executable in it.")
    return [found, agent_file()]


def environment_variables() -> dict[str, str]:
    """The user's, with what the agent's output needs."""
    return {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}


def start_failure(interpreter: str, log_tail: list[str], returncode: int | None) -> CannotStart:
    """Why a process that never answered ``initialize`` could not be used."""
    last = next((line for line in reversed(log_tail) if line.strip()), "")
    if any("SyntaxError" in line or "requires Python" in line for line in log_tail):
        return CannotStart(f"{interpreter} is too old for triton-ls, which needs Python 3.10 or newer: {last}")
    how = "did not answer" if returncode is None else f"ended with {describe_exit(returncode)}"
    return CannotStart(
        f"The analysis could not be started with {interpreter}: it {how}.{' It said: ' + last if last else ''} "
        f"`triton-ls doctor` tells more.",
        signal=-returncode if returncode is not None and returncode < 0 else None,
    )


def describe_exit(returncode: int) -> str:
    return f"signal {-returncode}" if returncode < 0 else f"exit code {returncode}"


def die_with_parent() -> Callable[[], None] | None:
    """What a child process calls before it becomes the agent, so that the kernel ends it when the server is killed.

    The agent also ends when its standard input does, but not while the compiler keeps it from reading.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def call() -> None:
        libc.prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
        if os.getppid() != parent:
            os._exit(1)

    return call


def creation_flags() -> int:
    return getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
