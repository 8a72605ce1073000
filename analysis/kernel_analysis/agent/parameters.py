"""What is wrong with the parameters of a method, held against what ``wire`` says that it takes. May not answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from kernel_analysis import wire

_PLAIN: Final[Mapping[str, type]] = {"str": str, "bool": bool, "int": int, "None": type(None), "Any": object}


def check(method: str, params: Any) -> str | None:
    """What is wrong with the parameters of a method, for a sentence; None if they are as it takes them."""
    shape = wire.REQUESTS.get(method) or wire.NOTIFICATIONS.get(method)
    return None if shape is None else _wrong(shape, params, "parameters")


def _wrong(shape: Any, value: Any, name: str) -> str | None:
    if not isinstance(value, dict):
        return f"its {name} are a table, not {value!r:.40}"
    given = cast("dict[str, Any]", value)
    for key, kind in shape.__annotations__.items():
        if key not in given:
            if key in shape.__required_keys__:
                return f"it needs `{key}`"
        elif (wrong := _unfit(kind.__forward_arg__, given[key], key)) is not None:
            return wrong
    return None


def _unfit(kind: str, value: Any, name: str) -> str | None:
    if " | " in kind:
        found = [_unfit(one, value, name) for one in kind.split(" | ")]
        return found[0] if all(found) else None
    outer, _, inner = kind.removesuffix("]").partition("[")
    if outer == "list" and isinstance(value, list):
        items = cast("list[Any]", value)
        return next((wrong for item in items if (wrong := _unfit(inner, item, name)) is not None), None)
    if outer == "float":
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    elif outer in ("list", "dict"):
        fits = isinstance(value, dict) and outer == "dict"
    elif outer in _PLAIN:
        fits = isinstance(value, _PLAIN[outer]) and (outer != "int" or not isinstance(value, bool))
    else:
        return _wrong(getattr(wire, outer), value, f"`{name}`")
    return None if fits else f"its `{name}` is of type {kind}, not {value!r:.40}"
