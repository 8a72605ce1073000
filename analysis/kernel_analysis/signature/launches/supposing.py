"""Calls with what their arguments are likely to be in the place of the arguments, where those are no known values. What
comes of it is likely, never more. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import UNKNOWN, HostArgument, likely, supposed
from kernel_analysis.host.evaluate.values import Items, Unknown, Value

Given: TypeAlias = "tuple[list[Value], dict[str, Value]]"


def arguments(args: Sequence[Value], keywords: Mapping[str, Value]) -> Given | None:
    """The arguments of a call as they are likely; None where one is not known at all, or all are known as they are."""
    if not any(map(_is_open, (*args, *keywords.values()))):
        return None
    known: list[Value] = []
    for value in (*args, *keywords.values()):
        guess = supposed(kinds.of(value)) if _is_open(value) else value
        if guess is UNKNOWN or isinstance(guess, Unknown):
            return None
        known.append(_listed(guess))
    return known[: len(args)], dict(zip(keywords, known[len(args) :], strict=True))


def result(found: Value) -> HostArgument | None:
    """What a call gives that was made with them."""
    guess = likely(kinds.of(found))
    return None if isinstance(found, Unknown) or guess.likely is UNKNOWN else guess


def _is_open(value: Value) -> bool:
    """Whether it, or something in it, is no known value."""
    inside = value.values if isinstance(value, Items) and value.kind in ("tuple", "list") else ()
    return isinstance(value, HostArgument) or any(map(_is_open, inside))


def _listed(guess: Value | tuple[Value, ...]) -> Value:
    return Items("tuple", tuple(map(_listed, guess))) if isinstance(guess, tuple) else guess
