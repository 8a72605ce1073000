"""The agent's replies as typed, immutable data: JSON in, ``KernelReport`` and friends out.

May not interpret what they say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kernel_analysis import wire
from kernel_analysis.report import KernelReport

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A kernel at a stage behind the front end; ``about``: what that is true of."""

    about: wire.CompiledFor
    stage: wire.LateStage

    def holds_for(self, report: KernelReport) -> bool:
        first = report.signatures[0] if report.signatures else None
        about = self.about
        return first is not None and (report.key, first.types, first.constants, report.launch_options) == (
            about.key, about.types, about.constants, about.launch_options
        )  # fmt: skip


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


def first_uses() -> Iterator[Callable[[], object]]:
    """What the first message of each kind would have to wait for, in the order in which they come."""
    for kind in (*wire.SAID.values(), wire.Reply):
        yield lambda kind=kind: _converter().get_structure_hook(kind)


def _structured(data: Any, kind: type[T], what: str = "") -> T:
    converter = _converter()
    try:
        return converter.structure(data, kind)
    except Exception as error:  # whatever converting raises, what was to be converted is to blame
        raise Malformed(f"the analysis gave no {what or kind.__name__} that triton-ls can read ({error!r})") from error


def _of(kind: type[T], value: Any) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")
    return value


def said(method: str, params: dict[str, Any]) -> wire.Said | None:
    """A notification; None for one that this version does not know."""
    kind = wire.SAID.get(method)
    return None if kind is None else _structured(params, kind, f"`{method}`")


def recall(params: dict[str, Any]) -> wire.Recall:
    return _structured(params, wire.Recall)


def identity(result: Any) -> wire.Identity:
    return _structured(result, wire.Identity)


def reply(result: Any) -> wire.Reply:
    return _structured(result, wire.Reply)


def answer(kind: type[T], result: Any) -> T:
    """Of a question that ``wire.ASKED`` has by what it is answered with."""
    return _structured(result, kind)
