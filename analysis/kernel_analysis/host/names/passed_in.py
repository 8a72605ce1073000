"""What the parameter of a host function is for what is made in that function: what a call in sight passes, else what it
has by default. Evaluates through the resolver alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Jit,
    Scope,
    Unknown,
    UserFunction,
    Value,
    Wrapped,
)
from kernel_analysis.source import nodes, parameters, scopes
from kernel_analysis.source.slice import TritonObject

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver

_MOST = 4
"""Calls to look at."""


def given(resolver: Resolver, scope: Scope, name: str) -> Value | None:
    """The first value that is known, one that kernels can use before others; None where none is."""
    function = scope.node
    if scope.parent is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    default = parameters.defaults(function.args).get(name)
    passed = [
        (argument, resolver.scope(scope.module, around))
        for call, around in nodes.calls_of(scope.module, function.name)[:_MOST]
        if function not in around and (argument := _argument(call, function, name)) is not None
    ]
    known: list[Value] = []
    for node, where in [*passed, *([(default, scope.parent)] if default is not None else ())]:
        found = resolver.evaluator.evaluate(node, where)
        if not isinstance(found, (Unknown, UserFunction)):
            known.append(found)
    usable = (Jit, ConstexprFunction, TritonObject, Wrapped)
    return next((found for found in known if isinstance(found, usable)), known[0] if known else None)


def _argument(call: ast.Call, function: scopes.FunctionNode, name: str) -> ast.expr | None:
    """What a call passes for a parameter."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    names = parameters.positional(function.args)
    if name in names[: len(call.args)]:
        return call.args[names.index(name)]
    return next((k.value for k in call.keywords if k.arg == name), None)
