"""Members of an Enum as a kernel's text has them: numbers and texts that refuse what would tell them from their value.

Triton writes constants into the names of what it compiles: there they are written otherwise than their values. It is
refused only while the text itself asks for it (``written_out``).
"""

# pyright: basic
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from kernel_analysis.lowering.gate.not_evaluable import NotEvaluable
from kernel_analysis.source.enum_constants import EnumBits, EnumConstant, EnumText

_asked = [0]


@contextlib.contextmanager
def written_out() -> Iterator[None]:
    """While the user's text has something written as text."""
    _asked[0] += 1
    try:
        yield
    finally:
        _asked[0] -= 1


class MemberOfEnum:
    """Base of what stands for a member. ``of``: the path of the member; empty where it has none."""

    of = ""
    value: Any

    @property
    def name(self) -> Any:
        raise NotEvaluable("the name of a member of an Enum is not evaluated here")

    def __repr__(self) -> str:
        if _asked[0]:
            raise NotEvaluable("how a member of an Enum is written as text is not evaluated")
        return f"<{self.of}: {self.value!r}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)


class TextOfEnum(MemberOfEnum, str):
    @property
    def value(self) -> Any:
        return str.__str__(self)


class NumberOfEnum(MemberOfEnum, int):
    @property
    def value(self) -> Any:
        return int(self)


class BitsOfEnum(NumberOfEnum):
    def __or__(self, other: Any) -> Any:
        return _bits(int.__or__(self, other))

    def __and__(self, other: Any) -> Any:
        return _bits(int.__and__(self, other))

    def __xor__(self, other: Any) -> Any:
        return _bits(int.__xor__(self, other))

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __bool__(self) -> bool:
        return int(self) != 0

    def _parts(self, *_: Any) -> Any:
        raise NotEvaluable("what the bits of a member of an Enum are is not evaluated")

    __invert__ = __iter__ = __len__ = __contains__ = _parts


KINDS = frozenset({TextOfEnum, NumberOfEnum, BitsOfEnum})
for _kind in KINDS:
    _kind.__name__ = _kind.__qualname__ = "Enum"  # Triton's messages name the type

_members: dict[tuple[type, str, object], Any] = {}


def _bits(found: Any) -> Any:
    return found if found is NotImplemented else BitsOfEnum(found)


def member(value: EnumConstant) -> Any:
    """What stands for a constant that is a member: one object for one member."""
    kind = TextOfEnum if isinstance(value, EnumText) else BitsOfEnum if isinstance(value, EnumBits) else NumberOfEnum
    made = kind(value)
    made.of = value.of
    return _members.setdefault((kind, value.of, made.value), made)


def is_member(value: Any) -> bool:
    """Whether it stands for a member, so that its class says what else it has."""
    return isinstance(value, MemberOfEnum)
