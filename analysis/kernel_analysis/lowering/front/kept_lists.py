"""Containers that outlive a call: lists of the user's files, and what a default holds. What a function that is
evaluated does to them is seen, and taken back, so that no compile sees what another left behind."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any


class KeptLists:
    """Lists, dicts and sets as they were when they got in here."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, Any]] = []

    def made(self, values: Iterable[Any]) -> list[Any]:
        """A new list, which is kept."""
        made = [*values]
        self._kept.append((made, made.copy()))
        return made

    def made_dict(self, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
        """A new dict, which is kept."""
        made = dict(pairs)
        self._kept.append((made, made.copy()))
        return made

    def keep(self, value: Any) -> None:
        """All containers in a value."""
        if isinstance(value, list | dict | set):
            self._kept.append((value, value.copy()))  # pyright: ignore[reportUnknownMemberType]
        if isinstance(value, list | tuple | dict):
            for part in value.values() if isinstance(value, dict) else value:
                self.keep(part)

    def put_back(self) -> bool:
        """Makes them what they were; says whether one of them was not."""
        changed = [(value, before) for value, before in self._kept if not _same(value, before)]
        for value, before in changed:
            if isinstance(value, list):
                value[:] = before
            else:
                value.clear()
                value.update(before)
        return bool(changed)


def _same(value: Any, before: Any) -> bool:
    if isinstance(value, dict):
        return value.keys() == before.keys() and all(value[key] is before[key] for key in value)
    if isinstance(value, set):
        return value == before
    return len(value) == len(before) and all(map(operator.is_, value, before))
