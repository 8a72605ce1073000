"""Comprehensions in safe evaluation, and assignment to names while one or a call is followed. Bounded by the
evaluator's steps."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import Dict, Items, Record, Scope, Unknown, Value, plain
from kernel_analysis.host.evaluate.wording import describe, unknown
from kernel_analysis.source import limits

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

Comprehension: TypeAlias = "ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp"


def comprehension(evaluator: EvaluatorView, node: Comprehension, scope: Scope, before: int | None) -> Value:
    """The list, set or dict that a comprehension makes."""
    inner = Scope(
        scope.module, ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Constant(None)), scope, {}
    )
    assert inner.locals is not None
    values: list[Value] = []
    pairs: list[tuple[Value, Value]] = []
    problem: list[Unknown] = []

    def run(index: int) -> None:
        evaluator.spend(1)
        if problem:
            return
        if index == len(node.generators):
            if isinstance(node, ast.DictComp):
                pairs.append((evaluator.value(node.key, inner, None), evaluator.value(node.value, inner, None)))
            else:
                values.append(evaluator.value(node.elt, inner, None))
            return
        generator = node.generators[index]
        # The first is computed outside: of a class, with the names of its body.
        outside = not index
        source = plain(evaluator.value(generator.iter, scope if outside else inner, before if outside else None))
        if isinstance(source, Dict):
            source = Items("list", tuple(k for k, _ in source.pairs))
        if isinstance(source, Record):
            source = Items("tuple", source.values)
        if not isinstance(source, (Items, str)):
            problem.append(source if isinstance(source, Unknown) else unknown(node))
            return
        for value in evaluator.each(source) if isinstance(source, Items) else tuple(limits.text(source)):
            evaluator.doubts += not bind(inner, generator.target, value)
            kept = [truth(evaluator.value(test, inner, None)) for test in generator.ifs]
            if False in kept:
                continue
            if None in kept:
                # An element that may be left out is kept: of a list of autotune configs each counts.
                evaluator.resolver.note(f"it depends on `{describe(generator.ifs[kept.index(None)])}`")
            run(index + 1)

    if before is None:
        run(0)
    else:
        with evaluator.resolver.at(scope, before):
            run(0)
    if problem:
        return problem[0]
    if isinstance(node, ast.DictComp):
        return evaluator.table(pairs)
    kind = "set" if isinstance(node, ast.SetComp) else "iterator" if isinstance(node, ast.GeneratorExp) else "list"
    return Items(kind, evaluator.bounded(tuple(values)))


def bind(scope: Scope, target: ast.expr, value: Value) -> bool:
    """Assigns in a scope with ``locals``; an unpacking that does not fit makes the names unknown. Whether that is all
    that the assignment does: it raises nothing."""
    assert scope.locals is not None
    if isinstance(target, ast.Name):
        scope.locals[target.id] = value
        return True
    if not isinstance(target, (ast.Tuple, ast.List)):
        return False
    values = value.values if isinstance(value, Record) or isinstance(value, Items) and value.kind != "set" else ()
    fits = len(values) == len(target.elts) and not any(isinstance(e, ast.Starred) for e in target.elts)
    whole = fits
    for index, element in enumerate(target.elts):
        known = values[index] if fits else Unknown(f"`{describe(target)}` can't be unpacked without running it.")
        whole &= bind(scope, element, known)
    return whole
