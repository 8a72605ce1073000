"""Tuples, lists, sets and dicts that are written out. Evaluates through the evaluator alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import Dict, Items, Scope, Unknown, Value
from kernel_analysis.host.evaluate.wording import unknown

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


def items(evaluator: EvaluatorView, node: ast.Tuple | ast.List | ast.Set, scope: Scope, before: int | None) -> Value:
    """``(a, *b)``."""
    values: list[Value] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = evaluator.value(element.value, scope, before)
            if isinstance(inner, Dict):
                inner = Items("list", tuple(k for k, _ in inner.pairs))
            if not isinstance(inner, Items):
                return inner if isinstance(inner, Unknown) else unknown(node)
            values += evaluator.each(inner)
        else:
            values.append(evaluator.value(element, scope, before))
    kind = "tuple" if isinstance(node, ast.Tuple) else "list" if isinstance(node, ast.List) else "set"
    return Items(kind, evaluator.bounded(tuple(values)))


def pairs(evaluator: EvaluatorView, node: ast.Dict, scope: Scope, before: int | None) -> Value:
    """``{a: b, **c}``."""
    found: list[tuple[Value, Value]] = []
    for key, value in zip(node.keys, node.values, strict=False):
        inner = evaluator.value(value, scope, before)
        if key is not None:
            found.append((evaluator.value(key, scope, before), inner))
        elif isinstance(inner, Dict):
            found += inner.pairs
        else:
            return inner if isinstance(inner, Unknown) else unknown(node)
    return evaluator.table(found)
