"""Plain data from outside against the typed dictionary that it should be. May not know any by name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final, cast

_PLAIN: Final[Mapping[str, type]] = {"str": str, "bool": bool, "int": int, "None": type(None), "Any": object}


def wrong(shape: Any, value: Any, name: str) -> str | None:
    """What is not as the typed dictionary ``shape`` has it, for a sentence; None if all is. More keys are no fault."""
    if not isinstance(value, dict):
        return f"its {name} are a table, not {value!r:.40}"
    given = cast("dict[str, Any]", value)
    for key, kind in shape.__annotations__.items():
        if key not in given:
            if key in shape.__required_keys__:
                return f"it needs `{key}`"
        elif (found := _unfit(kind.__forward_arg__, given[key], key, shape.__module__)) is not None:
            return found
    return None


def _unfit(kind: str, value: Any, name: str, module: str) -> str | None:
    if " | " in kind:
        found = [_unfit(one, value, name, module) for one in kind.split(" | ")]
        return found[0] if all(found) else None
    outer, _, inner = kind.removesuffix("]").partition("[")
    if outer == "list" and isinstance(value, list):
        items = cast("list[Any]", value)
        faults = (_unfit(inner, item, name, module) for item in items)
        return next((fault for fault in faults if fault is not None), None)
    if outer == "float":
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    elif outer in ("list", "dict"):
        fits = isinstance(value, dict) and outer == "dict"
    elif outer in _PLAIN:
        fits = isinstance(value, _PLAIN[outer]) and (outer != "int" or not isinstance(value, bool))
    else:
        return wrong(getattr(sys.modules[module], outer), value, f"`{name}`")
    return None if fits else f"its `{name}` is of type {kind}, not {value!r:.40}"
