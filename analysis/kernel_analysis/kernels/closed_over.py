"""What a kernel takes from the host function that it is made in: a parameter of that, which its calls in sight give a
value. That is what it is likely to be, and never all that it may be. Reads the calls of its own file; runs nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.evaluate.values import UNTOLD, ConstexprFunction, Definition, Jit, Scope, Wrapped
from kernel_analysis.source import nodes
from kernel_analysis.source.slice import TritonObject

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver

_MOST_CALLS: Final = 100
_LEVELS: Final = 3
"""How many host functions may hand a value on."""


def closed_over(resolver: Resolver, scope: Scope, name: str, levels: int = _LEVELS) -> Definition | None:
    """What a call of the host function around gives its parameter ``name``, something that kernels can use if any
    does, with a note of that; None where it is no such parameter, or no call in sight says."""
    owner: Scope | None = scope
    while owner is not None and (isinstance(owner.node, ast.ClassDef) or name not in owner.table.events):
        owner = owner.parent
    if owner is None or owner.locals is not None or not isinstance(owner.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    if [event.how for event in owner.table.events[name]] != ["parameter"]:
        return None
    known = [found for found in _given(resolver, owner, name, levels) if not isinstance(found.value, UNTOLD)]
    if not known:
        return None
    usable = (Jit, ConstexprFunction, TritonObject, Wrapped)
    found = next((one for one in known if isinstance(one.value, usable)), known[0])
    resolver.note(f"`{name}` is what a call gives `{owner.node.name}`")
    return replace(found, others=None)


def _given(resolver: Resolver, owner: Scope, name: str, levels: int) -> Iterator[Definition]:
    node, module = owner.node, owner.module
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    for call, around in nodes.calls_of(module, node.name)[:_MOST_CALLS]:
        scope = resolver.scope(module, nodes.functions_of(around))
        value = _argument(node.args, call, name)
        if isinstance(value, ast.Name):
            found = resolver.lookup(scope, value.id)
            if isinstance(found.value, UNTOLD) and levels:
                found = closed_over(resolver, scope, value.id, levels - 1) or found
            yield found
        elif value is not None:
            yield Definition(resolver.evaluator.evaluate(value, scope), module, value)
    default = _default(node.args, name)
    if default is not None and owner.parent is not None:
        yield Definition(resolver.evaluator.evaluate(default, owner.parent), module, default)


def _argument(parameters: ast.arguments, call: ast.Call, name: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    for parameter, value in zip([*parameters.posonlyargs, *parameters.args], call.args, strict=False):
        if isinstance(value, ast.Starred):
            return None
        if parameter.arg == name:
            return value
    return None


def _default(parameters: ast.arguments, name: str) -> ast.expr | None:
    positional = [*parameters.posonlyargs, *parameters.args]
    behind = zip(reversed(positional), reversed(parameters.defaults), strict=False)
    pairs = [*behind, *zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)]
    return next((value for parameter, value in pairs if parameter.arg == name), None)
