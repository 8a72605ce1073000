"""How an agent is started, and why it can't be: the command line, the environment, a diagnosis for the user.

Locates the agent's file without importing it. May not keep processes.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kernel_analysis.files import import_root
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
    readable: tuple[str, ...] = ()
    """What agents may read of the workspace beside the roots."""
    patient: bool = False
    """Every answer is final, however long it takes: launches in other files are not looked for in the background."""
    trusted: bool = True
    """Without, no program in the roots is started, not even one that the user's own settings name."""
    limited: bool = False
    """Started without site-packages, in place of an interpreter that can't be used: finds kernels, compiles none."""


def usual(settings: Settings, roots: tuple[str, ...], trusted: bool) -> Environment:
    """For what somebody has open in a workspace."""
    cache_file = settings.cache_file if trusted else settings.untrusted_cache_file
    return Environment(settings.interpreter, settings.target, cache_file, settings.memory_limit, roots, trusted=trusted)


def patient(settings: Settings, roots: tuple[str, ...], files: Iterable[str] = ()) -> Environment:
    """For questions about files in the roots whose answer is printed once. What a link among them leads to is read,
    too."""
    linked = tuple(os.path.realpath(file) for file in files if os.path.islink(file))
    return Environment(
        settings.interpreter, settings.target, settings.cache_file, settings.memory_limit, roots, linked, patient=True
    )


def beside(file: str, places: Iterable[str]) -> tuple[str, ...]:
    """What has to be read for a file that is in none of the places: the folder where its imports begin."""
    real = os.path.realpath(file)
    if not file or any(real.startswith(os.path.realpath(place).rstrip(os.sep) + os.sep) for place in places):
        return ()
    return (import_root(os.path.dirname(real)),)


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


def command(environment: Environment, kind: Literal["analysis", "stages", "plan"] = "analysis") -> list[str]:
    """The agent's command line. ``CannotStart`` when there is no such interpreter."""
    if environment.limited:
        return [sys.executable, "-S", agent_file(), "bare", *environment.roots]
    interpreter = environment.interpreter
    found = find_program(interpreter)
    if found is None:
        what = "is not executable" if os.path.exists(interpreter) else "does not exist"
        raise CannotStart(
            f"The Python interpreter {interpreter} {what}. Set triton-ls.interpreter (on the command line: --python) "
            f"to the Python that has the triton you write kernels for."
        )
    if os.path.isdir(found):
        raise CannotStart(f"{interpreter} is a directory; triton-ls.interpreter names the python executable in it.")
    if not environment.trusted and (root := _root_of(found, environment.roots)):
        raise CannotStart(
            f"The Python interpreter {found} is in {root}, which you have not said to trust: it is not started. Trust "
            "the folder, or set triton-ls.interpreter to a Python elsewhere."
        )
    # -S: what is installed is looked at by the agent itself, which knows what to leave out.
    return [os.path.abspath(found), "-S", agent_file(), kind, *environment.roots]


def started_in(environment: Environment) -> str | None:
    """The folder that a process starts in; None: this one's. A shim (pyenv, asdf, mise) asks that folder, and those
    above, which Python to start."""
    return None if environment.trusted else os.path.abspath(os.sep)


def find_program(name: str) -> str | None:
    """A mere name is looked for along PATH, and never in the folder that this process was started in."""
    places = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(place)]
    found = shutil.which(name, path=os.pathsep.join(places))
    return found if found and (os.path.dirname(name) or os.path.isabs(found)) else None


def _root_of(program: str, roots: Iterable[str]) -> str | None:
    """The root that it is in, by its name or by where that leads: a virtual environment's is a link."""
    names = [os.path.abspath(program), os.path.realpath(program)]
    folders = [os.path.realpath(os.path.dirname(names[0]))]
    for root in roots:
        inside = os.path.realpath(root).rstrip(os.sep) + os.sep
        if any((path + os.sep).startswith(inside) for path in (*names, *folders)):
            return root
    return None


_VARIABLES = frozenset({
    # To find the interpreter behind a shim (pyenv, asdf, mise), and what it has installed.
    "PATH", "HOME", "PYENV_ROOT", "PYENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR", "ASDF_PYTHON_VERSION", "MISE_DATA_DIR",
    "PYTHONHOME", "PYTHONPATH", "PYTHONPLATLIBDIR", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONSAFEPATH",
    "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUTF8", "PYTHONCOERCECLOCALE",
    "__PYVENV_LAUNCHER__",
    # The loader.
    "LD_LIBRARY_PATH", "LD_PRELOAD", "NIX_LD", "NIX_LD_LIBRARY_PATH", "GLIBC_TUNABLES", "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    # The language of messages, the clock, a place for temporary files.
    "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ", "TMPDIR", "TEMP", "TMP",
    # What changes how Triton compiles, and where its tools are.
    "TRITON_HOME", "TRITON_F32_DEFAULT", "TRITON_DEFAULT_FP_FUSION", "TRITON_FORCE_DISABLE_FP_FUSION",
    "TRITON_OVERRIDE_ARCH", "TRITON_DEBUG", "TRITON_DISABLE_LINE_INFO", "TRITON_INSTRUMENTATION_MODE",
    "TRITON_LIBDEVICE_PATH", "TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "TRITON_NVDISASM_PATH",
    "TRITON_CUOBJDUMP_PATH", "TRITON_AMD_CODEGEN_PATH", "TRITON_MOCK_PTX_VERSION", "DISABLE_LLVM_OPT",
    "DISABLE_PTXAS_OPT", "PTXAS_OPTIONS", "AMDGCN_USE_BUFFER_OPS", "AMDGCN_USE_BUFFER_ATOMICS",
    "TRITON_HIP_USE_ASYNC_COPY", "TRITON_HIP_USE_BLOCK_PINGPONG", "TRITON_HIP_USE_IN_THREAD_TRANSPOSE",
    # Without these nothing starts on Windows.
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
})  # fmt: skip
"""Of the user's environment what an agent needs; a token that it never had is in no answer of its."""


_SEARCHED = ("LD_LIBRARY_PATH", "LD_PRELOAD", "NIX_LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
"""Where the loader looks for what becomes part of a process, before any line of ours runs."""

LEADS_TO_CODE = (
    "NIX_LD", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "__PYVENV_LAUNCHER__", "TRITON_HOME",
    "TRITON_LIBDEVICE_PATH", "TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "TRITON_NVDISASM_PATH",
    "TRITON_CUOBJDUMP_PATH", "TRITON_AMD_CODEGEN_PATH",
)  # fmt: skip
"""A place whose files are loaded or started, each."""

_OF_SHIMS = ("PYENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR")
"""Where a shim finds the interpreter that it starts: it may be in a workspace that is trusted."""


def environment_variables() -> dict[str, str]:
    """Those, with what the agent's output needs."""
    known = {name: value for name, value in os.environ.items() if name.upper() in _VARIABLES}
    return {**known, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}


def guarded_variables(environment: Environment) -> dict[str, str]:
    """For a process that looks at what is in the roots: none of it gets into that process while it starts. Left out of
    where Python and the loader look for code is what is in a root, and what depends on the folder that the process is
    started in: an empty entry means that folder, and one comes about by ``X=$X:/more``. Names are still looked up where
    the user's programs find them, which is passed on under a name of our own: even a folder beside a root would offer
    the root itself to a Python that starts, if that has the name of a module."""
    known = environment_variables()
    for name in (*_SEARCHED, "PATH"):
        if name in known:
            entries = re.split(r"[ :]+" if name == "LD_PRELOAD" else re.escape(os.pathsep), known[name])
            known[name] = os.pathsep.join(entry for entry in entries if _is_elsewhere(entry, name, environment))
    if path := known.pop("PYTHONPATH", None):
        known["TRITON_LS_PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, path.split(os.pathsep)))
    for name in (*LEADS_TO_CODE, *(() if environment.trusted else _OF_SHIMS)):
        if name in known and not _is_elsewhere(known[name], name, environment):
            del known[name]
    return {name: value for name, value in known.items() if value or name not in (*_SEARCHED, "PATH")}


def _is_elsewhere(entry: str, name: str, environment: Environment) -> bool:
    """Whether an entry of such a variable leads to nothing of the workspace."""
    if name == "LD_PRELOAD" and os.sep not in entry:
        return bool(entry)  # looked for where libraries are
    if not os.path.isabs(entry):
        return False
    if name == "PATH":
        return True
    # What is installed beside an interpreter in the workspace is its own.
    found = find_program(environment.interpreter)
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(found))) if found else os.devnull
    if _root_of(entry, [os.path.join(prefix, library) for library in ("lib", "lib64")]):
        return True
    if name in LEADS_TO_CODE and (entry == prefix or _root_of(entry, [os.path.join(prefix, "bin")])):
        return True
    # A root that holds the user's home is no workspace that somebody has made.
    home = os.path.expanduser("~")
    roots = [root for root in environment.roots if os.path.realpath(root) == os.path.realpath(entry)]
    roots += [root for root in environment.roots if not _root_of(home, [root])]
    return _root_of(entry, roots) is None


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


_OF_ITSELF = frozenset(
    getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS")
)
"""The signals with which a process ends that does what it can't; any other was sent to it."""


def describe_end(returncode: int) -> str:
    """What became of a process that nobody here ended."""
    sent = returncode < 0 and -returncode not in _OF_ITSELF
    return f"{'was killed' if sent else 'crashed'} ({describe_exit(returncode)})"


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
