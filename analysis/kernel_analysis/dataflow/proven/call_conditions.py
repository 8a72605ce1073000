"""Under which constexpr values a place is compiled that a kernel reaches through calls: the tests of the kernel and of
every helper on the way, in the kernel's own names as far as the calls say what they are.

Works on syntax trees alone. A name that the calls don't tell is named with its function, ``put.STORE``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping

from kernel_analysis.dataflow.proven.conditions import Conditions, conditions, spelled
from kernel_analysis.ir import At
from kernel_analysis.record import record
from kernel_analysis.source.slice import FunctionRef, Slice, SliceFunction
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import last_name, spreads
from kernel_analysis.source.tree.syntax import all_of, annotated_constants, descend


class CallConditions:
    """Of one kernel; ``constexprs`` are its parameters whose values are known when it is compiled."""

    def __init__(self, slice_: Slice, constexprs: Iterable[str]) -> None:
        self._functions = slice_.functions
        self._methods = slice_.methods()
        self._names: dict[int, _Names] = {}
        static = frozenset(constexprs)
        names = self._names_of(0)
        self._kernel = _Inside(self._conditions(0, static), names, None, names)
        self._insides: dict[tuple[tuple[At, ...], int], _Inside] = {}

    def of(self, at: At, path: tuple[At, ...]) -> str | None:
        """The condition as text for ``at``, reached through the calls ``path``, outermost first."""
        if (path[0] if path else at).function != 0:
            return None
        tests: list[ast.expr] = []
        inside = self._kernel
        for depth, place in enumerate((*path, at)):
            if place.function < 0:
                break
            if depth:
                inside = self._inside(path[:depth], place.function, inside)
            for test in inside.conditions.tests(self._functions[place.function].nodes[place.node]):
                told = inside.told(test)
                if self._varies(told):
                    tests.append(told)
        return spelled(tests)

    def told(self, test: ast.expr, at: At, path: tuple[At, ...]) -> ast.expr:
        """A test of the function of ``at``, which the calls lead to, in the kernel's names as far as they say."""
        inside = self._kernel
        for depth, place in enumerate((*path[1:], at)[: len(path)]):
            inside = self._inside(path[: depth + 1], place.function, inside)
        return inside.told(test)

    def _inside(self, path: tuple[At, ...], index: int, outer: _Inside) -> _Inside:
        """The function that the last call of the path leads to, ``outer`` being the one that the call stands in."""
        known = self._insides.get((path, index))
        if known is None:
            callee, call = self._functions[index], path[-1]
            caller = self._functions[call.function]
            node = caller.nodes[call.node]
            partition = _partition(node, caller, index)
            if partition is not None:
                arguments = _given(callee, partition, [])
            else:
                receiver = self._receiver(node, callee, index)
                arguments = {} if receiver is None else _arguments(node, callee, receiver)
            static = {n for n, a in arguments.items() if outer.conditions.is_static(a)}
            static |= annotated_constants(callee.node)
            passed = _Passed(arguments, outer)
            known = _Inside(
                self._conditions(index, frozenset(static)), self._names_of(index), passed, self._kernel.names
            )
            self._insides[path, index] = known
        return known

    def _receiver(self, node: ast.AST, callee: SliceFunction, index: int) -> list[ast.expr] | None:
        """What a call of a method passes before all else; nothing where the method is had from its class, or a module.
        Which of it is so, the number of the others says; None where that does not."""
        if index not in self._methods or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return []
        spec = callee.node.args
        names = [argument.arg for argument in parameters.single(spec)]
        passed = len(node.args) + len(node.keywords)
        if passed < len(set(names) - parameters.defaults(spec).keys()):
            return [node.func.value]
        return [] if passed == len(names) and spec.vararg is None and spec.kwarg is None else None

    def _conditions(self, index: int, static: frozenset[str]) -> Conditions:
        function = self._functions[index]
        return conditions((function.node, static, frozenset(function.bindings)))

    def _names_of(self, index: int) -> _Names:
        if index not in self._names:
            self._names[index] = _Names.of(self._functions[index])
        return self._names[index]

    def _varies(self, test: ast.expr) -> bool:
        """Whether it is not the same for every launch: what a call passes may be a plain number."""
        names = self._kernel.names
        own = names.parameters | names.stored
        return any(isinstance(node, ast.Name) and ("." in node.id or node.id in own) for node in descend(test))


@record
class _Names:
    """The names of the function ``function``: its parameters, and those that are assigned in it."""

    function: str
    parameters: frozenset[str]
    stored: frozenset[str]

    @classmethod
    def of(cls, function: SliceFunction) -> _Names:
        stored = [n.id for n in all_of(function.node, ast.Name) if isinstance(n.ctx, ast.Store)]
        own = frozenset([argument.arg for argument in parameters.every(function.node.args)])
        return cls(function.name, own, frozenset(stored))


@record
class _Inside:
    """A function as some calls lead to it; ``passed`` None: the kernel itself."""

    conditions: Conditions
    names: _Names
    passed: _Passed | None
    kernel: _Names

    def told(self, node: ast.expr) -> ast.expr:
        """An expression of the function in the kernel's names."""
        return node if self.passed is None else _Told(self.names, self.passed, self.kernel).visit(copy.deepcopy(node))


class _Passed:
    """What a call passes, in the kernel's names; each is told when it is asked for, as few are in a condition."""

    def __init__(self, arguments: Mapping[str, ast.expr], outer: _Inside) -> None:
        self._arguments, self._outer = arguments, outer
        self._told: dict[str, ast.expr | None] = {}

    def get(self, parameter: str) -> ast.expr | None:
        """None for what is not in sight, and for what would be long and no value of compile time."""
        if parameter not in self._told:
            argument, outer = self._arguments.get(parameter), self._outer
            shown = argument is not None and (
                outer.conditions.is_static(argument) or isinstance(argument, ast.Name | ast.Attribute)
            )
            self._told[parameter] = outer.told(argument) if argument is not None and shown else None
        return self._told[parameter]


class _Told(ast.NodeTransformer):
    def __init__(self, names: _Names, passed: _Passed, kernel: _Names) -> None:
        self._names, self._passed, self._kernel = names, passed, kernel

    def visit_Name(self, node: ast.Name) -> ast.expr:
        names = self._names
        if node.id not in names.parameters and node.id not in names.stored:
            # A global, which the kernel may have a name of its own for.
            own = node.id in self._kernel.parameters or node.id in self._kernel.stored
            return ast.Name(f"{names.function}.{node.id}", ast.Load()) if own else node
        # A parameter that is assigned to is no longer what was passed.
        told = None if node.id in names.stored else self._passed.get(node.id)
        return ast.Name(f"{names.function}.{node.id}", ast.Load()) if told is None else told


def _arguments(call: ast.AST, callee: SliceFunction, receiver: list[ast.expr]) -> dict[str, ast.expr]:
    """What a call passes, by parameter; nothing where that can't be told."""
    if not isinstance(call, ast.Call) or last_name(call.func) != callee.name or spreads(call):
        return {}
    return _given(callee, [*receiver, *call.args], call.keywords)


def _given(callee: SliceFunction, passed: list[ast.expr], keywords: list[ast.keyword]) -> dict[str, ast.expr]:
    positional = parameters.positional(callee.node.args)
    found = {n: d for n, d in parameters.defaults(callee.node.args).items() if isinstance(d, ast.Constant)}
    # A method call of a namespace passes no self: jit functions are plain functions.
    found |= dict(zip(positional, passed, strict=False))
    return {**found, **{k.arg: k.value for k in keywords if k.arg is not None}}


def _partition(call: ast.AST, caller: SliceFunction, index: int) -> list[ast.expr] | None:
    """What Gluon's ``warp_specialize`` gives the one partition that runs this function; None where that is not written
    there, or another partition may run it, too."""
    if not isinstance(call, ast.Call) or last_name(call.func) != "warp_specialize" or not call.args:
        return None
    pairs = call.args[0]
    if not isinstance(pairs, ast.List | ast.Tuple):
        return None
    found: list[list[ast.expr]] = []
    for pair in pairs.elts:
        if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2:
            return None
        function, given = pair.elts
        named = caller.bindings.get(function.id) if isinstance(function, ast.Name) else None
        if not isinstance(named, FunctionRef) or not isinstance(given, ast.Tuple):
            return None
        if any(isinstance(one, ast.Starred) for one in given.elts):
            return None
        if named.index == index:
            found.append(given.elts)
    return found[0] if len(found) == 1 else None
