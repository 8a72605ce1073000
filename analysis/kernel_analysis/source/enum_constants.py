"""A member of an Enum that is a number or a text, as a constant of a slice: equal to its value, and nothing else of it
is the value's. How it is written, and what else it has, its class and the version of Python say.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

_T = TypeVar("_T")


class EnumText(str):
    """Of ``class Mode(str, Enum)`` or a ``StrEnum``. ``of``: the path of the member, which tells it from others."""

    of: str = ""


class EnumNumber(int):
    """Of ``class Mode(int, Enum)`` or an ``IntEnum``."""

    of: str = ""


class EnumBits(EnumNumber):
    """Of an ``IntFlag``: what operators on bits make of it is a member, too."""


EnumConstant: TypeAlias = EnumText | EnumNumber


def constant_of(value: object, of: str, flag: bool) -> EnumConstant | None:
    """The member that has this value; None where that is neither a number nor a text."""
    if isinstance(value, str):
        made: EnumConstant = EnumText(value)
    elif isinstance(value, int):
        made = EnumBits(value) if flag else EnumNumber(value)
    else:
        return None
    made.of = of
    return made


def without_member(value: _T) -> _T | str | int:
    """The value of a member; anything else as it is."""
    if isinstance(value, EnumText):
        return str(value)
    return int(value) if isinstance(value, EnumNumber) else value
