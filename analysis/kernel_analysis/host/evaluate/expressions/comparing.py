"""Comparisons of values, as Python makes them; what is not known stays unknown. Evaluates through the evaluator
alone."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate import constexprs, kinds, pure
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.properties import equal, held, may_be_anything
from kernel_analysis.host.evaluate.values import (
    Dict,
    EnumMember,
    External,
    GuessedText,
    Items,
    Jit,
    Object,
    Record,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
    Version,
    Wrapped,
    key,
    plain,
)
from kernel_analysis.host.evaluate.wording import unknown
from kernel_analysis.source import arithmetic
from kernel_analysis.source.slice import TorchDtype

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


def chain(evaluator: EvaluatorView, node: ast.Compare, scope: Scope, before: int | None) -> Value:
    """``a < b < c``"""
    left = evaluator.value(node.left, scope, before)
    found: Value = True
    for op, comparator in zip(node.ops, node.comparators, strict=False):
        right = evaluator.value(comparator, scope, before)
        if constexprs.may_look_otherwise(op, left, right):
            return unknown(node)
        is_same = isinstance(op, (ast.Is, ast.IsNot))
        one, other = (v if is_same and isinstance(v, Wrapped) else plain(v) for v in (left, right))
        if one is None or other is None:  # whether there is a text
            known = evaluator.compared(op, one, other, node)
        else:
            known = evaluator.compared(op, evaluator.settled(one), evaluator.settled(other), node)
        found = constexprs.of_comparison(op, left, right, known)
        if known is not True:
            # A later part may be what makes it false.
            return replace(known, true=None) if isinstance(known, Unknown) else found
        left = right
    return found


def compared(op: ast.cmpop, left: Value, right: Value, node: ast.expr) -> bool | Unknown | HostArgument:
    """``left op right``."""
    for side in (left, right):
        if isinstance(side, Unknown):
            return side
        if isinstance(side, External):
            return unknown(node)
    if isinstance(left, HostArgument) or isinstance(right, HostArgument):
        return kinds.compared(op, kinds.of(left), kinds.of(right))
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, (Items, Dict)):
        values = right.values if isinstance(right, Items) else tuple(k for k, _ in right.pairs)
        if isinstance(right, Dict) or right.kind in ("set", "view"):
            key(left)  # raises, where it is none
        known = [held(left, v) for v in values]
        if True not in known and None in known:
            return unknown(node)
        return (True in known) == isinstance(op, ast.In)
    if isinstance(left, Version) or isinstance(right, Version):
        a, b = pure.version(left), pure.version(right)
        return arithmetic.order(op, a.release, b.release) if a and b else unknown(node)
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _identical(left, right)
        return unknown(node) if same is None else same == isinstance(op, ast.Is)
    if isinstance(left, (str, int, float)) and isinstance(right, (str, int, float)):
        return arithmetic.compare(op, left, right)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        same = equal(left, right)
        return unknown(node) if same is None else same == isinstance(op, ast.Eq)
    left, right = (Items("tuple", v.values) if isinstance(v, Record) else v for v in (left, right))
    if isinstance(left, Items) and isinstance(right, Items) and left.kind == right.kind in ("list", "tuple"):
        a = tuple(v for v in left.values if isinstance(v, (int, float, str)))
        b = tuple(v for v in right.values if isinstance(v, (int, float, str)))
        if len(a) == len(left.values) and len(b) == len(right.values):
            return arithmetic.ORDER[type(op)](a, b)
    return unknown(node)


def _identical(a: Value, b: Value) -> bool | None:
    """``a is b``; None where that is not known, as of two numbers."""
    for one, other in ((a, b), (b, a)):
        if one is None or isinstance(one, bool):
            if isinstance(other, Object):
                return False
            if may_be_anything(other) and not (one is None and isinstance(other, GuessedText)):
                return None
            return isinstance(other, bool) == isinstance(one, bool) and one == other
        if isinstance(one, (EnumMember, UserClass, UserFunction, TorchDtype, Jit)):
            return type(one) is type(other) and one == other
    return False if type(a) is not type(b) else None
