"""One walk over a jit function and the helpers it calls, which collects what the uses of each parameter say about it.

It computes with syntax only: an abstract interpretation that never runs what it reads.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from kernel_analysis.signature.body import operators
from kernel_analysis.signature.body.expressions import BodyExpressions
from kernel_analysis.signature.evident_values import NOTHING, EvidentValue, Origin, join_origins
from kernel_analysis.signature.notes import Branch, Call
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.syntax import descend

_DEPTH = 12


class _Return(Exception):
    """The rest of a block of statements is not reached."""


class Walk(BodyExpressions):
    """Walks the statements; helpers where they are called."""

    def __init__(self, slice: Slice, trace: bool = False) -> None:
        super().__init__(slice, trace)
        self._returned: list[EvidentValue] = []

    def run(self, arguments: dict[str, EvidentValue]) -> EvidentValue:
        """Walk the jit function itself with these values of its parameters."""
        return self.function(0, arguments)

    def evaluate(self, index: int, env: dict[str, EvidentValue], node: ast.expr) -> EvidentValue:
        """The value of one expression of a function."""
        self.stack.append(index)
        self.env = dict(env)
        value = self.expr(node)
        self.stack.pop()
        return value

    def function(self, index: int, arguments: dict[str, EvidentValue]) -> EvidentValue:
        function = self.slice.functions[index]
        if len(self.stack) >= _DEPTH or self.stack.count(index) >= 2 or self.budget <= 0:
            return NOTHING
        saved = self.env, self._returned, self.line
        outside = len(self.guards)
        self.env, self._returned = dict(arguments), []
        self.stack.append(index)
        with suppress(_Return):
            self.block(function.node.body)
        result = self._returned[0] if self._returned else NOTHING
        for other in self._returned[1:]:
            result = self.join(result, other)
        self.stack.pop()
        self.env, self._returned, self.line = saved
        # What follows an early `return` ends here.
        del self.guards[outside:]
        return result

    def call(self, index: int, args: list[EvidentValue], keywords: dict[str, EvidentValue]) -> EvidentValue:
        """Call a helper: bind its parameters, and walk it."""
        node = self.slice.functions[index].node
        names = parameters.positional(node.args)
        bound = dict(zip(names, args, strict=False))
        if node.args.vararg is not None:
            bound[node.args.vararg.arg] = EvidentValue(items=args[len(names) :])
        bound.update(keywords)
        missing = [n for n in (*names, *(a.arg for a in node.args.kwonlyargs)) if n not in bound]
        if missing:
            defaults = parameters.defaults(node.args)
            env, self.env = self.env, {}
            self.stack.append(index)
            for name in missing:
                default = defaults.get(name)
                bound[name] = NOTHING if default is None else self.expr(default)
            self.stack.pop()
            self.env = env
        self.calls.append(Call(index, dict(bound)))
        if self.slice.functions[index].kind != "jit":
            origins: tuple[Origin, ...] = ()
            for value in bound.values():
                origins = join_origins(origins, value.origins, False)
            return EvidentValue(static=True, origins=origins)
        return self.function(index, bound)

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.line = statement.lineno
            method = self._statements.get(type(statement))
            if method is not None:
                method(self, statement)

    def _assign(self, node: ast.Assign) -> None:
        value = self.expr(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.expr(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            old = self.name(node.target)
            self.env[node.target.id] = operators.binary(self, node.op, old, self.expr(node.value))
        else:
            self.expr(node.value)

    def bind(self, target: ast.expr, value: EvidentValue) -> None:
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value.items
            if items is None:
                items = [self.element(value, i) for i in range(len(target.elts))]
                for path, depth, _ in value.origins:
                    if depth == 0 and value.shape is None and value.callee is None:
                        clue = self.clue(path)
                        clue.vote(0, "tuple", 5, self.line, "it is unpacked")
                        clue.arity = max(clue.arity, len(target.elts))
            for part, item in zip(target.elts, items, strict=False):
                self.bind(part.value if isinstance(part, ast.Starred) else part, item)

    def _if(self, node: ast.If) -> None:
        test = self.expr(node.test)
        truth = operators.truth(test)
        self.vote(test, "flag" if test.static else "test", 1, "it is tested")
        branch: Branch | None = None
        if test.static:
            branch = Branch(self.stack[-1], node.test, truth, dict(self.env))
            self.branches.append(branch)
        if truth is not None:
            # What follows is compiled though the arm returns: Triton stops at a `return` in the same list alone.
            with suppress(_Return):
                self.block(node.body if truth else node.orelse)
            return
        before = self.env
        self.env = dict(before)
        left = self._arm(node.body, branch, True)
        one, self.env = self.env, dict(before)
        if self._arm(node.orelse, branch, False):
            self.env = one
            if left:
                raise _Return
            if branch is not None:
                self.guards.append((branch, True))
            return
        if left:
            if branch is not None:
                self.guards.append((branch, False))
            return
        two = self.env
        for name, value in one.items():
            two[name] = self.join(value, two[name]) if name in two else value

    def _arm(self, body: list[ast.stmt], branch: Branch | None, way: bool) -> bool:
        """Walk an arm of an ``if``; whether it returns."""
        outside = len(self.guards)
        if branch is not None:
            self.guards.append((branch, way))
        try:
            self.block(body)
        except _Return:
            return True
        finally:
            del self.guards[outside:]
        return False

    def _for(self, node: ast.For) -> None:
        steps = self.iterate(node.iter, _grows(node.body))
        self._loop(node.body, node.target, steps if len(steps) > 1 else steps * _turns(node.body))
        self.block(node.orelse)

    def iterate(self, node: ast.expr, each: bool) -> list[EvidentValue]:
        """What the loop variable is: in one step that stands for all, or in ``each`` where they are known."""
        iterable = self.expr(node)
        if iterable.items and each:
            return iterable.items
        if iterable.callee == "range":
            assert iterable.self is not None
            return [iterable.self]
        if iterable.items:
            result = iterable.items[0]
            for item in iterable.items[1:]:
                result = self.join(result, item)
            return [result]
        if iterable.origins:
            self.vote(iterable, "tuple", 3, "it is iterated over")
            self.vote(iterable, "each", 1, "it is iterated over")
            return [self.element(iterable, 0)]
        return [NOTHING]

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> EvidentValue:
        """What it gives: an element for each step of its one loop; of several loops nothing is said."""
        if len(node.generators) > 1:
            return NOTHING
        (loop,) = node.generators
        before = dict(self.env)
        items: list[EvidentValue] = []
        for step in self.iterate(loop.iter, each=True):
            self.bind(loop.target, step)
            for test in loop.ifs:
                self.expr(test)
            items.append(self.expr(node.elt))
        self.env = before
        return EvidentValue(items=items)

    def _while(self, node: ast.While) -> None:
        self.vote(self.expr(node.test), "test", 1, "it is tested")
        self._loop(node.body, None, [NOTHING] * _turns(node.body))

    def _loop(self, body: list[ast.stmt], target: ast.expr | None, steps: list[EvidentValue]) -> None:
        """The turns of a loop: what a name stands for after it is any of what it stood for before and in them."""
        joined = dict(self.env)
        with suppress(_Return):
            for step in steps:
                if target is not None:
                    self.bind(target, step)
                self.block(body)
                for name, value in joined.items():
                    joined[name] = self.join(self.env.get(name, value), value)
        self.env |= joined

    def _return(self, node: ast.Return) -> None:
        self._returned.append(self.expr(node.value) if node.value is not None else NOTHING)
        raise _Return

    def _expression(self, node: ast.Expr) -> None:
        self.unused.add(node.value.elt if isinstance(node.value, ast.ListComp) else node.value)
        self.expr(node.value)

    def _assert(self, node: ast.Assert) -> None:
        self.expr(node.test)

    def _with(self, node: ast.With) -> None:
        for item in node.items:
            value = self.expr(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.block(node.body)

    _statements: ClassVar[dict[type[ast.stmt], Callable[[Walk, Any], None]]] = {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.If: _if,
        ast.For: _for,
        ast.While: _while,
        ast.Return: _return,
        ast.Expr: _expression,
        ast.Assert: _assert,
        ast.With: _with,
    }


def _turns(body: list[ast.stmt]) -> int:
    """How often a loop's body is to be walked: until what names hand on to each other, `x, y, z = y, z, x`, has come
    around."""
    handed = [s for s in body if isinstance(s, ast.Assign) and isinstance(s.value, (ast.Name, ast.Tuple))]
    parts = [s.value.elts if isinstance(s.value, ast.Tuple) else [s.value] for s in handed]
    given = {node.id for values in parts for node in values if isinstance(node, ast.Name)}
    bound = {node.id for s in handed for target in s.targets for node in descend(target) if isinstance(node, ast.Name)}
    return max(1, len(given & bound))


def _grows(body: list[ast.stmt]) -> bool:
    """Whether a loop's body makes a tuple longer: `offsets += (offset,)`."""
    return any(isinstance(node, ast.AugAssign) and isinstance(node.value, ast.Tuple) for node in body)
