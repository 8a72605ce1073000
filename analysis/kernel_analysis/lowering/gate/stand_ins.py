"""What stands here for something that a kernel's text names and that is not there: functions of the slice, modules and
classes of the user's, and what nobody could find out.

It says of itself what the real thing says, and refuses to be asked for more: that a stand-in lacks an attribute, is no
instance of something or is another object than some other one, says nothing of what it stands for. Knows nothing of
Triton, nor of what may be reached.
"""

# pyright: basic
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NoReturn

from kernel_analysis.lowering.gate.not_evaluable import NotEvaluable


class Ours:
    """What the slice is made of here (functions, stand-ins, unresolved names) derives from this, and passes."""

    def says(self, name: str) -> bool:
        """Whether what it stands for has the attribute as it has it itself. Its own are none of those."""
        return False


class UnknownStandIn(Ours):
    """Stands for a value that nobody could find out: whatever asks it something is refused, and one that is only
    handed about harms nobody."""

    refuse: Callable[..., NoReturn]
    """Raises why it is not known, as each kind says it."""

    __hash__ = object.__hash__


def _refused(value: UnknownStandIn, *_: object) -> NoReturn:
    value.refuse()


_UNARY = "eq ne lt le gt ge neg pos invert index len iter getitem contains str format bool"
_BINARY = "add sub mul truediv floordiv mod pow and or xor lshift rshift"
for _name in (*_UNARY.split(), *_BINARY.split(), *[f"r{_name}" for _name in _BINARY.split()]):
    setattr(UnknownStandIn, f"__{_name}__", _refused)


class SliceModule(types.ModuleType):
    """Stands for a module or class of the user's: it has only the members that the slice uses, each let through."""


def refuse_unknown(*values: Any) -> None:
    """Raise where one of these is not known."""
    for value in values:
        if isinstance(value, UnknownStandIn):
            value.refuse()


def refuse_more(owner: Any, name: str) -> None:
    """Raise where a stand-in is asked for an attribute of which only what it stands for could say something."""
    refuse_unknown(owner)
    if type(owner) is SliceModule and name not in vars(owner):
        raise NotEvaluable(f"what `{owner.__name__}` has besides what is taken of it by name is not looked at")
    if isinstance(owner, Ours) and not name.startswith("_") and not owner.says(name):
        raise NotEvaluable(f"`.{name}` of what is no value is not evaluated")


def refuse_kind(value: Any) -> None:
    """Raise where what is asked is of which kind a stand-in is."""
    refuse_unknown(value)
    if type(value) is SliceModule:
        raise NotEvaluable(f"what kind of object `{value.__name__}` is is not looked at")


def refuse_to_compare(one: Any, other: Any) -> None:
    """Raise where a stand-in would be compared with what may be the same: each use of a module or a class has one of
    its own."""
    refuse_unknown(one, other)
    if type(one) is SliceModule and type(other) is SliceModule and one is not other:
        raise NotEvaluable(f"whether `{one.__name__}` and `{other.__name__}` are one is not looked at")
