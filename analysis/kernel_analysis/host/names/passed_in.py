"""What the parameter of a host function is for what is made in that function: what a call in sight passes, else what it
has by default. Evaluates through the resolver alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
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
from kernel_analysis.host.names.naming import Bound, named
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import nodes, parameters, scopes

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_MOST = 4
"""Calls, and other files, to look at."""
_USABLE = (Jit, ConstexprFunction, TritonObject, Wrapped)


def given(resolver: ResolverView, scope: Scope, name: str) -> Value | None:
    """The first value that is known, one that kernels can use before others; None where none is."""
    function = scope.node
    if scope.parent is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    default = parameters.defaults(function.args).get(name)
    passed = [*_passed(resolver, scope.module, function, name), *([(default, scope.parent)] if default else ())]
    known = _known(resolver, passed)
    if not any(isinstance(found, _USABLE) for found in known):
        module = scope.module
        for file in resolver.project.elsewhere.calling(module, function.name)[:_MOST]:
            resolver.read((file,))
            known = [*_known(resolver, _passed(resolver, resolver.project.load(file), function, name)), *known]
    return next((found for found in known if isinstance(found, _USABLE)), known[0] if known else None)


def _passed(
    resolver: ResolverView, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str
) -> Iterator[tuple[ast.expr, Scope]]:
    """What the calls of a function in a file pass, and where that is evaluated."""
    for called in resolver.project.elsewhere.called(function.name):
        for call, around in nodes.calls_of(module, called)[:_MOST]:
            where, argument = resolver.scope(module, around), _argument(call, function, name)
            meant = named(resolver, where, called)
            itself = isinstance(meant, Bound) and meant.event.node is function
            if argument is not None and itself and function not in around:
                yield argument, where


def _known(resolver: ResolverView, passed: Iterable[tuple[ast.expr, Scope]]) -> list[Value]:
    found = [resolver.evaluator.evaluate(node, where) for node, where in passed]
    return [value for value in found if not isinstance(value, (Unknown, UserFunction))]


def _argument(call: ast.Call, function: scopes.FunctionNode, name: str) -> ast.expr | None:
    """What a call passes for a parameter."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    names = parameters.positional(function.args)
    if name in names[: len(call.args)]:
        return call.args[names.index(name)]
    return next((k.value for k in call.keywords if k.arg == name), None)
