"""What a subscript takes of a value. Evaluates through the evaluator alone, and raises what Python raises."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.values import (
    Dict,
    External,
    Items,
    Jit,
    Record,
    Scope,
    TritonObject,
    Unknown,
    UserClass,
    Value,
    Wrapped,
    plain,
)
from kernel_analysis.host.evaluate.wording import describe, unknown
from kernel_analysis.source import limits

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


_SEQUENCES = ("tuple", "list", "range")


def item(evaluator: EvaluatorView, owner: Value, node: ast.Subscript, scope: Scope, before: int | None) -> Value:
    """``owner[...]``."""
    if isinstance(owner, (Unknown, Jit)):
        return owner if isinstance(owner, Unknown) else unknown(node)
    if isinstance(owner, HostArgument):
        part = isinstance(node.slice, ast.Slice)
        return kinds.item(owner, None if part else plain(evaluator.value(node.slice, scope, before)))
    if isinstance(node.slice, ast.Slice):
        ends = [
            plain(evaluator.value(e, scope, before)) if e else None
            for e in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        if not all(isinstance(e, int) or e is None for e in ends):
            return unknown(node)
        cut = slice(*(e if isinstance(e, int) else None for e in ends))
        if isinstance(owner, str):
            return limits.text(owner[cut])
        if isinstance(owner, Items) and owner.kind in _SEQUENCES:
            return Items(owner.kind, owner.values[cut])
        if isinstance(owner, Record):
            return Items("tuple", owner.values[cut])
        return unknown(node)
    asked = evaluator.value(node.slice, scope, before)
    index = evaluator.settled(plain(asked))
    if isinstance(owner, Dict):
        return looked_up(
            evaluator,
            owner,
            asked if isinstance(asked, Wrapped) else index,
            Unknown(f"`{describe(node)}`: there is no such key."),
        )
    if isinstance(owner, External) and owner.path == "sys.modules" and isinstance(index, str):
        loaded = evaluator.resolver.import_module(index, scope.module) if index.partition(".")[0] == "triton" else None
        return loaded if isinstance(loaded, TritonObject) else unknown(node)
    if isinstance(owner, UserClass) and isinstance(index, str):
        return evaluator.attribute(owner, index)
    if isinstance(index, int):
        if isinstance(owner, str):
            return owner[index]
        if isinstance(owner, Items) and owner.kind in _SEQUENCES:
            return owner.values[index]
        if isinstance(owner, Record):
            return owner.values[index]
    return unknown(node)


def looked_up(evaluator: EvaluatorView, owner: Dict, key: Value, default: Value) -> Value:
    """What a dict has for a key."""
    found = owner.at(key)
    if found and isinstance(found[0], Unknown) and isinstance(key, Unknown):
        return evaluator.one_of([*(value for _, value in owner.pairs), default], found[0])
    return found[0] if found else default
