"""Whether what stands at a parameter of host code is so: nothing holds Python to an annotation. It is believed where
all that may call the function is plain to see, and each call passes what is shown to be such.

What something is, who asks says.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from kernel_analysis.host.evaluate.found_once import found_once
from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.tensors.every_use import Unseen, every_use
from kernel_analysis.host.tensors.placing import FUNCTIONS, Place, place
from kernel_analysis.source.tree.scopes import FunctionNode

_LEVELS: Final = 4
"""Calls to go up. What is passed on through more is not shown to be anything."""
_MOST_CALLS: Final = 64


def agreed(
    at: Place, scope: Scope, parameter: ast.arg, kind: Callable[[Place, ast.expr], object], declared: object
) -> bool:
    """Whether every call of the function that ``scope`` is of passes what ``kind`` says is ``declared``."""
    function = scope.node
    if not isinstance(function, FUNCTIONS) or at.callers >= _LEVELS:
        return False

    def asked() -> bool:
        return _agreed(at, scope, function, parameter, kind, declared)

    evaluator, key = at.resolver.evaluator, ("annotated", id(parameter), at.callers)
    return found_once(evaluator, at.resolver.scope(scope.module), key, asked)


def _agreed(
    at: Place,
    scope: Scope,
    function: FunctionNode,
    parameter: ast.arg,
    kind: Callable[[Place, ast.expr], object],
    declared: object,
) -> bool:
    try:
        for count, (other, _, call) in enumerate(every_use(at.resolver, scope.module, function)):
            given = _given(call, function, parameter)
            there = place(at.resolver, other, given) if given is not None else None
            if given is None or there is None or count >= _MOST_CALLS:
                return False
            if kind(replace(there, callers=at.callers + 1), given) != declared:
                return False
    except Unseen:
        return False
    return True


def _given(call: ast.Call, function: FunctionNode, parameter: ast.arg) -> ast.expr | None:
    """What a call passes for a parameter."""
    named = next((keyword.value for keyword in call.keywords if keyword.arg == parameter.arg), None)
    takes = [*function.args.posonlyargs, *function.args.args]
    if named is not None or parameter not in takes:
        return named
    index = takes.index(parameter)
    return call.args[index] if index < len(call.args) else None
