"""What is kept of each function, of its last few texts: those before are asked about no more, and hold their trees.

Keeps books; may not know what for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

_OF_ONE = 4
"""For one function: there may be two with its name."""

_T = TypeVar("_T")


class KeptByFunction(Generic[_T]):
    """By who a function is, and by what tells its texts apart. ``most``: functions; more than a file has as a rule, for
    of more that are asked about in turn, none is found again. ``of_one``: of each of them."""

    def __init__(self, most: int, of_one: int = _OF_ONE) -> None:
        self._most, self._of_one = most, of_one
        self._known: OrderedDict[Hashable, OrderedDict[Hashable, _T]] = OrderedDict()

    def get(self, function: Hashable, key: Hashable) -> _T | None:
        """What was kept, which is now the last of its function that was asked for."""
        of_it = self._known.get(function)
        found = None if of_it is None else of_it.get(key)
        if of_it is not None and found is not None:
            of_it.move_to_end(key)
            self._known.move_to_end(function)
        return found

    def keep(self, function: Hashable, key: Hashable, value: _T) -> None:
        of_it = self._known.setdefault(function, OrderedDict())
        of_it[key] = value
        of_it.move_to_end(key)
        self._known.move_to_end(function)
        if len(of_it) > self._of_one:
            of_it.popitem(last=False)
        if len(self._known) > self._most:
            self._known.popitem(last=False)

    def let_go(self) -> None:
        self._known.clear()

    def __len__(self) -> int:
        return sum(map(len, self._known.values()))
