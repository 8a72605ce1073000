"""What the parameter of a host function is for what is made in that function: what a call in sight passes, else what it
has by default. Evaluates through the resolver alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import Jit, Scope, Unknown, UserFunction, Value
from kernel_analysis.source import nodes, scopes

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver

_MOST = 4
"""Calls to look at."""


def given(resolver: Resolver, scope: Scope, name: str) -> Value | None:
    """The first value that is known; None where none is. Functions that are handed on are ``handed_functions``'."""
    function = scope.node
    if scope.parent is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    default = scopes.defaults(function.args).get(name)
    passed = [
        (argument, resolver.scope(scope.module, around))
        for call, around in nodes.calls_of(scope.module, function.name)[:_MOST]
        if function not in around and (argument := _argument(call, function, name)) is not None
    ]
    for node, where in [*passed, *([(default, scope.parent)] if default is not None else ())]:
        found = resolver.evaluator.evaluate(node, where)
        if not isinstance(found, (Unknown, Jit, UserFunction)):
            return found
    return None


def _argument(call: ast.Call, function: scopes.FunctionNode, name: str) -> ast.expr | None:
    """What a call passes for a parameter."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    if name in names[: len(call.args)]:
        return call.args[names.index(name)]
    return next((k.value for k in call.keywords if k.arg == name), None)
