"""The agent's replies as typed, immutable data: JSON in, ``KernelReport`` and friends out.

May not interpret what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from cattrs import Converter

from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.span import Span


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
    """Who the agent is: its Python, and its Triton or why there is none."""

    python: str
    executable: str
    triton: str | None = None
    triton_error: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of an ``analyze`` request."""

    file: str
    digest: str
    depends: tuple[str, ...] = ()
    compiles: int = 0


_converter = Converter()


def index(params: dict[str, Any]) -> Index:
    return _converter.structure(params, Index)


def kernel_report(params: dict[str, Any]) -> KernelReport:
    return _converter.structure(params["report"], KernelReport)


def identity(result: dict[str, Any]) -> Identity:
    return _converter.structure(result, Identity)


def reply(result: dict[str, Any]) -> Reply:
    return _converter.structure(result, Reply)
