"""What an aggregate holds that a call makes: each field what the class's ``__init__`` gives it.

What is not written straight down (a computed field, an ``__init__`` that chooses) may be anything that it was made of.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.dataflow.text import aggregate_fields
from kernel_analysis.dataflow.text.given_arguments import GivenArguments
from kernel_analysis.dataflow.text.value import TextValue, heap, parts_of, whole
from kernel_analysis.source.slice import AggregateRef, FunctionRef, SliceFunction, Unresolved
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.dataflow.text.call_effects import Calls

_STRAIGHT = (
    ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List,
    ast.Starred, ast.expr_context, ast.operator, ast.unaryop,
)  # fmt: skip
"""Expressions in which nothing is chosen."""


def made(walk: Calls, callee: AggregateRef, given: GivenArguments, node: ast.AST) -> TextValue:
    """An instance. Its ``__init__`` runs when the kernel is compiled, on what is given."""
    fields, methods = walk.slice.certain_members(callee.index)
    init = methods.get("__init__")
    function = walk.slice.functions[init.index] if isinstance(init, FunctionRef) else None
    if walk.slice.aggregates[callee.index].problem or (init is not None and function is None):
        return walk.nobody_knows(given, given.depends(), node)
    if isinstance(init, FunctionRef):
        walk.leaves_nothing(init.index)
    if given.loose is not None or function is not None and not _plain_body(function):
        dep = given.depends() | (walk.in_python() if function is not None else 0)
        given_and_more = [*given.all(), TextValue(walk.anything())] if function is not None else list(given.all())
        return walk.uncertain(aggregate_fields.anything_of(walk.slice, callee, given_and_more, dep), dep)
    instance = aggregate_fields.empty(walk.slice, callee)
    if function is not None:
        return _initialized(walk, instance, function, given)
    for number, (name, field) in enumerate(fields.items()):
        if number < len(given.positional):
            instance = aggregate_fields.replaced(instance, name, given.positional[number])
        elif name in given.keywords:
            instance = aggregate_fields.replaced(instance, name, given.keywords[name])
        elif field.optional:
            default = field.default
            held = TextValue(walk.anything()) if isinstance(default, Unresolved) else walk.constant(default)
            instance = aggregate_fields.replaced(instance, name, held)
    return instance


def copied(walk: Calls, given: GivenArguments, node: ast.AST) -> TextValue:
    """What ``aggregate_replace`` makes: one that the class makes anew, given all fields by name."""
    instance = next(iter(given.operand((0, "instance"))), None) if given.loose is None else None
    if instance is None or instance.made is None or instance.items is None:
        return walk.uncertain(heap((*given.all(), TextValue(walk.anything()))), given.depends())
    every = GivenArguments([])
    every.keywords = {**dict(zip(instance.fields, parts_of(instance), strict=True)), **given.keywords}
    every.keywords.pop("instance", None)
    return made(walk, instance.made, every, node)


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
    known = [*inside, *[value for value in outside if whole(value)]]
    found = heap((*known, TextValue(walk.anything())), walk.in_python())
    return walk.uncertain(found, found.dep)


def _plain_body(function: SliceFunction) -> bool:
    """Whether an ``__init__`` gives each name and field its value once, in order, whatever it is given."""
    if any(isinstance(node, ast.NamedExpr) for node in function.nodes):
        return False
    seen: set[str] = set()
    own = next(iter(parameters.positional(function.node.args)), "")
    for statement in function.node.body:
        if isinstance(statement, (ast.Expr, ast.Pass, ast.Assert)):
            # (What is handed the object may set its fields.)
            if any(isinstance(inner, ast.Name) and inner.id == own for inner in descend(statement)):
                return False
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
