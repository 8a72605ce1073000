"""The evaluator of host code on the way to a launch: it knows the shapes of tensors, and where it can't tell which way
code goes, it goes the way that leads on. Other files are read, never imported, and nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from kernel_analysis.host.evaluate import interpret
from kernel_analysis.host.evaluate.constants import Evaluator
from kernel_analysis.host.evaluate.expressions.comprehension import bind
from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Definition,
    Dict,
    External,
    Items,
    Jit,
    Method,
    Scope,
    Tensor,
    Unknown,
    UserFunction,
    Value,
)
from kernel_analysis.host.names.resolve import Resolver
from kernel_analysis.host.tensors import tensors
from kernel_analysis.launch.follow.host_syntax import binding, contains
from kernel_analysis.source.arithmetic import FAILS
from kernel_analysis.source.limits import MOST_DEPTH, TooMuch
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree.syntax import descend

UNKNOWN: Final = Unknown("It is not known without running the code.")
_STEPS: Final = 20_000
_TURNS: Final = 64
_FRAME: Final = 4


class GaveUp(Exception):
    """The code is too much to follow."""


class Returned(Exception):
    """The function ends here."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class Reached(Exception):
    """At the launch: in ``scope``."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope


class Following(Evaluator):
    """``processors``: how many the device has."""

    def __init__(self, resolver: Resolver, processors: int) -> None:
        super().__init__(resolver)
        self._processors = processors
        self._left = _STEPS
        self._modules: dict[int, Scope] = {}

    def anew(self) -> None:
        """With all steps left."""
        self._left, self.depth = _STEPS, 0

    def spend(self, steps: int) -> None:
        """Counts work; raises GaveUp when there was too much."""
        self._left -= steps
        if self._left < 0:
            raise GaveUp

    def value(self, node: ast.expr, scope: Scope, before: int | None = None) -> Value:
        """What an expression is; raises GaveUp."""
        try:
            return super().value(node, scope, before)
        except TooMuch:
            return UNKNOWN

    def module(self, module: Module) -> Scope:
        """The names of a file: what is followed to be one of them hides what the file says."""
        known = self._modules.get(id(module.tree))
        if known is None:
            known = Scope(module, module.tree, self.resolver.scope(module), {})
            self._modules[id(module.tree)] = known
        return known

    # Values -----------------------------------------------------------------------------------------------------------

    def meant(self, found: Definition, name: str) -> Value:
        """What a name stands for; what a module makes of the device, or of a stand-in for something that is made when
        the code runs, is followed."""
        if not isinstance(found.value, Unknown):
            return found.value
        events = found.module.table.events
        if not any(event.node is found.node for event in events.get(name, ())):
            named = (n for n, them in events.items() if any(event.node is found.node for event in them))
            name = next(named, name)
        scope = self.module(found.module)
        assert scope.locals is not None
        if name in events and name not in scope.locals:
            scope.locals[name] = found.value  # while it is looked for
            try:
                self.block(binding(found.module.tree.body, name), scope)
            except Returned:
                pass
        return scope.locals.get(name, found.value)

    def boolean(self, node: ast.BoolOp, scope: Scope, before: int | None) -> Value:
        """Made-up shapes decide nothing behind what is not known."""
        value = super().boolean(node, scope, before)
        return UNKNOWN if isinstance(value, Unknown) else value

    def attribute(self, owner: Value, name: str) -> Value:
        if name == "multi_processor_count":
            return self._processors
        return tensors.attribute(owner, name) if isinstance(owner, Tensor) else super().attribute(owner, name)

    def binary(self, op: ast.operator, left: Value, right: Value, node: ast.expr) -> Value:
        made = left if isinstance(left, Tensor) else right
        return made if isinstance(made, Tensor) else super().binary(op, left, right, node)

    def unary(self, op: ast.unaryop, value: Value, node: ast.expr) -> Value:
        made = isinstance(value, Tensor) and not isinstance(op, ast.Not)
        return value if made else super().unary(op, value, node)

    def item(self, owner: Value, node: ast.Subscript, scope: Scope, before: int | None) -> Value:
        if not isinstance(owner, Tensor):
            return super().item(owner, node, scope, before)
        if isinstance(node.slice, ast.Slice):
            return owner
        return tensors.item(owner, self.value(node.slice, scope, before))

    def called(self, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        if isinstance(function, ConstexprFunction):
            function = function.function
        if isinstance(function, UserFunction):
            return self.entered(function, args, keywords)
        if isinstance(function, Method) and isinstance(function.receiver, Tensor):
            return tensors.method(function.receiver, function.name, args, keywords)
        if isinstance(function, External):
            if function.path.rpartition(".")[2] in ("num_sms", "get_num_sms"):
                return self._processors
            made = tensors.called(function.path, args, keywords)
            if made is not None:
                return made[0]
        return super().called(function, args, keywords, node)

    def entered(self, function: UserFunction, args: list[Value], keywords: Mapping[str, Value]) -> Value:
        """What a function of the user's gives."""
        node = function.node
        if isinstance(node, ast.Lambda):
            return interpret.run(self, function, args, dict(keywords))
        scope = Scope(function.scope.module, node, function.scope, {})
        if self.depth + _FRAME > MOST_DEPTH or interpret.passed(self, function, scope, args, dict(keywords)):
            return UNKNOWN
        self.depth += _FRAME
        try:
            self.block(node.body, scope)
        except Returned as returned:
            return returned.value
        finally:
            self.depth = max(self.depth - _FRAME, 0)
        return None

    # Statements -------------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], scope: Scope, target: ast.Call | None = None) -> None:
        """One statement after the other. Raises Returned, Reached (the launch ``target``) and GaveUp."""
        for statement in body:
            self.spend(1)
            self._statement(statement, scope, target)

    def _statement(self, node: ast.stmt, scope: Scope, target: ast.Call | None) -> None:
        assert scope.locals is not None
        if isinstance(node, ast.If):
            self._if(node, scope, target)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._for(node, scope, target)
        elif isinstance(node, (ast.While, ast.With, ast.AsyncWith)):
            self.block(node.body, scope, target)
        elif isinstance(node, ast.Try):
            self.block([*node.body, *node.orelse, *node.finalbody], scope, target)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            made = self.decorated(scope, node, None)
            known = isinstance(made, (UserFunction, ConstexprFunction, Jit))
            scope.locals[node.name] = made if known else self.function(scope, node, None)
        elif target is not None and contains(node, target):
            raise Reached(scope)
        elif isinstance(node, (ast.Return, ast.Raise)):
            value = node.value if isinstance(node, ast.Return) else None
            raise Returned(UNKNOWN if isinstance(node, ast.Raise) else value and self.value(value, scope))
        else:
            self._simple(node, scope)

    def _simple(self, node: ast.stmt, scope: Scope) -> None:
        """One that has no others in it."""
        assert scope.locals is not None
        try:
            interpret.statement(self, node, scope)
        except (interpret.Stop, *FAILS):
            stored = (n.id for n in descend(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
            scope.locals.update(dict.fromkeys(stored, UNKNOWN))

    def _if(self, node: ast.If, scope: Scope, target: ast.Call | None) -> None:
        known = truth(self.value(node.test, scope))
        if target is not None:
            for body, other in ((node.body, node.orelse), (node.orelse, node.body)):
                if other and any(contains(statement, target) for statement in body):
                    return self.block(body, scope, target)
        if known is None:
            known = not isinstance(node.body[-1], (ast.Raise, ast.Return))
        return self.block(node.body if known else node.orelse, scope, target)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope, target: ast.Call | None) -> None:
        """As often as it turns, if that is known; else once, as the one that holds the launch."""
        source = self.value(node.iter, scope)
        if isinstance(source, Dict):
            source = Items("list", tuple(k for k, _ in source.pairs))
        values = source.values if isinstance(source, Items) and source.kind != "set" else None
        simple = not any(isinstance(n, (ast.Break, ast.Continue)) for n in descend(node))
        if values is None or len(values) > _TURNS or not simple or target is not None and contains(node, target):
            values = (values or (UNKNOWN,))[:1]
        for value in values:
            bind(scope, node.target, value)
            self.block(node.body, scope, target)
