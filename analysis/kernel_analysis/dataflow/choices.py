"""Where a function's constexpr values decide which address a name has or a call returns. Works on the syntax tree
alone, and says nothing about what the values are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from kernel_analysis.dataflow.program import never_compiled
from kernel_analysis.source.slice import SliceFunction, TritonObject
from kernel_analysis.source.syntax import descend, inside

_OF_RUN_TIME = {"triton.language.load", "triton.language.program_id"}


@dataclass(frozen=True, slots=True)
class Choice:
    """``value`` goes to ``targets``, into the calls ``around`` or back to the caller if ``tests`` say so. ``node`` is
    in ``Facts.reached`` where it was compiled, if that is ``recorded`` of it."""

    node: ast.AST
    value: ast.expr
    tests: tuple[ast.expr, ...]
    targets: frozenset[str]
    around: frozenset[ast.AST]
    returned: bool
    recorded: bool


def choices(function: SliceFunction) -> Iterator[Choice]:
    """Assignments and returns under a condition, and conditional expressions anywhere."""
    for statement in function.node.body:
        yield from _of_statement(statement, (), function)


def _of_statement(node: ast.stmt, tests: tuple[ast.expr, ...], function: SliceFunction) -> Iterator[Choice]:
    targets = cache(partial(_stored, node))  # that is every statement inside it, and few ask
    returned = isinstance(node, ast.Return)
    if isinstance(node, ast.If | ast.While):
        tests = (*tests, node.test)
    elif isinstance(node, ast.For):
        tests = (*tests, *loop_tests(node))
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return) and node.value and tests:
        yield Choice(node, node.value, tests, targets(), frozenset(), returned, recorded=True)
    dead = never_compiled(node, function)
    for inner in inside(node):
        if isinstance(inner, ast.stmt):
            if inner not in dead:
                yield from _of_statement(inner, tests, function)
        elif isinstance(inner, ast.expr):
            yield from _of_expression(inner, targets, frozenset(), returned)


def _stored(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in descend(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _of_expression(
    node: ast.AST, targets: Callable[[], frozenset[str]], around: frozenset[ast.AST], returned: bool
) -> Iterator[Choice]:
    selected: tuple[ast.expr, ...] = ()
    test: ast.expr | None = None
    if isinstance(node, ast.Call):
        around = around | {node}
        if isinstance(node.func, ast.Attribute) and node.func.attr == "load":
            targets, around, returned = frozenset[str], frozenset({node}), False  # what is loaded is not the address
    elif isinstance(node, ast.IfExp):
        test, selected = node.test, (node.body, node.orelse)
    elif isinstance(node, ast.Subscript):  # `(a, b)[WHICH]`
        test, selected = node.slice, (node.value,)
    if test is not None:
        for value in selected:
            yield Choice(node, value, (test,), targets(), around, returned, recorded=False)
    for inner in inside(node):
        yield from _of_expression(inner, targets, around, returned)


def loop_tests(node: ast.For | ast.While | ast.With) -> tuple[ast.expr, ...]:
    """``static_range`` runs its body at compile time, perhaps never."""
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        return tuple(node.iter.args)
    return ()


def decided_at_run_time(test: ast.expr, function: SliceFunction) -> bool:
    """Whether a test surely depends on a number from memory or of the program: then both ways are compiled, under any
    signature."""
    if isinstance(test, ast.Compare):
        return any(decided_at_run_time(part, function) for part in (test.left, *test.comparators))
    if isinstance(test, ast.BinOp):
        return any(decided_at_run_time(part, function) for part in (test.left, test.right))
    if isinstance(test, ast.UnaryOp):
        return decided_at_run_time(test.operand, function)
    return isinstance(test, ast.Call) and _path(test.func, function) in _OF_RUN_TIME


def _path(node: ast.expr, function: SliceFunction) -> str:
    """Of what Triton offers: ``triton.language.load``."""
    if isinstance(node, ast.Attribute):
        return f"{_path(node.value, function)}.{node.attr}"
    found = function.bindings.get(node.id) if isinstance(node, ast.Name) else None
    return found.path if isinstance(found, TritonObject) else ""
