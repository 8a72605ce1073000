"""Under which constexpr values a place in a kernel is compiled at all: the compile-time tests of the branches around
it.

Works on the syntax tree alone; says nothing about what the values are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import all_of, descend, inside, kept_with_trees

Tests = tuple[ast.expr, ...]

_TYPE = {"dtype", "type", "element_ty"}
_OF_TYPES = {*_TYPE, "shape", "numel", "scalar"}
"""What is asked of a value with these is known when the kernel is compiled."""
_PURE = {"min", "max", "len", "abs", "int", "bool", "isinstance", "constexpr"}
_LONGEST = 100


class Conditions:
    """``constexprs``: the parameters whose values are known when the kernel is compiled; ``outside``: the names that
    the function takes from around it."""

    def __init__(self, function: ast.FunctionDef, constexprs: frozenset[str], outside: frozenset[str]) -> None:
        self._constexprs = constexprs
        self._parameters = {argument.arg for argument in parameters.single(function.args)}
        self._globals = outside
        self._function = function
        self._tests: dict[ast.AST, Tests] = {}
        self._chooses = bool(all_of(function, ast.IfExp))
        if self._chooses or all_of(function, ast.If):
            self._statements(function.body, ())

    def tests(self, node: ast.AST) -> Tests:
        """The tests around a node, outermost first; none where it is always compiled."""
        return self._tests.get(node, ())

    def is_static(self, node: ast.expr) -> bool:
        """Whether the value is known when the function is compiled."""
        return self._is_static(node)

    @cached_property
    def _locals(self) -> set[str]:
        """The names that are only ever given values known at compile time."""
        given: dict[str, list[ast.expr | None]] = {}
        function = self._function
        for name in all_of(function, ast.Name):
            if isinstance(name.ctx, ast.Store):
                given.setdefault(name.id, [])
        assigned = [(node.targets, node.value) for node in all_of(function, ast.Assign)]
        assigned += [([node.target], node.value) for node in all_of(function, ast.AnnAssign)]
        changed = (*all_of(function, ast.AugAssign), *all_of(function, ast.For))
        for targets, value in [*assigned, *(([node.target], None) for node in changed)]:
            for target in targets:
                if isinstance(target, ast.Name):
                    given.setdefault(target.id, []).append(value)
        static: set[str] = set()
        self._locals = static  # `_is_static` asks while it grows
        for _ in given:
            found = {n for n, values in given.items() if values and all(v and self._is_static(v) for v in values)}
            if found <= static:
                break
            static |= found
        return static

    def _statements(self, body: list[ast.stmt], tests: Tests) -> None:
        for statement in body:
            if isinstance(statement, ast.If) and self._decides(statement.test):
                self._mark(statement.test, tests)
                self._statements(statement.body, (*tests, statement.test))
                otherwise = negated(statement.test)
                self._statements(statement.orelse, (*tests, otherwise))
                # What follows a branch that returns belongs to the other one.
                if _returns(statement.body):
                    tests = (*tests, otherwise)
                elif _returns(statement.orelse):
                    tests = (*tests, statement.test)
                continue
            for inner in inside(statement):
                if not isinstance(inner, ast.stmt):
                    self._mark(inner, tests)
            for field in ("body", "orelse", "finalbody"):
                self._statements(getattr(statement, field, []), tests)

    def _mark(self, node: ast.AST, tests: Tests) -> None:
        if tests:
            self._tests[node] = tests
        elif not self._chooses:
            return  # no test is in it either
        if isinstance(node, ast.IfExp) and self._decides(node.test):
            self._mark(node.test, tests)
            self._mark(node.body, (*tests, node.test))
            self._mark(node.orelse, (*tests, negated(node.test)))
            return
        for inner in inside(node):
            self._mark(inner, tests)

    def _decides(self, test: ast.expr) -> bool:
        """Whether the test is made at compile time and its outcome depends on how the kernel is launched."""
        varying = self._parameters | self._locals
        return self._is_static(test) and any(
            isinstance(node, ast.Name) and node.id in varying or isinstance(node, ast.Attribute) and node.attr in _TYPE
            for node in descend(test)
        )

    def _is_static(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                return node.id in self._constexprs or node.id in self._locals or node.id in self._globals
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)], left=ast.Name()):
                return True
            case ast.Attribute():
                return node.attr in _OF_TYPES or self._is_static(node.value)
            case ast.BoolOp():
                return all(map(self._is_static, node.values))
            case ast.UnaryOp():
                return self._is_static(node.operand)
            case ast.BinOp():
                return self._is_static(node.left) and self._is_static(node.right)
            case ast.Compare():
                return all(map(self._is_static, (node.left, *node.comparators)))
            case ast.Subscript():
                return self._is_static(node.value) and self._is_static(node.slice)
            case ast.Tuple() | ast.List():
                return all(map(self._is_static, node.elts))
            case ast.Call():
                name = last_name(node.func)
                asked = node.func.value if isinstance(node.func, ast.Attribute) else None
                pure = name in _PURE or name.startswith("is_") and (asked is None or self._is_static(asked))
                return pure and all(map(self._is_static, node.args))
            case _:
                return False


@kept_with_trees(512)
def conditions(asked: tuple[ast.FunctionDef, frozenset[str], frozenset[str]]) -> Conditions:
    """Of a function, its ``constexprs`` and what it takes from outside: it is asked of each slice that it is in."""
    return Conditions(*asked)


def spelled(tests: Iterable[ast.expr]) -> str | None:
    """The condition as text, ``STORE and not IS_FP8``; None without tests."""
    distinct = list({ast.dump(test): test for test in tests}.values())
    if not distinct:
        return None
    text = ast.unparse(distinct[0] if len(distinct) == 1 else ast.BoolOp(ast.And(), distinct))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def negated(test: ast.expr) -> ast.expr:
    """The test going the other way."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        opposite = _OPPOSITES.get(type(test.ops[0]))
        if opposite is not None:
            return ast.Compare(test.left, [opposite()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def _returns(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return)
