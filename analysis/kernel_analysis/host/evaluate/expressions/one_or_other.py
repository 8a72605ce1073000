"""``a and b``, ``a or b`` and ``a if b else c``: which of several values it is. Evaluates through the evaluator
alone."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.properties import alike, equal, is_plain_one, truth
from kernel_analysis.host.evaluate.values import ConstexprFunction, Decoration, Jit, Scope, Unknown, Value
from kernel_analysis.host.evaluate.wording import describe, unknown

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


def boolean(evaluator: EvaluatorView, node: ast.BoolOp, scope: Scope, before: int | None) -> Value:
    """Unlike Python's, an unknown part does not hide whether the whole is true where a later one decides that."""
    stop = isinstance(node.op, ast.Or)
    undecided: Unknown | None = None
    value: Value = None
    values: list[Value] = []
    for part in node.values:
        value = evaluator.value(part, scope, before)
        values += [] if value is None and part is not node.values[-1] else [value]
        known = truth(value)
        if known is stop:
            return value if undecided is None else evaluator.one_of(values, replace(undecided, true=stop))
        if known is None and undecided is None:
            undecided = value if isinstance(value, Unknown) else unknown(part)
    return value if undecided is None else evaluator.one_of(values, undecided)


def choice(evaluator: EvaluatorView, node: ast.IfExp, scope: Scope, before: int | None) -> Value:
    """The one that the test chooses; either, where that is not known."""
    test = evaluator.value(node.test, scope, before)
    known = truth(test)
    if known is None:
        a, b = evaluator.value(node.body, scope, before), evaluator.value(node.orelse, scope, before)
        if equal(a, b) and alike(a, b):
            return a
        # `triton.jit(f) if HAS_TRITON else f`: where there is a kernel, there is Triton.
        compiled = [value for value in (a, b) if isinstance(value, (Jit, ConstexprFunction, Decoration))]
        if len(compiled) == 1:
            if not is_plain_one(compiled[0], b if compiled[0] is a else a):
                evaluator.resolver.note(f"it depends on `{describe(node.test)}`")
            return compiled[0]
        why = Unknown(f"It depends on `{describe(node.test)}`, which can't be known without running it.")
        return evaluator.either_way(test, a, b, why)
    return evaluator.value(node.body if known else node.orelse, scope, before)


def supposed(evaluator: EvaluatorView, values: list[Value], why: Unknown) -> Value:
    """The first of several that is known, where something may be supposed; what is true or false is told for both."""
    likely = (value for value in values if value is not None and not isinstance(value, (Unknown, bool)))
    if not evaluator.resolver.supposing or (known := next(likely, None)) is None:
        return why
    evaluator.resolver.note(why.reason.rstrip("."))
    return known
