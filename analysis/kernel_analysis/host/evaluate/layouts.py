"""Layouts of Gluon's that host code makes of constants. Knows that they are made, not what they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from kernel_analysis.host.evaluate.argument import HostArgument, Split, supposed
from kernel_analysis.host.evaluate.values import Items, Value, plain
from kernel_analysis.source.slice import ConstantValue, MadeOfTriton, TritonObject


def made(path: str, args: Iterable[Value], named: Mapping[str, Value]) -> MadeOfTriton | None:
    """What a call of a layout's class gives; None for another call, and where not all that it is given is known."""
    if not is_layout(path):
        return None
    given = [_constant(value) for value in args]
    keywords = {name: _constant(value) for name, value in named.items()}
    if any(part is None for part in (*given, *keywords.values())):
        return None
    return MadeOfTriton(
        path,
        tuple([part[0] for part in given if part is not None]),
        tuple([(name, part[0]) for name, part in keywords.items() if part is not None]),
    )


def is_layout(path: str) -> bool:
    """Whether what is called there makes a layout."""
    return ".gluon." in path and path.removesuffix(".get_default_for").endswith("Layout")


def split(layout: Value) -> Split | None:
    """How a layout divides a block among the thread blocks of a cluster; None where that is not known."""
    made = layout
    if isinstance(layout, HostArgument):
        if layout.kind == "layout":
            return layout.split
        made = supposed(layout)
    return rows_of(dict(made.keywords).get("cga_layout", ())) if isinstance(made, MadeOfTriton) else None


def rows_of(rows: object) -> Split | None:
    """``((1, 0), (0, 1))``, if it is that."""
    listed: list[tuple[int, ...]] = []
    if not isinstance(rows, tuple):
        return None
    for row in cast("tuple[object, ...]", rows):
        if not isinstance(row, tuple):
            return None
        sizes = cast("tuple[object, ...]", row)
        if not all(type(size) is int for size in sizes):
            return None
        listed.append(cast("tuple[int, ...]", sizes))
    return tuple(listed)


def _constant(value: Value) -> tuple[ConstantValue] | None:
    value = plain(value)
    if isinstance(value, (bool, int, str, MadeOfTriton, TritonObject)) or value is None:
        return (value,)
    if isinstance(value, Items) and value.kind in ("tuple", "list"):
        parts = [_constant(item) for item in value.values]
        known = [part[0] for part in parts if part is not None]
        return (tuple(known),) if len(known) == len(parts) else None
    return None
