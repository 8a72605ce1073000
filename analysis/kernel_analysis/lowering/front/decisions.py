"""Records what the front end decides while it compiles: which way a test went, which item an index chose, how often a
loop was unrolled, which function a call led to; each with the turns of the unrolled loops around it.

Changes nothing about what is compiled. What a dropped dry run decides is not recorded, nor what stands behind a
``return``.
"""

# pyright: basic
from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from kernel_analysis.ir import BOTH
from kernel_analysis.lowering import compat

Turns = tuple[tuple[ast.AST, int], ...]
Key = tuple[Turns, ast.AST]


@dataclass
class Decided:
    """In one function, see ``ir.Decisions``; nodes in place of their ordinals."""

    taken: dict[Key, set[Any]] = field(default_factory=dict)
    turns: dict[Key, tuple[int, int]] = field(default_factory=dict)
    calls: dict[Key, list[str]] = field(default_factory=dict)


class Visited(ast.expr):
    """An expression that has been visited already."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


_asking: list[tuple[DecisionGenerator, ast.AST]] = []
"""The call whose function's name in the module is made next."""


class DecisionGenerator(compat.code_generator.CodeGenerator):
    """``_dead``: behind a ``return``; the class that uses this one says when."""

    _dead = False
    _dry_runs = 0
    _turns: Turns = ()
    _deciding: ast.If | None = None
    _loop: Any = None

    @property
    def _decided(self) -> Decided:
        raise NotImplementedError  # the watched front end has them; Triton's class below leaves no room for an ABC

    def _decide(self, node: ast.AST, outcome: Any) -> None:
        if not self._dead and not self._dry_runs:
            self._decided.taken.setdefault((self._turns, node), set()).add(outcome)

    def visit_Visited(self, node):
        return node.value

    def visit_If(self, node):
        outer, self._deciding = self._deciding, node
        super().visit_If(node)
        self._deciding = outer

    def visit_then_else_blocks(self, node, liveins, then_block, else_block):
        self._decide(node, BOTH)
        self._deciding = None
        return super().visit_then_else_blocks(node, liveins, then_block, else_block)

    def visit_compound_statement(self, stmts):
        node, loop = self._deciding, self._loop
        if node is not None and (stmts is node.body or stmts is node.orelse):
            self._deciding = None
            self._decide(node, stmts is node.body)
        if loop is None or stmts is not loop[0].body:
            super().visit_compound_statement(stmts)
            return
        loop[1] += 1
        loop[3] += not self._dead
        before = self._turns
        if isinstance(self.lscope.get(loop[0].target.id), compat.tl.constexpr):
            loop[2] = True
            self._turns = (*before, (loop[0], loop[1] - 1))
        super().visit_compound_statement(stmts)
        self._turns = before

    def visit_For(self, node):
        # How often its body was visited, whether it is unrolled, and how often it was before a `return`.
        outer, self._loop = self._loop, [node, 0, False, 0]
        quiet = self._dead or self._dry_runs
        super().visit_For(node)
        _, count, unrolled, alive = self._loop
        self._loop = outer
        if (unrolled or not count) and not quiet:
            self._decided.turns[self._turns, node] = count, alive

    def _find_carries(self, *given, **named):
        self._dry_runs += 1
        try:
            return super()._find_carries(*given, **named)
        finally:
            self._dry_runs -= 1

    def visit_IfExp(self, node):
        test = self.visit(node.test)
        if isinstance(test, compat.tl.tensor):
            self._decide(node, BOTH)
        else:
            value = test.value if isinstance(test, compat.tl.constexpr) else test
            if type(value) in compat.CONDITIONS:
                self._decide(node, bool(value))
                return self.visit(node.body if value else node.orelse)
        return super().visit_IfExp(ast.copy_location(ast.IfExp(Visited(test), node.body, node.orelse), node))

    def visit_Subscript_Load(self, node):
        if isinstance(node.slice, ast.Constant | ast.Slice | ast.Tuple):
            return super().visit_Subscript_Load(node)
        owner, index = self.visit(node.value), self.visit(node.slice)
        value = index.value if isinstance(index, compat.tl.constexpr) else index
        if isinstance(value, int):
            self._decide(node, int(value))
        given = ast.Subscript(Visited(owner), Visited(index), node.ctx)
        return super().visit_Subscript_Load(ast.copy_location(given, node))

    def call_JitFunction(self, fn, args, kwargs, caller_context=None):
        before = len(_asking)
        if not self._dead and not self._dry_runs and self.cur_node is not None:
            _asking.append((self, self.cur_node))
        try:
            return super().call_JitFunction(fn, args, kwargs, caller_context)
        finally:
            del _asking[before:]  # of a call that failed before it had a name


def _named(original):
    def mangle_fn(*given):
        name = original(*given)
        if _asking:
            generator, node = _asking.pop()
            called = generator._decided.calls.setdefault((generator._turns, node), [])
            if name not in called:
                called.append(name)
        return name

    return mangle_fn


compat.code_generator.mangle_fn = _named(compat.code_generator.mangle_fn)
