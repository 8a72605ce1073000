"""What a parameter's default is, from its syntax tree: an object that says why where that is not known. Runs no user
code.
"""

# pyright: basic
from __future__ import annotations

import ast
from typing import Any, NoReturn

from kernel_analysis.lowering.front import constexpr
from kernel_analysis.lowering.gate.harmless import NotEvaluable
from kernel_analysis.lowering.gate.stand_ins import UnknownStandIn


class DefaultNotEvaluable(UnknownStandIn):
    """Stands for a default value that could not be computed; harmless while every call passes the parameter."""

    def __init__(self, parameter: str, reason: str) -> None:
        self._reason = f"the default of `{parameter}` could not be computed: {reason}"

    def refuse(self, *_: object) -> NoReturn:
        raise NotEvaluable(self._reason)

    def __repr__(self) -> str:
        return "<unknown default>"


def evaluate_default(expression: ast.expr, scope: dict[str, Any], parameter: str) -> Any:
    """The value of a parameter's default."""
    try:
        return constexpr.value_of(expression, scope)
    except Exception as error:  # noqa: BLE001  it is only a default that is unknown
        return DefaultNotEvaluable(parameter, str(error) or type(error).__name__)
