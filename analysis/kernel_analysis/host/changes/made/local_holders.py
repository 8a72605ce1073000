"""Whether what a function binds to a variable of its own, or puts into a list that it does, is only read there:
``report = [("path", package.__path__)]``, and a loop that prints what is in it.

Follows what is spelled; evaluates nothing. What is not followed may be changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.uses import Occurrence, holds_changeable, occurrences, relevant, use
from kernel_analysis.source.tree import scopes

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Value
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_DISPLAYS = (ast.Tuple, ast.List)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ALL_NAMES = ("locals", "vars", "eval", "exec")
"""By these a function has its variables without naming them."""
_DEEPEST = 4
_GROWS = frozenset({"append", "extend"})


def only_read(resolver: ResolverView, module: Module, at: Occurrence, value: Value, depth: int = 0) -> bool:
    """Whether what stands there goes to variables of the function around it alone, by which nothing changes it.
    ``value``: what it is."""
    function = at.around[-1] if at.around else None
    if not isinstance(function, _FUNCTIONS) or depth > _DEEPEST:
        return False
    if resolver.project.elsewhere.storing(None, "f_locals", False):
        return False  # who is called may have them
    place, inside = _top(at.chain)
    above = at.chain[place + 1] if place + 1 < len(at.chain) else at.statement
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute):
        # `report.extend([...])`
        grown, method = above.func.value, above.func.attr
        put = method == "append" or method == "extend" and inside
        alone = isinstance(at.statement, ast.Expr) and at.statement.value is above
        if not put or not alone or not isinstance(grown, ast.Name):
            return False
        return _makes_list(function, grown.id) and _is_read(resolver, module, function, grown.id, True, value, depth)
    if above is not at.statement or not isinstance(above, ast.Assign) or len(above.targets) > 1:
        return False
    target = above.targets[0]
    return isinstance(target, ast.Name) and _is_read(resolver, module, function, target.id, inside, value, depth)


def _makes_list(function: scopes.FunctionNode, name: str) -> bool:
    """Whether whatever binds a variable of the function is a statement that makes a list there for it alone, or gives
    it a constant: what it is given, or finds, others have as well, and another's ``append`` may do anything."""
    events = scopes.kept_table(function, ":=").events.get(name, ())
    return bool(events) and all(map(_is_list, events))


def _is_list(event: scopes.Event) -> bool:
    alone = isinstance(event.node, ast.AnnAssign) or isinstance(event.node, ast.Assign) and len(event.node.targets) == 1
    return alone and event.how == "assign" and isinstance(event.value, (ast.List, ast.ListComp, ast.Constant))


def _top(chain: tuple[ast.AST, ...]) -> tuple[int, bool]:
    """How far up it goes in displays and choices, and whether it is in a display."""
    place, inside = 0, False
    for held, above in pairwise(chain):
        chosen = isinstance(above, ast.BoolOp) or isinstance(above, ast.IfExp) and above.test is not held
        if not chosen and not isinstance(above, _DISPLAYS):
            break
        place, inside = place + 1, inside or not chosen
    return place, inside


def _is_read(
    resolver: ResolverView, module: Module, function: ast.AST, name: str, inside: bool, value: Value, depth: int
) -> bool:
    """Whether all that is done with a variable of a function leaves as it is what it is, or with ``inside`` what is in
    it."""
    if not is_own(function, name):
        return False
    for one in occurrences(module, name):
        if function not in one.around or not isinstance(one.chain[0], ast.Name):
            continue
        if isinstance(one.chain[0].ctx, ast.Load):
            if not _leaves(resolver, module, one, function, inside, value, depth):
                return False
        elif isinstance(one.statement, ast.AugAssign):
            return False
    return True


def _leaves(
    resolver: ResolverView, module: Module, at: Occurrence, function: ast.AST, inside: bool, value: Value, depth: int
) -> bool:
    made = use(at, callees.judge(resolver, resolver.scope(module, at.around)))
    if made is None:
        return True
    if not inside and (_is_unpacked(at) or not relevant(made, value)):
        return not holds_changeable(value)
    if not inside:
        return made.kind == "held" and at.around[-1] is function and only_read(resolver, module, at, value, depth + 1)
    if made.kind == "method" and made.first is None:
        # What is put into it is not what it had, and is followed on its own.
        return made.word in _GROWS and isinstance(at.statement, ast.Expr) and at.statement.value is at.chain[2]
    loop = at.statement
    if made.kind != "part" or not isinstance(loop, ast.For) or loop.iter is not at.chain[0]:
        return False
    return all(_is_read(resolver, module, function, item, False, value, depth + 1) for item in _names(loop.target))


def _is_unpacked(at: Occurrence) -> bool:
    """``name, more = value``"""
    bound = at.statement
    if not isinstance(bound, ast.Assign) or len(bound.targets) > 1:
        return False
    return bound.value is at.chain[0] and isinstance(bound.targets[0], _DISPLAYS)


def _names(target: ast.expr) -> Iterator[str]:
    """What a loop binds; a name that is no variable where it binds something else."""
    for node in target.elts if isinstance(target, _DISPLAYS) else (target,):
        yield node.id if isinstance(node, ast.Name) else ""


def is_own(function: ast.AST, name: str) -> bool:
    """Whether a name is a variable of the function, and by no other way had than by its name."""
    for node in ast.walk(function):
        shared = isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names
        if shared or isinstance(node, ast.Name) and node.id in ALL_NAMES:
            return False
    return bool(name)
