"""What an f-string gives. Evaluates through the evaluator alone, and raises what Python raises."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.properties import as_text
from kernel_analysis.host.evaluate.values import Scope, Unknown, Value
from kernel_analysis.host.evaluate.wording import unknown
from kernel_analysis.source import limits

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


def joined(evaluator: EvaluatorView, node: ast.JoinedStr, scope: Scope, before: int | None) -> Value:
    """``f"{x} and {y}"``."""
    parts: list[str] = []
    for part in node.values:
        value = evaluator.value(part, scope, before)
        if not isinstance(value, str):
            return value if isinstance(value, Unknown) else unknown(node)
        parts.append(value)
    return limits.text("".join(parts))


def formatted(evaluator: EvaluatorView, node: ast.FormattedValue, scope: Scope, before: int | None) -> Value:
    """``{x!r:>8}`` in one."""
    value = evaluator.settled(as_text(evaluator.value(node.value, scope, before)))
    spec = evaluator.value(node.format_spec, scope, before) if node.format_spec else ""
    if isinstance(value, Unknown) or not isinstance(spec, str):
        return value if isinstance(value, Unknown) else unknown(node)
    known = scalar(value)
    if node.conversion == ord("r") or node.conversion == ord("a"):
        return limits.formatted(repr(known) if node.conversion == ord("r") else ascii(known), spec)
    return limits.formatted(str(known) if node.conversion == ord("s") else known, spec)


def scalar(value: Value) -> limits.Scalar | None:
    """The number, text or None that Python would write; ``TypeError`` for what is none."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    raise TypeError("not a plain value")
