"""What an aggregate holds that a call makes: each field what the class's ``__init__`` gives it.

What is not written straight down (a computed field, an ``__init__`` that chooses) may be anything that it was made of.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.dataflow.text import aggregate_fields
from kernel_analysis.dataflow.text.value import TextValue, heap, whole
from kernel_analysis.source import parameters
from kernel_analysis.source.slice import AggregateRef, FunctionRef, SliceFunction, Unresolved
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.dataflow.text.call_effects import Calls
    from kernel_analysis.dataflow.text.given_arguments import GivenArguments

_STRAIGHT = (
    ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List,
    ast.Starred, ast.expr_context, ast.operator, ast.unaryop,
)  # fmt: skip
"""Expressions in which nothing is chosen."""


def made(walk: Calls, callee: AggregateRef, given: GivenArguments) -> TextValue:
    """An instance. Its ``__init__`` runs when the kernel is compiled, on what is given."""
    fields, methods = walk.slice.certain_members(callee.index)
    init = methods.get("__init__")
    function = walk.slice.functions[init.index] if isinstance(init, FunctionRef) else None
    if walk.slice.aggregates[callee.index].problem or (init is not None and function is None):
        return walk.uncertain(heap((*given.all(), TextValue(walk.anything()))), given.depends())
    if isinstance(init, FunctionRef):
        walk.leaves_nothing(init.index)
    if given.loose is not None or function is not None and not _plain_body(function):
        dep = given.depends() | (walk.in_python() if function is not None else 0)
        return walk.uncertain(aggregate_fields.anything_of(walk.slice, callee, list(given.all()), dep), dep)
    instance = aggregate_fields.empty(walk.slice, callee)
    if function is not None:
        return _initialized(walk, instance, function, given)
    for number, (name, field) in enumerate(fields.items()):
        if number < len(given.positional):
            instance = aggregate_fields.replaced(instance, name, given.positional[number])
        elif name in given.keywords:
            instance = aggregate_fields.replaced(instance, name, given.keywords[name])
        elif field.optional and not isinstance(field.default, Unresolved):
            instance = aggregate_fields.replaced(instance, name, walk.constant(field.default))
    return instance


def copied(given: GivenArguments) -> TextValue | None:
    """What ``aggregate_replace`` makes; None where it is not in sight of what."""
    if len(given.positional) != 1 or given.loose is not None:
        return None
    instance = given.positional[0]
    if instance.made is None or instance.items is None or not given.keywords.keys() <= set(instance.fields):
        return None
    for field, value in given.keywords.items():
        instance = aggregate_fields.replaced(instance, field, value)
    return instance


def _initialized(walk: Calls, instance: TextValue, function: SliceFunction, given: GivenArguments) -> TextValue:
    """What an ``__init__`` that chooses nothing gives each field."""
    bound = walk.arguments(function, given.behind(instance))
    before = walk.function, walk.bindings, walk.env
    walk.function, walk.bindings, walk.env = function, function.bindings, bound
    name = next(iter(parameters.positional(function.node.args)), "")
    try:
        for statement in function.node.body:
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
                continue
            value = _computed(walk, statement.value)
            for target in [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets:
                if isinstance(target, ast.Name):
                    walk.env[target.id] = value
                elif isinstance(target, ast.Attribute):
                    held = walk.env.get(name, instance)
                    assert held.items is not None
                    if target.attr in held.fields:
                        walk.env[name] = aggregate_fields.replaced(held, target.attr, value)
        return walk.env.get(name, instance)
    finally:
        walk.function, walk.bindings, walk.env = before


def _computed(walk: Calls, node: ast.expr) -> TextValue:
    """A value that Python computes while the kernel is compiled; which way it goes there nothing records."""
    if all(isinstance(inner, _STRAIGHT) for inner in descend(node)):
        return walk.expr(node)
    names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    inside = [walk.name(name) for name in names if name.id in walk.env]
    outside = [walk.outside(name.id) for name in names if name.id not in walk.env]
    found = heap((*inside, *[value for value in outside if whole(value)]), walk.in_python())
    return walk.uncertain(found, found.dep)


def _plain_body(function: SliceFunction) -> bool:
    """Whether an ``__init__`` gives each name and field its value once, in order, whatever it is given."""
    if any(isinstance(node, ast.NamedExpr) for node in function.nodes):
        return False
    seen: set[str] = set()
    for statement in function.node.body:
        if isinstance(statement, (ast.Expr, ast.Pass, ast.Assert)):
            continue
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        elif isinstance(statement, ast.Assign):
            targets = statement.targets
        else:
            return False
        for target in targets:
            text = ast.unparse(target)
            known = isinstance(target, (ast.Name, ast.Attribute)) and text not in seen
            if not known or isinstance(target, ast.Attribute) and not isinstance(target.value, ast.Name):
                return False
            seen.add(text)
    return True
