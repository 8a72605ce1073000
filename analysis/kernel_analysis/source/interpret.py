"""Follows a call of a small function of the user's by its syntax: assignments, decidable branches, bounded loops,
``return``.

A step-counted interpreter over ``values``; what it does not know makes the result ``Unknown``. It runs no code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.source import guards, scopes
from kernel_analysis.source.comprehension import bind
from kernel_analysis.source.syntax import descend
from kernel_analysis.source.values import Dict, Items, Scope, Unknown, UserFunction, Value, truth
from kernel_analysis.source.wording import describe

if TYPE_CHECKING:
    from kernel_analysis.source.constants import Evaluator


class _Stop(Exception):
    """Ends the call: with its value, or because it can't be followed."""

    def __init__(self, value: Value) -> None:
        self.value = value


def run(evaluator: Evaluator, function: UserFunction, args: list[Value], keywords: dict[str, Value]) -> Value:
    """What the call returns."""
    node = function.node
    if isinstance(node, ast.AsyncFunctionDef) or not function.scope.module.is_whole(node):
        return Unknown("It is not a function that can be followed.")
    evaluator.spend(5)
    local = Scope(function.scope.module, node, function.scope, {})
    problem = _bind(evaluator, function, local, args, keywords)
    if problem is not None:
        return problem
    if isinstance(node, ast.Lambda):
        return evaluator.value(node.body, local, None)
    # A depth step for the frames below; ``value`` checks the limit.
    evaluator.depth += 4
    try:
        _block(evaluator, node.body, local)
    except _Stop as stop:
        return stop.value
    finally:
        evaluator.depth = max(evaluator.depth - 4, 0)
    return None


def _bind(
    evaluator: Evaluator, function: UserFunction, local: Scope, args: list[Value], keywords: dict[str, Value]
) -> Unknown | None:
    assert local.locals is not None
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults = positional[len(positional) - len(spec.defaults) :]
    for argument, default in zip(defaults, spec.defaults, strict=False):
        local.locals[argument.arg] = evaluator.value(default, function.scope, None)
    for argument, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=False):
        if default is not None:
            local.locals[argument.arg] = evaluator.value(default, function.scope, None)
    for argument, value in zip(positional, args, strict=False):
        local.locals[argument.arg] = value
    if len(args) > len(positional):
        if spec.vararg is None:
            return Unknown("The arguments do not fit.")
    if spec.vararg is not None:
        local.locals[spec.vararg.arg] = Items("tuple", tuple(args[len(positional) :]))
    names = {a.arg for a in scopes.arguments(spec)}
    rest = {k: v for k, v in keywords.items() if k not in names}
    local.locals.update({k: v for k, v in keywords.items() if k in names})
    if spec.kwarg is not None:
        local.locals[spec.kwarg.arg] = Dict(tuple(rest.items()))
    elif rest:
        return Unknown("The arguments do not fit.")
    missing = [a.arg for a in (*positional, *spec.kwonlyargs) if a.arg not in local.locals]
    return Unknown(f"The argument `{missing[0]}` is missing.") if missing else None


def _block(evaluator: Evaluator, body: list[ast.stmt], local: Scope) -> None:
    for statement in body:
        evaluator.spend(1)
        _statement(evaluator, statement, local)


def _statement(evaluator: Evaluator, node: ast.stmt, local: Scope) -> None:
    assert local.locals is not None
    if isinstance(node, ast.Return):
        raise _Stop(evaluator.value(node.value, local, None) if node.value else None)
    if isinstance(node, ast.Assign):
        value = evaluator.value(node.value, local, None)
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                _store(evaluator, target, value, local)
            else:
                bind(local, target, value)
    elif isinstance(node, ast.AnnAssign):
        if node.value is not None:
            bind(local, node.target, evaluator.value(node.value, local, None))
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        both = ast.copy_location(ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value), node)
        bind(local, node.target, evaluator.value(both, local, None))
    elif isinstance(node, ast.If):
        known = truth(evaluator.value(node.test, local, None))
        if known is None:
            raise _Stop(Unknown(f"It depends on `{describe(node.test)}`, which can't be known without running it."))
        _block(evaluator, node.body if known else node.orelse, local)
    elif isinstance(node, ast.For) and not node.orelse:
        source = evaluator.value(node.iter, local, None)
        if not isinstance(source, Items):
            raise _Stop(
                source if isinstance(source, Unknown) else Unknown(f"`{describe(node.iter)}` can't be looped over.")
            )
        if any(isinstance(n, (ast.Break, ast.Continue)) for n in descend(node)):
            raise _Stop(Unknown("It has a loop with `break` or `continue`."))
        for value in source.values:
            bind(local, node.target, value)
            _block(evaluator, node.body, local)
    elif isinstance(node, ast.Expr):
        _effect(evaluator, node.value, local)
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        local.locals[node.name] = (
            evaluator.decorated(local, node, None)
            if isinstance(node, ast.FunctionDef)
            else evaluator.class_value(local, node, None)
        )
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        inner = scopes.Table()
        scopes.scan_into(inner, [node])
        for name, events in inner.events.items():
            local.locals[name] = evaluator.resolver.imported(local, events[-1]).value
    elif isinstance(node, ast.Try):
        failed = guards.fails(evaluator.resolver, local, node, None) and node.handlers
        _block(evaluator, node.handlers[0].body if failed else [*node.body, *node.orelse], local)
        _block(evaluator, node.finalbody, local)
    elif isinstance(node, ast.Assert):
        return
    elif not isinstance(node, (ast.Pass, ast.Global, ast.Nonlocal)):
        raise _Stop(Unknown(f"It has a `{type(node).__name__.lower()}` statement (line {node.lineno})."))


def _store(evaluator: Evaluator, target: ast.Subscript, value: Value, local: Scope) -> None:
    """``table[key] = value`` on a local dict."""
    assert local.locals is not None
    if isinstance(target.value, ast.Attribute):
        return  # an object's, and no local's
    name = target.value.id if isinstance(target.value, ast.Name) else ""
    owner = local.locals.get(name)
    if not isinstance(owner, Dict):
        raise _Stop(Unknown(f"It assigns to `{describe(target)}`."))
    evaluator.spend(len(owner.pairs) // 16)
    local.locals[name] = Dict((*owner.pairs, (evaluator.value(target.slice, local, None), value)))


def _effect(evaluator: Evaluator, node: ast.expr, local: Scope) -> None:
    """``list.append`` and ``extend`` on a local list; any other call for its effect is assumed not to touch locals."""
    assert local.locals is not None
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or not isinstance(node.func.value, ast.Name)
    ):
        return
    name, method = node.func.value.id, node.func.attr
    owner = local.locals.get(name)
    if isinstance(owner, Items):
        argument = evaluator.value(node.args[0], local, None) if len(node.args) == 1 else None
        if method == "append" and len(node.args) == 1:
            local.locals[name] = Items(owner.kind, evaluator.bounded((*owner.values, argument)))
            evaluator.spend(len(owner.values) // 16)
        elif method == "extend" and isinstance(argument, Items):
            local.locals[name] = Items(owner.kind, evaluator.bounded((*owner.values, *argument.values)))
        elif method != "sort":
            local.locals[name] = Unknown(f"`{describe(node)}` changes `{name}`.")
    elif isinstance(owner, Dict):
        local.locals[name] = Unknown(f"`{describe(node)}` changes `{name}`.")
