"""Layouts of Gluon's that host code makes of constants. Knows that they are made, not what they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernel_analysis.host.evaluate.values import Items, Value, plain
from kernel_analysis.source.slice import ConstantValue, MadeOfTriton, TritonObject


def made(path: str, args: Iterable[Value], named: Mapping[str, Value]) -> MadeOfTriton | None:
    """What a call of a layout's class gives; None for another call, and where not all that it is given is known."""
    if ".gluon." not in path or not path.endswith("Layout"):
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


def _constant(value: Value) -> tuple[ConstantValue] | None:
    value = plain(value)
    if isinstance(value, (bool, int, str, MadeOfTriton, TritonObject)) or value is None:
        return (value,)
    if isinstance(value, Items) and value.kind in ("tuple", "list"):
        parts = [_constant(item) for item in value.values]
        known = [part[0] for part in parts if part is not None]
        return (tuple(known),) if len(known) == len(parts) else None
    return None
