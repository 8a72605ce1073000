"""The items of a parameter that is a constant as a whole: a named tuple of flags, a tuple of numbers. By path, as the
elements of a tuple that has a type for each. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from kernel_analysis import paths
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.signature_model import ParameterType
from kernel_analysis.source.slice import ConstantValue, ListValue, NamedTupleValue


def type_at(types: Mapping[str, ParameterType], path: str) -> ParameterType | None:
    """The type of a parameter, or of an element of one: of a constant, the items are constants. None where there is
    none."""
    kind = types.get(paths.owner(path))
    found = None if kind is None else paths.type_at(kind, paths.indices(path))
    return "constexpr" if found is None and is_item(types, path) else found


def is_item(types: Mapping[str, ParameterType], path: str) -> bool:
    """Whether it is an item of a constant, rather than a parameter, or an element with a type of its own."""
    return _around(types, path) is not None


def constant_at(types: Mapping[str, ParameterType], constants: Mapping[str, ConstantValue], path: str) -> Any:
    """The value of a constant, or of an item of one; UNKNOWN where there is none."""
    around = _around(types, path)
    if around is None:
        return constants.get(path, UNKNOWN)
    return of_items(constants.get(around, UNKNOWN), paths.indices(path)[len(paths.indices(around)) :])


def set_constant(
    types: Mapping[str, ParameterType], constants: dict[str, ConstantValue], path: str, value: ConstantValue
) -> None:
    """Give a constant, or an item of one, a value; an item that there is not changes nothing."""
    around = _around(types, path)
    if around is None:
        constants[path] = value
    elif around in constants:
        where = paths.indices(path)[len(paths.indices(around)) :]
        constants[around] = _with_item(constants[around], where, value)


def of_items(value: Any, where: tuple[int, ...]) -> Any:
    """The item of a value; UNKNOWN where it has none."""
    for index in where:
        items = _items(value)
        value = items[index] if items is not None and index < len(items) else UNKNOWN
    return value


def _around(types: Mapping[str, ParameterType], path: str) -> str | None:
    """The constant that the path is an item of."""
    name = paths.owner(path)
    kind, outer = types.get(name), name
    for index in paths.indices(path):
        if kind == "constexpr":
            return outer
        if not isinstance(kind, tuple) or index >= len(kind):
            return None
        kind, outer = kind[index], paths.element(outer, index)
    return None


def _items(value: Any) -> tuple[ConstantValue, ...] | None:
    if isinstance(value, NamedTupleValue):
        return value.values
    return cast("tuple[ConstantValue, ...]", value) if isinstance(value, tuple) else None


def _with_item(whole: ConstantValue, where: tuple[int, ...], value: ConstantValue) -> ConstantValue:
    items = _items(whole)
    if not where:
        return value
    index, *rest = where
    if items is None or index >= len(items):
        return whole
    made = (*items[:index], _with_item(items[index], tuple(rest), value), *items[index + 1 :])
    if isinstance(whole, NamedTupleValue):
        return replace(whole, values=made)
    return ListValue(made) if isinstance(whole, ListValue) else made
