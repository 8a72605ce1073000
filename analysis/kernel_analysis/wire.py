"""What the server asks of an agent and tells it (docs/agent.md), as the one writes it and the other reads it.

Typed dictionaries, because they cost no conversion at either end; ``check`` holds what came against them. What comes
back is read in the server's ``reports``. May import nothing of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast

Level: TypeAlias = Literal["off", "hint", "information", "warning", "error"]


class Settings(TypedDict, total=False):
    target: str
    cache: bool
    memory_limit_mb: int
    patient: bool
    readable: list[str]
    directory: str | None


class Initialize(TypedDict, total=False):
    roots: list[str]
    settings: Settings


class Budget(TypedDict):
    seconds: float
    share: float
    reason: str


class _File(TypedDict):
    file: str


class _Generation(TypedDict):
    generation: int


class _Text(TypedDict):
    text: str | None


class Analyze(_File, _Generation, total=False):
    first_line: int | None
    skip: dict[str, str]
    severity: dict[str, Level]
    budget: Budget | None


class Document(_File, _Text):
    """The editor's text stands in for the file's."""


class Changed(TypedDict):
    files: list[str]


class Cancel(_Generation):
    """Read apart from all others, to the letter: see the agent's channel."""


class Function(_File):
    """What is made of one function on demand."""

    qualname: str


class Lower(Function, total=False):
    """``config``: which of those that ``configs`` lists; else as the kernel is launched."""

    config: int


class Shapes(Function):
    """``choice``: one of those that were offered; None to ask which there are."""

    choice: str | None


class Stage(TypedDict):
    """What ``lower`` answered, and how far to take it."""

    module: str
    gluon: bool
    options: dict[str, Any]
    files: list[str]
    head: str
    about: dict[str, Any]
    qualname: str
    stage: str


REQUESTS: Final[Mapping[str, type]] = {
    "initialize": Initialize,
    "analyze": Analyze,
    "ir": Function,
    "configs": Function,
    "lower": Lower,
    "customOp": Function,
    "shapes": Shapes,
    "stage": Stage,
}

NOTIFICATIONS: Final[Mapping[str, type]] = {"document": Document, "changed": Changed, "cancel": Cancel}
"""To the agent, beside ``exit``, which has nothing to say."""

_PLAIN: Final[Mapping[str, type]] = {"str": str, "bool": bool, "int": int, "None": type(None), "Any": object}


def check(method: str, params: Any) -> str | None:
    """What is wrong with the parameters of a method, for a sentence; None if they are as it takes them."""
    shape = REQUESTS.get(method) or NOTIFICATIONS.get(method)
    return None if shape is None else _wrong(shape, params, "parameters")


def _wrong(shape: Any, value: Any, name: str) -> str | None:
    if not isinstance(value, dict):
        return f"its {name} are a table, not {value!r:.40}"
    given = cast("dict[str, Any]", value)
    for field, kind in shape.__annotations__.items():
        if field not in given:
            if field in shape.__required_keys__:
                return f"it needs `{field}`"
        elif (wrong := _unfit(kind.__forward_arg__, given[field], field)) is not None:
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
        return _wrong(globals()[outer], value, f"`{name}`")
    return None if fits else f"its `{name}` is of type {kind}, not {value!r:.40}"
