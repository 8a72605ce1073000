"""A project's own ways to make a jit function: a function, a class or an object's method that hands what it decorates
to ``triton.jit``. Followed by their text, as far as it goes; nothing of them runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Decoration,
    External,
    Jit,
    ModuleValue,
    Partial,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
)
from kernel_analysis.host.evaluate.wording import describe
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.constants import Evaluator

TRANSPARENT = {
    "builtins.staticmethod", "functools.lru_cache", "functools.cache", "functools.wraps", "torch.no_grad",
    "torch.compiler.disable",
    "torch.inference_mode", "functools.lru_cache()", "torch.compiler.assume_constant_result",
}  # fmt: skip
_KEEPS = frozenset({"must_use_result"})
"""Decorators of Triton's that give back what they are put on."""
_SELF = Unknown("An object is made by running code.")


def keeps(evaluator: Evaluator, decorator: ast.expr, scope: Scope, before: int | None) -> bool:
    """Whether a decorator is one of Triton's that gives back what it is put on, called or not."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    meaning = evaluator.evaluate(function, scope, before)
    return isinstance(meaning, TritonObject) and meaning.path.rpartition(".")[2] in _KEEPS


def made(
    evaluator: Evaluator, value: UserFunction, decorator: ast.expr, scope: Scope, before: int | None
) -> Value | None:
    """The jit function that a decorator makes of a function, or a constexpr function; None where it is not seen to
    make one."""
    jit = value.scope.module.jit
    functions: list[UserFunction] = []
    for function, arguments in _calls(evaluator, value, decorator, scope, before):
        functions.append(function)
        result = evaluator.called(function, arguments, {}, ast.Call(decorator, [], []))
        if isinstance(result, (UserFunction, Partial)) and not (
            isinstance(result, UserFunction) and result.node is value.node
        ):
            if isinstance(result, UserFunction):
                functions.append(result)
            result = evaluator.called(result, [value], {}, ast.Call(decorator, [], []))
        if isinstance(result, (Jit, ConstexprFunction)):
            return result
        if id(value.node) in jit:  # what it makes of the jit function is its own business
            return Jit(jit[id(value.node)])
    for function in functions:
        found = _hands_on(evaluator, function)
        if found is not None:
            return evaluator.decorate(found, value)
    return None


def another(evaluator: Evaluator, made: Jit, scope: Scope) -> str | None:
    """Why a project's decorator may give another function than the jit function below it; None where its text gives
    that one back."""
    for decorator in made.function.node.decorator_list:
        if describe(decorator) not in made.function.wrappers:
            continue
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        known = evaluator.evaluate(function, scope, None)
        if isinstance(known, External) and known.path in TRANSPARENT or keeps(evaluator, decorator, scope, None):
            continue
        meaning = evaluator.evaluate(decorator, scope, None)
        result: Value = _SELF
        if isinstance(meaning, UserFunction):
            result = evaluator.called(meaning, [made], {}, ast.Call(decorator, [], []))
        if not isinstance(result, Jit) or result.function is not made.function:
            return f"`@{describe(decorator)}` may make another function of `{made.function.name}`"
    return None


def _calls(
    evaluator: Evaluator, value: UserFunction, decorator: ast.expr, scope: Scope, before: int | None
) -> Iterator[tuple[UserFunction, list[Value]]]:
    """The functions of the project that the decorator calls, each with what it is given."""
    meaning = evaluator.evaluate(decorator, scope, before)
    if isinstance(meaning, UserFunction):
        yield meaning, [value]
    elif isinstance(meaning, UserClass):
        yield from _method(evaluator, meaning, ("__init__", "__new__"), [_SELF, value])
    elif isinstance(decorator, ast.Call):
        maker = evaluator.evaluate(decorator.func, scope, before)
        given = [evaluator.evaluate(a, scope, before) for a in decorator.args if not isinstance(a, ast.Starred)]
        if isinstance(maker, UserFunction):
            yield maker, given
        elif isinstance(maker, UserClass):
            yield from _method(evaluator, maker, ("__call__",), [_SELF, value])
        else:
            yield from _of_object(evaluator, decorator.func, scope, given)
    else:
        yield from _of_object(evaluator, decorator, scope, [value])


def _of_object(
    evaluator: Evaluator, node: ast.expr, scope: Scope, given: list[Value]
) -> Iterator[tuple[UserFunction, list[Value]]]:
    """``registry.register`` or ``registry``, of ``registry = Registry()``."""
    if isinstance(node, ast.Attribute):
        cls = _class_of(evaluator, node.value, scope)
        if cls is not None:
            yield from _method(evaluator, cls, (node.attr,), [_SELF, *given])
    cls = _class_of(evaluator, node, scope)
    if cls is not None:
        yield from _method(evaluator, cls, ("__call__",), [_SELF, *given])


def _class_of(evaluator: Evaluator, node: ast.expr, scope: Scope) -> UserClass | None:
    """The class that an object of the project was made of."""
    resolver = evaluator.resolver
    if isinstance(node, ast.Name):
        found = resolver.lookup(scope, node.id)
    elif isinstance(node, ast.Attribute):
        owner = evaluator.evaluate(node.value, scope)
        if not isinstance(owner, ModuleValue):
            return None
        found = resolver.member(owner, node.attr, scope.module, node)
    else:
        return None
    if not isinstance(found.node, ast.Assign) or not isinstance(found.node.value, ast.Call):
        return None
    cls = evaluator.evaluate(found.node.value.func, resolver.scope(found.module))
    return cls if isinstance(cls, UserClass) else None


def _method(
    evaluator: Evaluator, cls: UserClass, names: tuple[str, ...], arguments: list[Value]
) -> Iterator[tuple[UserFunction, list[Value]]]:
    for name in names:
        method = evaluator.attribute(cls, name)
        if isinstance(method, UserFunction):
            yield method, arguments


def _hands_on(evaluator: Evaluator, function: UserFunction) -> Decoration | None:
    """Where a function can't be followed to its end: the decorator of Triton's that it hands a name to."""
    scope = evaluator.resolver.inner(function.scope, function.node)
    for node in descend(function.node):
        if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) for a in node.args):
            meaning = evaluator.evaluate(node.func, scope)
            if isinstance(meaning, TritonObject):
                meaning = evaluator.decoration(meaning.path)
            if isinstance(meaning, Decoration) and meaning.kind == "jit":
                return Decoration("jit", meaning.gluon)
    return None
