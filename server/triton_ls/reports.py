"""The agent's replies as typed, immutable data: JSON in, ``KernelReport`` and friends out.

May not interpret what they say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from kernel_analysis.files import FileStamp
from kernel_analysis.report import Finding, KernelReport, ValueReport
from kernel_analysis.span import Span

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """A jit function of the file as the agent's ``index`` lists it; ``stale``: its text does not parse at present."""

    key: str
    name: str
    qualname: str
    role: Literal["kernel", "helper"]
    span: Span
    name_span: Span
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """What is known of a file before anything is compiled."""

    kernels: tuple[Entry, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the agent is: its Python, and its Triton or why there is none. ``packages``: the directories of what is
    installed there, that of Triton itself first where there is one."""

    python: str
    executable: str
    triton: str | None = None
    triton_error: str | None = None
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Protection:
    """What a process gave up before it looked at the first kernel (docs/security.md). ``missing``: sentences on what
    this system does not do."""

    audit: bool
    seccomp: bool
    landlock: int
    missing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """One line."""
        held = [
            *(["Python's audit hook"] if self.audit else []),
            *(["seccomp"] if self.seccomp else []),
            *([f"Landlock {self.landlock}"] if self.landlock else []),
        ]
        return " ".join([f"{', '.join(held) or 'nothing'} below the gate.", *self.missing])


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of an ``analyze`` request. ``final``: the same question would be answered the same. ``depends``: the
    files that it was read from, each with the stamp of what was read, None where that was not on disk."""

    file: str
    digest: str
    depends: Mapping[str, FileStamp | None] = field(default_factory=dict[str, "FileStamp | None"])
    compiles: int = 0
    final: bool = False


@dataclass(frozen=True, slots=True)
class Resources:
    """What a finished kernel takes of a GPU; true of the function with this ``key`` under these types, constants and
    launch options only. ``options``: all that it was compiled with."""

    key: str
    target: str
    types: dict[str, Any]
    constants: dict[str, Any]
    launch_options: dict[str, int]
    options: dict[str, int]
    resources: dict[str, int]

    def holds_for(self, report: KernelReport) -> bool:
        first = report.signatures[0] if report.signatures else None
        return first is not None and (report.key, first.types, first.constants, report.launch_options) == (
            self.key, self.types, self.constants, self.launch_options
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shapes:
    """The configs and launches of which the shapes in a kernel can be shown alone, and the types for the one that was
    asked for; of the content with this ``key``."""

    key: str
    choices: list[str]
    values: list[ValueReport] | None = None


class Malformed(Exception):
    """The agent said something that is not in its protocol; the message tells the user."""


@dataclass(frozen=True, slots=True)
class Message:
    """A line of the agent's: a notification with ``method`` and ``params``, the reply to the request ``id``, or the
    agent's own ``question``, what is stored under some keys."""

    question: str | None
    method: str | None
    params: dict[str, Any]
    id: int
    result: Any
    error: str | None


def message(line: bytes) -> Message:
    """A line as the message that it is; ``Malformed`` where it is none."""
    try:
        read: Any = json.loads(line)
        error: Any = read.get("error")
        asked = read.get("method") == "recall"
        return Message(
            question=_of(str, read["id"]) if asked else None,
            method=_of(str, read["method"]) if "id" not in read else None,
            params=cast("dict[str, Any]", _of(dict, read.get("params", {}))),
            id=-1 if asked or "id" not in read else _of(int, read["id"]),
            result=read.get("result"),
            error=None if error is None else _of(str, error["message"]),
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise Malformed(f"the analysis wrote something that is no message ({line[:100]!r})") from error


@cache
def _converter() -> Converter:
    # Not at the start: it takes longer to import than a `check` that has its answer at hand takes.
    from cattrs import Converter

    # Which field of a reply is bad matters to nobody, and to tell takes longer.
    return Converter(detailed_validation=False)


def _structured(data: Any, kind: type[T]) -> T:
    converter = _converter()
    try:
        return converter.structure(data, kind)
    except Exception as error:  # whatever converting raises, what was to be converted is to blame
        raise Malformed(f"the analysis gave no {kind.__name__} that triton-ls can read ({error!r})") from error


def _of(kind: type[T], value: Any) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")
    return value


def index(params: dict[str, Any]) -> Index:
    return _structured(params, Index)


def kernel_report(params: dict[str, Any]) -> KernelReport:
    return _structured(params.get("report"), KernelReport)


def key(params: dict[str, Any]) -> str:
    """Of the function that is being compiled."""
    found = params.get("key")
    if not isinstance(found, str):
        raise Malformed("the analysis did not say which function it compiles")
    return found


def files(params: dict[str, Any]) -> list[str]:
    return _structured(params.get("files"), list[str])


def protection(params: dict[str, Any]) -> Protection:
    return _structured(params, Protection)


def keys(params: dict[str, Any]) -> list[str]:
    """That an agent asks for."""
    return _structured(params.get("keys"), list[str])


def entries(params: dict[str, Any]) -> list[tuple[str, str]]:
    """That an agent wants kept."""
    return _structured(params.get("entries"), list[tuple[str, str]])


def identity(result: Any) -> Identity:
    return _structured(result, Identity)


def reply(result: Any) -> Reply:
    return _structured(result, Reply)


def answer(result: Any) -> dict[str, Any]:
    """Of a question: its form is known to whoever asked."""
    return _structured(result, dict[str, Any])


def resources(result: Any) -> Resources:
    return _structured(result, Resources)


def shapes(result: Any) -> Shapes:
    return _structured(result, Shapes)
