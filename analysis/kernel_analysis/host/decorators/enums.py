"""What the class of an Enum says itself of its members, for itself and by what it derives from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import UserClass
from kernel_analysis.source.scopes import Event

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.constants import Evaluator

_WRITES = {"__str__", "__repr__", "__format__", "__doc__", "__module__", "__hash__", "__slots__", "__call__"}


def enum_tables(evaluator: Evaluator, cls: UserClass) -> Iterator[Mapping[str, Sequence[Event]]]:
    """The names of an Enum's class, and of those of the user's that it derives from."""
    yield evaluator.resolver.inner(cls.scope, cls.node).table.events
    for base in cls.node.bases:
        meaning = evaluator.evaluate(base, cls.scope)
        if isinstance(meaning, UserClass) and meaning.node is not cls.node:
            yield from enum_tables(evaluator, meaning)


def operates(names: Mapping[str, Sequence[Event]]) -> bool:
    """Whether a class says itself what operators do; not how its members are written."""
    return any(name.startswith("__") and name not in _WRITES for name in names)
