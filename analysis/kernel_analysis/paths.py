"""Parameters, the elements of tuples and the fields of aggregates by path: ``pair``, ``pair[1]``, ``pair[1][0]``,
``state.bufs[0]``. Nothing else writes this notation or reads it; it knows nothing of what a type means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

_PART = re.compile(r"[\[.]")

Nested: TypeAlias = "str | tuple[Nested, ...]"
"""The type of a parameter; of a tuple those of its elements."""


def element(path: str, *indices: int) -> str:
    """The path of an element, or of one further in; ``True`` is an index, too."""
    return path + "".join([f"[{index:d}]" for index in indices])


def field(path: str, name: str) -> str:
    """The path of an aggregate's field."""
    return f"{path}.{name}"


def owner(path: str) -> str:
    """The parameter that the element is in."""
    return _PART.split(path, maxsplit=1)[0]


def step(path: str, outer: str) -> int | str:
    """The element or field of ``outer`` that ``path`` is, or is in."""
    part = _PART.split(path[len(outer) + 1 :].replace("]", ""), maxsplit=1)[0]
    return part if path[len(outer)] == "." else int(part)


def around(path: str) -> str | None:
    """The path of the tuple that the element is in; None for a parameter itself."""
    return path.rpartition("[")[0] or None


def indices(path: str) -> tuple[int, ...]:
    """Where in its parameter the element is; empty for the parameter itself."""
    if "[" not in path:
        return ()
    return tuple(map(int, path[path.index("[") + 1 : -1].split("][")))


def is_inside(path: str, tuple_path: str) -> bool:
    """Whether a path names an element of the tuple at another, however far in."""
    return path.startswith(f"{tuple_path}[")


def length_of(paths: Iterable[str], tuple_path: str) -> int:
    """How many elements the tuple has at least, given the paths that are used."""
    depth = len(indices(tuple_path))
    return max([indices(path)[depth] + 1 for path in paths if is_inside(path, tuple_path)], default=0)


def leaves(path: str, kind: Nested, names: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """A parameter's elements that are no tuples, with their types; itself where it is none. ``names``: of the fields of
    named tuples, whose elements go by them."""
    for shown, _, inner in _leaves(path, path, kind, names):
        yield shown, inner


def _leaves(
    shown: str, path: str, kind: Nested, names: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, str]]:
    if isinstance(kind, str):
        yield shown, path, kind
        return
    for index, inner in enumerate(kind):
        yield from _leaves(part(shown, index, names.get(path, ())), element(path, index), inner, names)


def part(path: str, index: int, names: tuple[str, ...]) -> str:
    """The path of an element of a tuple, by its name if its elements have ``names``."""
    return field(path, names[index]) if index < len(names) else element(path, index)


def spelled(kind: Nested) -> str:
    """A type for people."""
    return kind if isinstance(kind, str) else f"({', '.join(map(spelled, kind))}{',' if len(kind) == 1 else ''})"


def type_at(kind: Nested, where: tuple[int, ...]) -> Nested | None:
    """The type of an element; None where the type has no such element."""
    for index in where:
        if isinstance(kind, str) or index >= len(kind):
            return None
        kind = kind[index]
    return kind


def with_type(kind: Nested, where: tuple[int, ...], made: Nested) -> Nested:
    """The type with that of one element replaced; a place that it does not have changes nothing."""
    if not where:
        return made
    index, *rest = where
    if isinstance(kind, str) or index >= len(kind):
        return kind
    return (*kind[:index], with_type(kind[index], tuple(rest), made), *kind[index + 1 :])
