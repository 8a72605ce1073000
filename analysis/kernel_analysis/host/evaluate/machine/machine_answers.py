"""What the answers rest on that are given in the place of the machine where a file will run. One row a question; one
without a row varies. Answers nothing itself.

One rule: the target is stated with the facts, so what every launch on it finds is fixed, *if* a machine without a GPU
that imports the same file finds it as well, or an exception. Whether there is a GPU is not stated, nor is what system,
Python or torch there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from kernel_analysis.record import record

Stated: TypeAlias = Literal["target", "triton", "python"]


@record
class Fixed:
    """The same for all launches that the facts are about. ``by``: what is stated with them; ``python`` is the language,
    whichever version of it."""

    by: Stated


@record
class Varies:
    """A guess. ``why``: what decides it where the file runs; None: the question, as whoever asks puts it."""

    why: str | None = None


@record
class TextVaries:
    """That there is a text is fixed; which text it is, is a guess."""

    why: str


Row: TypeAlias = Fixed | Varies | TextVaries

_KIND_BY_NAME = Varies()
"""Nothing but its name says what a function does that is not in sight."""

_WHETHER_A_GPU = Varies("whether there is a GPU where the file runs")
_SYSTEM = Varies("the system where the file runs")

ROWS: Final[Mapping[str, Row]] = {
    "torch.version.<the target>": Varies("what the PyTorch that is installed was built for"),
    "torch.version.<another>": Fixed("target"),
    "torch.__version__": TextVaries("the PyTorch that is installed"),
    "torch.cuda.is_available": _WHETHER_A_GPU,
    "torch.<other device>.is_available": Fixed("target"),
    "torch.<other device>": Fixed("target"),
    "torch.cuda.get_device_capability": Fixed("target"),
    "torch.cuda.get_device_capability(<another>)": Varies(),
    "torch.cuda.device_count": Varies(),
    "get_current_target": Fixed("target"),
    "target_info": Fixed("target"),
    "is_<kind>": _KIND_BY_NAME,
    "triton.__version__": Fixed("triton"),
    "importlib.metadata.version": Varies(),
    "importlib.metadata.version('triton')": Fixed("triton"),
    "importlib.util.find_spec": Varies(),
    "importlib.util.find_spec('triton')": Fixed("triton"),
    "hasattr(triton)": Fixed("triton"),
    "inspect.signature(triton)": Fixed("triton"),
    "os.environ.get": Varies(),
    "os.getenv": Varies(),
    "os.environ.setdefault": Varies(),
    "sys.platform": _SYSTEM,
    "os.name": _SYSTEM,
    "platform.system": _SYSTEM,
    "sys.version_info": Varies("the Python that runs the file"),
    "__name__": Varies("whether the file is run as a script"),
    "__file__": Varies("where the file lies"),
    "<constant of a library>": Fixed("python"),
}


def doubt(row: str, asked: str) -> str | None:
    """Why the answer to a question may be another where the file runs, ``asked`` in words; None: it can't. A
    text's guess says so itself, when more is asked of it than whether it is there."""
    kind = ROWS.get(row, Varies())
    if isinstance(kind, Varies):
        return f"it depends on {kind.why or asked}"
    return None


def guessed(row: str) -> str | None:
    """Why a text may be another; None: as any other answer."""
    kind = ROWS[row]
    return f"it depends on {kind.why}" if isinstance(kind, TextVaries) else None
