"""What the interpreter of host code hands from place to place: names, functions, the steps that are left. No logic."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kernel_analysis.record import record

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
_STEPS = 20_000


class GaveUp(Exception):
    """The code is too much to follow."""


class Steps:
    """How much longer code is followed."""

    def __init__(self) -> None:
        self._left = _STEPS

    def take(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise GaveUp

    def anew(self) -> None:
        self._left = _STEPS


@dataclass(slots=True)
class Scope:
    """The names of a function or a module. ``target``: the launch that its statements are followed up to, if any."""

    file: str
    names: dict[str, Any] = field(default_factory=dict[str, Any])
    outer: Scope | None = None
    target: ast.Call | None = None


@record
class Function:
    """A function of the user's, where it was defined."""

    node: FunctionNode
    scope: Scope
