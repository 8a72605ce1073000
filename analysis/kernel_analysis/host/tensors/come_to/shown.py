"""Whether the text shows that a place of host code is come to in some run: all that decides it is known, or is up to
whoever calls the function around it. What is wrong at any other place is no error yet. Evaluates conditions, and those
safely.

A list of what shows it: what is not known to does not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.found_once import found_once
from kernel_analysis.host.evaluate.values import Dict, External, Items
from kernel_analysis.host.names import guards
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.host.tensors.called import called
from kernel_analysis.host.tensors.certain import library
from kernel_analysis.host.tensors.come_to import free, reached
from kernel_analysis.host.tensors.placing import FUNCTIONS, SCOPES, Place, bodies, place
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import COMPREHENSIONS, last_name
from kernel_analysis.source.tree.scopes import FunctionNode
from kernel_analysis.source.tree.syntax import descend

_DEEPEST = 8
"""Calls to follow, up and down. What hangs on more is not shown."""
_TOGETHER = 64
"""Statements of which it is remembered whether something comes to what stands behind them."""
_ASKS = {"skipif": False, "skipIf": False, "skipUnless": True}
"""Decorators with a condition, and what it has to come to for the test to be run."""
_CALLS = frozenset({
    "abc", "builtins", "collections", "contextlib", "dataclasses", "functools", "hypothesis", "pytest", "torch",
    "triton", "typing", "typing_extensions", "unittest",
})  # fmt: skip
"""Libraries whose other decorators leave it at that: what they are put on is called."""


def shown(at: Place) -> bool:
    """Whether some run comes to it."""
    return _shown(at, 0)


def _shown(at: Place, depth: int, called: bool = False) -> bool:
    """``called``: whatever does that."""
    scope = at.scope
    for inner, outer in pairwise([*reversed(at.path), None]):
        assert inner is not None
        if isinstance(inner, SCOPES) and inner is not at.path[-1]:
            scope = scope.parent or scope
            if not _is_called(replace(at, scope=scope), inner, depth):
                return False
        here = replace(at, scope=scope, order=scope.table.orders.get(id(inner)))
        around = [scope.module.tree.body] if outer is None else bodies(outer)
        body = next((body for body in around if inner in body), [inner])
        if not _comes_down(here, body, body.index(inner), depth):
            return False
        if outer is not None and not _comes_in(here, outer, inner, depth):
            return False
    for node, part in reached.around(at):
        if not _computed(at, node, part, depth):
            return False
    return called or not _only_where_not_shown(at, depth)


def _comes_down(at: Place, body: list[ast.stmt], count: int, depth: int) -> bool:
    """Whether some run comes to the statement of that number. A body with many is asked for each of them."""
    whole = count - count % _TOGETHER

    def through(first: int, end: int) -> bool:
        return all(_goes_on(at, statement, depth) for statement in body[first:end])

    def until(end: int) -> bool:
        key = "goes on", id(body), end, depth
        return not end or found_once(at.resolver.evaluator, at.scope, key, lambda: before(end - _TOGETHER, end))

    def before(first: int, end: int) -> bool:
        return until(first) and through(first, end)

    return until(whole) and through(whole, count)


def comes_out(at: Place, node: ast.expr, way: bool, depth: int) -> bool:
    """Whether some run has a condition come out so."""
    known = reached.truth_there(at, at.scope, node, at.order)
    if known is not None:
        return known == way
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return comes_out(at, node.operand, not way, depth)
    if isinstance(node, ast.BoolOp):
        ways = (comes_out(at, value, way, depth) for value in node.values)
        return all(ways) if isinstance(node.op, ast.And) == way else any(ways)
    if isinstance(node, ast.Call) and library(at, node.func) is None:
        function = called(at, node.func)
        if function is not None:
            return depth < _DEEPEST and free.is_free(at, node) and _gives(at, *function, way, depth + 1)
    return free.is_main(at, node) if way and not free.is_free(at, node) else free.is_free(at, node)


def _gives(at: Place, module: Module, function: FunctionNode, way: bool, depth: int) -> bool:
    """Whether a function that is called gives what is so, as far as it ends in one way."""
    last = function.body[-1]
    returns = [node for node in descend(function) if isinstance(node, ast.Return)]
    if not isinstance(last, ast.Return) or returns != [last] or last.value is None:
        return False
    inside = place(at.resolver, module, last.value)
    return inside is not None and comes_out(inside, last.value, way, depth)


def _comes_in(at: Place, outer: ast.stmt, inner: ast.stmt, depth: int) -> bool:
    """Whether what is around a statement comes to it."""
    at = replace(at, order=at.scope.table.orders.get(id(outer)))
    if isinstance(outer, ast.If):
        return comes_out(at, outer.test, inner in outer.body, depth)
    if isinstance(outer, ast.While):
        return inner not in outer.body or comes_out(at, outer.test, True, depth)
    if isinstance(outer, (ast.For, ast.AsyncFor)):
        return inner not in outer.body or _has_turns(at, outer.iter)
    if isinstance(outer, ast.Try):
        if any(inner in handler.body for handler in outer.handlers):
            return guards.fails(at.resolver, at.scope, outer, at.scope.table.ends.get(outer)) is True
        if inner in outer.body:
            return guards.fails(at.resolver, at.scope, outer, at.scope.table.ends.get(outer)) is not True
        return inner in outer.finalbody or all(_goes_on(at, one, depth) for one in outer.body)
    if isinstance(outer, ast.Match):
        case = next((case for case in outer.cases if inner in case.body), None)
        return case is None or _matches(at, outer, case, depth)
    return True


def _matches(at: Place, node: ast.Match, case: ast.match_case, depth: int) -> bool:
    if case.guard is not None and not comes_out(at, case.guard, True, depth):
        return False
    first = case is node.cases[0] and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
    return first or free.is_free(at, node.subject)


def _has_turns(at: Place, node: ast.expr) -> bool:
    """Whether there may be something to go through."""
    found = at.resolver.evaluator.evaluate(node, at.scope, at.order)
    if isinstance(found, Items):
        return bool(found.values)
    if isinstance(found, Dict):
        return bool(found.pairs)
    if isinstance(node, (ast.Tuple, ast.List)):
        return bool(node.elts)
    if isinstance(node, ast.Call) and last_name(node.func) in ("range", "enumerate", "tqdm") and node.args:
        bound = node.args[1 if last_name(node.func) == "range" and len(node.args) > 1 else 0]
        if last_name(node.func) != "range":
            return _has_turns(at, bound)
        if reached.truth_there(at, at.scope, bound, at.order):
            return True
    return free.is_free(at, node)


def _goes_on(at: Place, node: ast.stmt, depth: int) -> bool:
    """Whether some run comes to what stands behind a statement."""

    def through(body: Sequence[ast.stmt]) -> bool:
        return all(_goes_on(at, statement, depth) for statement in body)

    at = replace(at, order=at.scope.table.orders.get(id(node)))
    if isinstance(node, reached.LEAVES):
        return False
    if isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
        return not _ends(at, node.value, depth)
    if isinstance(node, ast.Assert):
        return comes_out(at, node.test, True, depth)
    if isinstance(node, ast.If):
        sides = through(node.body), through(node.orelse)
        return all(sides) or any(sides) and comes_out(at, node.test, sides[0], depth)
    if isinstance(node, ast.While):
        if any(isinstance(inner, ast.Break) for inner in descend(node)):
            return True
        return comes_out(at, node.test, False, depth) if _leaves(node.body) else not _is_true(at, node.test)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        if through(node.body) or any(isinstance(n, (ast.Break, ast.Continue)) for n in descend(node)):
            return True
        return not isinstance(node.iter, (ast.Tuple, ast.List)) and free.is_free(at, node.iter)
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return through(node.body)
    if isinstance(node, ast.Try):
        if not through(node.finalbody):
            return False
        if through([*node.body, *node.orelse]):
            return True
        fails = guards.fails(at.resolver, at.scope, node, at.scope.table.ends.get(node))
        return fails is True and any(through(handler.body) for handler in node.handlers)
    if isinstance(node, ast.Match):
        goes = [through(case.body) for case in node.cases]
        ends = any(isinstance(c.pattern, ast.MatchAs) and not c.pattern.pattern and not c.guard for c in node.cases)
        return all(goes) or (any(goes) or not ends) and free.is_free(at, node.subject)
    return True


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(statement, (ast.Return, ast.Raise)) for statement in body)


def _is_true(at: Place, node: ast.expr) -> bool:
    return reached.truth_there(at, at.scope, node, at.order) is True


def _ends(at: Place, call: ast.Call, depth: int) -> bool:
    """Whether a call gives nothing back to whoever makes it."""
    if not isinstance(call.func, (ast.Name, ast.Attribute)):
        return False
    found = meaning(at.resolver, at.scope, call.func)
    if isinstance(found, External) and found.path in reached.ENDS:
        return True
    if not isinstance(found, Bound) or found.event.how != "define":
        return False
    own = found.event.node
    if not isinstance(own, ast.FunctionDef) or own.decorator_list:
        return False
    if any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) for n in descend(own)):
        return False
    if depth >= _DEEPEST:
        return any(isinstance(n, (ast.Call, ast.Raise, ast.Assert, ast.Continue)) for n in descend(own))
    inside = Place(at.resolver, (own,), at.resolver.inner(found.scope, own), None)

    def ends() -> bool:
        return not all(_goes_on(inside, statement, depth + 1) for statement in own.body)

    return found_once(at.resolver.evaluator, found.scope, ("ends", id(own), depth), ends)


def _computed(at: Place, node: ast.AST, part: ast.AST, depth: int) -> bool:
    """Whether some run computes a part of an expression."""
    if isinstance(node, ast.IfExp) and part is not node.test:
        return comes_out(at, node.test, part is node.body, depth)
    if isinstance(node, ast.BoolOp) and isinstance(part, ast.expr):
        before = node.values[: node.values.index(part)]
        return all(comes_out(at, value, isinstance(node.op, ast.And), depth) for value in before)
    if isinstance(node, COMPREHENSIONS):
        first = node.generators[0]
        return part is first or _has_turns(at, first.iter)
    return True


def _is_called(at: Place, node: ast.stmt, depth: int) -> bool:
    """Whether what stands on a function lets it be called."""
    decorators = node.decorator_list if isinstance(node, FUNCTIONS) else ()
    return all(_lets(at, decorator, depth) for decorator in decorators)


def _lets(at: Place, decorator: ast.expr, depth: int) -> bool:
    call = decorator if isinstance(decorator, ast.Call) else None
    function = call.func if call is not None else decorator
    way = _ASKS.get(last_name(function) or "")
    if way is not None:
        return call is not None and bool(call.args) and comes_out(at, call.args[0], way, depth)
    if (path := library(at, function)) is not None:
        return path.partition(".")[0] in _CALLS
    found = meaning(at.resolver, at.scope, function)
    if isinstance(found, External):
        return found.path.partition(".")[0] in _CALLS
    if not isinstance(found, Bound) or depth >= _DEEPEST:
        return found is not None and not isinstance(found, Bound)
    own = found.event.node
    if not isinstance(own, FUNCTIONS):
        # An attribute of something that the file makes (`@app.command()`), or a class.
        return found.event.how in ("assign", "class")
    return _calls(at, found.scope.module, own, call is not None, depth)


def _calls(at: Place, module: Module, own: FunctionNode, makes: bool, depth: int) -> bool:
    """Whether a decorator of the user's comes to what it is put on. ``makes``: it is called for the decorator."""
    takers = [n for n in descend(own) if isinstance(n, FUNCTIONS) and n is not own] if makes else [own]
    for taker in takers:
        names = parameters.positional(taker.args)
        for node in descend(taker) if names else ():
            if isinstance(node, ast.Name) and node.id == names[0] and isinstance(node.ctx, ast.Load):
                inside = place(at.resolver, module, node)
                if inside is not None and _inside_shown(inside, own, depth + 1):
                    return True
    return False


def _inside_shown(at: Place, own: FunctionNode, depth: int) -> bool:
    """The same as ``shown``, whatever calls the functions inside of a decorator."""
    path = at.path[at.path.index(own) :] if own in at.path else at.path
    stands = not any(isinstance(one, ast.FunctionDef) and at.node in one.decorator_list for one in path)
    return stands and _shown(replace(at, path=path), depth, called=True)


def _only_where_not_shown(at: Place, depth: int) -> bool:
    """Whether nothing shows of any use of the function around that it is come to; what nothing uses is for others."""
    around = [function for function in at.functions if function is not at.path[-1]]
    if not around:
        return False
    function = around[-1]
    module = at.scope.module

    def nowhere() -> bool:
        uses = [one for one in occurrences(module, function.name) if function not in one.around]
        return bool(uses) and not (depth < _DEEPEST and any(_is_shown(at, one, module, depth) for one in uses))

    return found_once(at.resolver.evaluator, at.resolver.scope(module), ("used", id(function), depth), nowhere)


def _is_shown(at: Place, use: Occurrence, module: Module, depth: int) -> bool:
    node = use.chain[0]
    there = place(at.resolver, module, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    return there is None or _shown(there, depth + 1)
