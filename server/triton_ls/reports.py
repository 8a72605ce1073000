"""The agent's replies as typed, immutable data: JSON in, ``KernelReport`` and friends out.

May not interpret what they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from kernel_analysis.files import FileStamp
from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.span import Span

if TYPE_CHECKING:
    from cattrs import Converter


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


@cache
def _converter() -> Converter:
    # Not at the start: it takes longer to import than a `check` that has its answer at hand takes.
    from cattrs import Converter

    # Which field of a reply is bad matters to nobody, and to tell takes longer.
    return Converter(detailed_validation=False)


def index(params: dict[str, Any]) -> Index:
    return _converter().structure(params, Index)


def kernel_report(params: dict[str, Any]) -> KernelReport:
    return _converter().structure(params["report"], KernelReport)


def identity(result: dict[str, Any]) -> Identity:
    return _converter().structure(result, Identity)


def reply(result: dict[str, Any]) -> Reply:
    return _converter().structure(result, Reply)


def resources(result: dict[str, Any]) -> Resources:
    return _converter().structure(result, Resources)
