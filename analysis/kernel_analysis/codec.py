"""Plain data to JSON and back, generically over the dataclasses of the contracts.

``as_object`` makes what readers get (``KernelReport`` and its parts, as objects); ``pack`` and ``unpack`` make what the
cache holds (field values as lists, so that names are not stored thousandfold). May know no class by name.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import types
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Decoder = Callable[[Any], Any]

_SCALARS = (str, int, float, bool, type(None))
_SEQUENCES = (list, tuple)
_PLAIN = frozenset(_SCALARS)


def as_object(value: Any) -> dict[str, Any]:
    """A dataclass by the names of its fields, for the ``default`` of an encoder of JSON, which asks again for what is
    in them."""
    names, values = _fields(value.__class__)
    return dict(zip(names, values(value), strict=True))


def pack(value: Any) -> Any:
    """A dataclass or named tuple becomes the list of its fields' values; a dict a list of pairs, so that keys keep
    their type."""
    kind = value.__class__
    if issubclass(kind, _SCALARS):
        return value
    if issubclass(kind, dict):
        return [[pack(key), pack(item)] for key, item in value.items()]
    values = value if issubclass(kind, _SEQUENCES) else _fields(kind)[1](value)
    return [item if item.__class__ in _PLAIN else pack(item) for item in values]


def unpack(kind: Any, data: Any) -> Any:
    """The value of type ``kind`` that ``pack`` made ``data`` of. Raises TypeError or ValueError when it is none."""
    return _decoder(kind)(data)


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of the fields, and what gets their values."""
    names = kind._fields if hasattr(kind, "_fields") else tuple(field.name for field in dataclasses.fields(kind))
    if len(names) > 1:
        return names, operator.attrgetter(*names)
    return names, lambda value: tuple(getattr(value, name) for name in names)


@functools.cache
def _decoder(kind: Any) -> Decoder:
    origin, arguments = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type) or hasattr(kind, "_fields"):
        return _fields_decoder(kind)
    if origin is list:
        item = _decoder(arguments[0])
        return lambda data: [item(element) for element in _listed(data)]
    if origin is tuple:
        return _tuple_decoder(arguments)
    if origin is dict:
        key, item = _decoder(arguments[0]), _decoder(arguments[1])
        return lambda data: {key(name): item(value) for name, value in map(_listed, _listed(data))}
    if origin in (Union, types.UnionType):
        return _optional_decoder(arguments)
    if kind is Any:
        return _same
    if origin is Literal:
        return _one_of(arguments)
    if kind in _SCALARS:
        return _scalar(_classes((kind,)))
    raise TypeError(f"no plain data: {kind}")


def _same(data: Any) -> Any:
    return data


def _listed(data: Any) -> Any:
    if data.__class__ is not list:
        raise TypeError(f"{data.__class__.__name__} in the place of a list")
    return data


def _one_of(values: tuple[Any, ...]) -> Decoder:
    known = frozenset(values)

    def check(data: Any) -> Any:
        if data not in known:
            raise ValueError(f"{data!r:.40} is none of {', '.join(map(repr, values))}")
        return data

    return check


def _classes(kinds: tuple[Any, ...]) -> frozenset[Any]:
    """What a scalar of one of these types may be: a float that is whole may have been written as an integer."""
    return frozenset((*kinds, int) if float in kinds else kinds)


@functools.cache
def _scalar(classes: frozenset[Any]) -> Decoder:
    """Of the same classes always the same one."""

    def check(data: Any) -> Any:
        if data.__class__ not in classes:
            raise TypeError(f"{data.__class__.__name__} in the place of {' or '.join(c.__name__ for c in classes)}")
        return data

    return check


def _fields_decoder(kind: Any) -> Decoder:
    # Built on first use: a type may contain itself.
    @functools.cache
    def decoders() -> tuple[Decoder, ...]:
        hints = get_type_hints(kind)
        return tuple(_decoder(hints[name]) for name in _fields(kind)[0])

    def decode(data: Any) -> Any:
        parts = decoders()
        if len(_listed(data)) != len(parts):
            raise ValueError(f"{kind.__name__} has {len(parts)} fields, not {len(data)}")
        return kind(*[part(item) for part, item in zip(parts, data, strict=True)])

    return decode


def _tuple_decoder(arguments: tuple[Any, ...]) -> Decoder:
    if len(arguments) == 2 and arguments[1] is ...:
        item = _decoder(arguments[0])
        return lambda data: tuple(item(element) for element in _listed(data))
    items = tuple(_decoder(argument) for argument in arguments)
    return lambda data: tuple(item(element) for item, element in zip(items, _listed(data), strict=True))


def _optional_decoder(arguments: tuple[Any, ...]) -> Decoder:
    """Of unions only ``X | None`` and unions of scalars can be told apart again."""
    others = [argument for argument in arguments if argument is not type(None)]
    if all(argument in _SCALARS for argument in others):
        return _scalar(_classes(arguments))
    if len(others) == 1:
        some = _decoder(others[0])
        return lambda data: None if data is None else some(data)
    raise TypeError(f"a union that JSON can't tell apart: {arguments}")
