"""How much is computed, whoever asks: the sizes of numbers, texts and sequences. Pure functions on plain values."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

Scalar: TypeAlias = "int | float | bool | str"

MOST_STEPS = 30_000
MOST_DEPTH = 80
_BITS = 4096
_TEXT = 20_000
LONGEST = 4096
HEAVIEST = 50_000
LONGEST_COMMENT = 10_000
"""Characters of a comment that is read for what it says."""
LONG_COMMENT = f"this comment is too long to be read: at most {LONGEST_COMMENT:,} characters are"


class TooMuch(Exception):
    """An evaluation that would take too long, nest too deep or grow too large. Whoever evaluates catches it."""


_SEQUENCES = (str, bytes, list, tuple)


def refuse(op: ast.AST, a: object, b: object, bits: int = _BITS, characters: int = _TEXT, items: int = LONGEST) -> None:
    """Raises TooMuch where ``a op b`` would take all the time or memory there is."""
    if isinstance(a, int) and isinstance(b, int):
        size = 0
        if isinstance(op, ast.Pow):
            size = abs(b) * max(a.bit_length(), 1)
        elif isinstance(op, ast.LShift):
            size = max(a.bit_length(), 1) + max(b, 0)
        elif isinstance(op, ast.Mult):
            size = a.bit_length() + b.bit_length()
        if size > bits:
            raise TooMuch
    elif isinstance(op, ast.Mult):
        for sequence, times in ((a, b), (b, a)):
            if isinstance(sequence, _SEQUENCES) and isinstance(times, int):
                most = characters if isinstance(sequence, (str, bytes)) else items
                if len(sequence) * max(times, 0) > most:  # pyright: ignore[reportUnknownArgumentType]
                    raise TooMuch
    elif isinstance(op, ast.Add) and isinstance(a, _SEQUENCES) and isinstance(b, _SEQUENCES):
        most = characters if isinstance(a, (str, bytes)) else items
        if len(a) + len(b) > most:  # pyright: ignore[reportUnknownArgumentType]
            raise TooMuch


def literal(value: Scalar | None) -> Scalar | None:
    """A value as it is written in the text, if what follows can calculate with it."""
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise TooMuch
    return value


def text(value: str) -> str:
    """The text, if it is not too long."""
    if len(value) > _TEXT:
        raise TooMuch
    return value


_Sequence = TypeVar("_Sequence", str, "tuple[Any, ...]")


def repeated(value: _Sequence, times: int) -> _Sequence:
    """``value * times``, bounded."""
    if len(value) * max(times, 0) > (_TEXT if isinstance(value, str) else LONGEST):
        raise TooMuch
    return value * times


def formatted(value: Scalar | None, spec: str) -> str:
    """``format(value, spec)``; a width or precision that makes megabytes is refused."""
    harmless(spec)
    return text(format(value, spec))


def harmless(spec: str) -> None:
    """Raises TooMuch for a format with a number in it that could ask for a huge text."""
    if len(spec) > _TEXT or any(len(n) > 3 for n in re.findall(r"\d+", spec)) or "*" in spec:
        raise TooMuch


def percent(template: str, values: tuple[Scalar | None, ...]) -> str:
    """``template % values``."""
    if len(template) > _TEXT:
        raise TooMuch
    for spec in re.findall(r"%[^a-zA-Z%]*", template):
        harmless(spec)
    return text(template % values)


def numbers_of(bounds: Sequence[int]) -> range:
    """``range(*bounds)``, if it is not too long."""
    found = range(*bounds)
    if len(found) > LONGEST:
        raise TooMuch
    return found


def joined(one: _Sequence, other: _Sequence) -> _Sequence:
    """``one + other``, if it is not too long."""
    if len(one) + len(other) > (_TEXT if isinstance(one, str) else LONGEST):
        raise TooMuch
    return one + other
