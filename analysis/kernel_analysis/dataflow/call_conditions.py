"""Under which constexpr values a place is compiled that a kernel reaches through calls: the tests of the kernel and of
every helper on the way, in the kernel's own names as far as the calls say what they are.

Works on syntax trees alone. A name that the calls don't tell is named with its function, ``put.STORE``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping

from kernel_analysis.dataflow.conditions import Conditions, spelled
from kernel_analysis.ir import At
from kernel_analysis.source.slice import Slice, SliceFunction

_Passed = Mapping[str, "ast.expr | None"]


class CallConditions:
    """Of one kernel; ``constexprs`` are its parameters whose values are known when it is compiled."""

    def __init__(self, slice_: Slice, constexprs: Iterable[str]) -> None:
        self._functions = slice_.functions
        self._constexprs = frozenset(constexprs)
        self._known: dict[tuple[int, frozenset[str]], Conditions] = {}

    def of(self, at: At, path: tuple[At, ...]) -> str | None:
        """The condition as text for ``at``, reached through the calls ``path``, outermost first."""
        if (path[0] if path else at).function != 0:
            return None
        tests: list[ast.expr] = []
        passed: _Passed | None = None
        static = self._constexprs
        for place, after in zip((*path, at), (*path[1:], at, None), strict=False):
            if place.function < 0:
                break
            function = self._functions[place.function]
            conditions = self._conditions(place.function, static)
            for test in conditions.tests(function.nodes[place.node]):
                told = test if passed is None else _told(test, function, passed)
                if self._varies(told):
                    tests.append(told)
            if after is None or after.function < 0:
                break
            callee = self._functions[after.function]
            arguments = _arguments(function.nodes[place.node], callee)
            static = _annotated(callee) | {n for n, a in arguments.items() if conditions.is_static(a)}
            passed = {n: self._known_above(a, conditions, function, passed) for n, a in arguments.items()}
        return spelled(tests)

    def _conditions(self, index: int, static: frozenset[str]) -> Conditions:
        if (index, static) not in self._known:
            self._known[index, static] = Conditions(self._functions[index], static)
        return self._known[index, static]

    def _varies(self, test: ast.expr) -> bool:
        """Whether it is not the same for every launch: what a call passes may be a plain number."""
        arguments = self._functions[0].node.args
        own = {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)} | _stored(self._functions[0])
        return any(isinstance(node, ast.Name) and ("." in node.id or node.id in own) for node in ast.walk(test))

    def _known_above(
        self, argument: ast.expr, conditions: Conditions, function: SliceFunction, passed: _Passed | None
    ) -> ast.expr | None:
        """What a call passes in the kernel's names; None for what would be long and no value of compile time."""
        if not conditions.is_static(argument) and not isinstance(argument, ast.Name | ast.Attribute):
            return None
        return argument if passed is None else _told(argument, function, passed)


def _told(node: ast.expr, function: SliceFunction, passed: _Passed) -> ast.expr:
    """An expression of a helper in the kernel's names."""
    return _Names(function, passed).visit(copy.deepcopy(node))


class _Names(ast.NodeTransformer):
    def __init__(self, function: SliceFunction, passed: _Passed) -> None:
        self._function = function
        self._passed = passed
        self._own = {a.arg for a in ast.walk(function.node.args) if isinstance(a, ast.arg)}
        self._stored = _stored(function)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._own and node.id not in self._stored:
            return node
        # A parameter that is assigned to is no longer what was passed.
        told = None if node.id in self._stored else self._passed.get(node.id)
        return ast.Name(f"{self._function.name}.{node.id}", ast.Load()) if told is None else told


def _stored(function: SliceFunction) -> set[str]:
    return {n.id for n in function.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _annotated(function: SliceFunction) -> frozenset[str]:
    arguments = function.node.args
    return frozenset(
        a.arg
        for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if a.annotation is not None and "constexpr" in ast.unparse(a.annotation)
    )


def _arguments(call: ast.AST, callee: SliceFunction) -> dict[str, ast.expr]:
    """What a call passes, by parameter; nothing where that can't be told."""
    name = getattr(call, "func", None)
    last = name.id if isinstance(name, ast.Name) else name.attr if isinstance(name, ast.Attribute) else None
    if not isinstance(call, ast.Call) or last != callee.name:
        return {}
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return {}
    spec = callee.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    found = dict(zip(reversed(positional), reversed(spec.defaults), strict=False))
    found |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
    found = {parameter: default for parameter, default in found.items() if isinstance(default, ast.Constant)}
    # A method call of a namespace passes no self: jit functions are plain functions.
    found |= dict(zip(positional, call.args, strict=False))
    return {**found, **{k.arg: k.value for k in call.keywords if k.arg is not None}}
