"""Whether a place of host code may be reached, and whether what stands there is to succeed: what is never come to, or
is there to fail, shows nothing of what works. Evaluates conditions, and those safely."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.found_once import found_once
from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import Dict, External, Items, Scope, UserClass
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.host.tensors.placing import FUNCTIONS, SCOPES, Place, bodies, place
from kernel_analysis.source.tree.forms import COMPREHENSIONS, last_name
from kernel_analysis.source.tree.syntax import children, descend

_FAILS = frozenset({"skip", "xfail", "expectedFailure"})
"""Decorators of tests that don't run, or are known to fail."""
ENDS = frozenset({
    "builtins.exit", "builtins.quit", "os._exit", "os.abort", "pytest.exit", "pytest.fail", "pytest.skip",
    "pytest.xfail", "sys.exit",
})  # fmt: skip
"""Functions that give nothing back to whoever calls them."""
LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_TOGETHER = 64
"""Statements of which it is remembered whether one of them leaves."""


def counts(at: Place) -> bool:
    """Whether it may run, and is to succeed then."""
    return not expects_failure(at) and undecided(at) is not None


def happens(at: Place) -> bool:
    """The same, and that of whoever calls the function that it stands in, as far as that is all in sight."""
    return counts(at) and not only_where(at, lambda there: not counts(there))


def undecided(at: Place) -> bool | None:
    """Whether it may depend on a condition if it runs; None where it never does."""
    found = False
    scope, inside = at.scope, list(reversed(at.path))
    for inner, outer in pairwise([*inside, None]):
        assert inner is not None
        if isinstance(inner, SCOPES) and inner is not at.path[-1]:
            scope = scope.parent or scope
        if _left_before(at, scope, inner, outer):
            return None
        known = _entered(at, scope, inner, outer)
        if known is False:
            return None
        found |= known is None
    for node, part in around(at):
        known = _computed(at, node, part)
        if known is False:
            return None
        found |= known is None
    return found


def _entered(at: Place, scope: Scope, inner: ast.stmt, outer: ast.stmt | None) -> bool | None:
    """Whether what is around a statement comes to it; None: it depends."""
    if isinstance(outer, (ast.If, ast.While)):
        known = truth_there(at, scope, outer.test, scope.table.orders.get(id(outer)))
        return None if known is None else known == (inner in outer.body)
    if isinstance(outer, ast.For) and inner in outer.body:
        return not _is_empty(at, scope, outer.iter, scope.table.orders.get(id(outer)))
    return True


def _left_before(at: Place, scope: Scope, inner: ast.stmt, outer: ast.stmt | None) -> bool:
    """Whether a statement before this one in its body never lets anything come to it."""
    around = [scope.module.tree.body] if outer is None else bodies(outer)
    body = next((body for body in around if inner in body), [inner])
    count = body.index(inner)
    whole = count - count % _TOGETHER

    def left(first: int, end: int) -> bool:
        return any(_left(at, scope, statement) for statement in body[first:end])

    # A body with many statements is asked for each of them.
    every = range(0, whole, _TOGETHER)
    evaluator = at.resolver.evaluator
    return left(whole, count) or any(
        found_once(evaluator, scope, ("left", id(body), first), lambda first=first: left(first, first + _TOGETHER))
        for first in every
    )


def _left(at: Place, scope: Scope, node: ast.stmt) -> bool:
    """Whether what stands behind a statement is never reached."""

    def by(body: Sequence[ast.stmt]) -> bool:
        return any(_left(at, scope, statement) for statement in body)

    order = scope.table.orders.get(id(node))
    if isinstance(node, LEAVES):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if not isinstance(node.value.func, (ast.Name, ast.Attribute)):
            return False
        found = meaning(at.resolver, scope, node.value.func)
        return isinstance(found, External) and found.path in ENDS
    if isinstance(node, ast.Assert):
        return truth_there(at, scope, node.test, order) is False
    if isinstance(node, ast.If):
        sides = by(node.body), by(node.orelse)
        if not any(sides):
            return False
        known = truth_there(at, scope, node.test, order)
        return all(sides) if known is None else sides[not known]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return by(node.body)
    if isinstance(node, ast.Try):
        ways = [[*node.body, *node.orelse], *(handler.body for handler in node.handlers)]
        return by(node.finalbody) or all(map(by, ways))
    return False


def around(at: Place) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The expressions of the statement that the place is in, each with the part of it that the place is in."""
    part: ast.AST = at.path[-1]
    while part is not at.node:
        inside = next((child for child in children(part) if _has(child, at.node)), None)
        if inside is None:
            return
        yield part, inside
        part = inside


def _has(tree: ast.AST, node: ast.AST | None) -> bool:
    return any(inner is node for inner in ast.walk(tree))


def _computed(at: Place, node: ast.AST, part: ast.AST) -> bool | None:
    """Whether a part of an expression is computed where that is; None: it depends."""
    if isinstance(node, ast.IfExp) and part is not node.test:
        known = truth_there(at, at.scope, node.test, at.order)
        return None if known is None else known == (part is node.body)
    if isinstance(node, ast.BoolOp) and isinstance(part, ast.expr):
        before = [truth_there(at, at.scope, value, at.order) for value in node.values[: node.values.index(part)]]
        ends = isinstance(node.op, ast.Or)
        return False if ends in before else None if None in before else True
    if isinstance(node, COMPREHENSIONS):
        first = node.generators[0]
        if part is not first and _is_empty(at, at.scope, first.iter, at.order):
            return False
    return True


def truth_there(at: Place, scope: Scope, test: ast.expr, order: int | None) -> bool | None:
    """What a condition comes to there; None: it depends."""
    if scope is at.scope and any(isinstance(n, ast.Name) and n.id in at.hidden for n in descend(test)):
        return None
    return truth(at.resolver.evaluator.evaluate(test, scope, order))


def _is_empty(at: Place, scope: Scope, node: ast.expr, order: int | None) -> bool:
    found = at.resolver.evaluator.evaluate(node, scope, order)
    return isinstance(found, Items) and not found.values or isinstance(found, Dict) and not found.pairs


def expects_failure(at: Place, tries: bool = True) -> bool:
    """Whether it stands under ``with pytest.raises(...)`` or its like, in a ``try`` that goes on where it fails, in a
    test that is skipped or expected to fail, or in what is handed to code that expects it to. Without ``tries`` that
    there is a way to go on does not count."""
    scope = at.scope
    for inner, outer in pairwise([*reversed(at.path)]):
        if isinstance(inner, SCOPES) and inner is not at.path[-1]:
            scope = scope.parent or scope
        if (tries or not isinstance(outer, ast.Try)) and _expects_failure(at, scope, outer, inner):
            return True
    return any(isinstance(node, ast.Call) and takes_by_name(last_name(node.func)) for node, _ in around(at))


def _expects_failure(at: Place, scope: Scope, node: ast.stmt, inner: ast.stmt) -> bool:
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return inner in node.body and any(_takes_what_is_raised(at, scope, item.context_expr) for item in node.items)
    if isinstance(node, ast.Try):
        # With `finally` the end of the function, or of a turn, goes before what is raised.
        ends = any(isinstance(n, LEAVES) and not isinstance(n, ast.Raise) for n in node.finalbody)
        # A handler for imports that fail takes nothing else.
        takes = [
            h for h in node.handlers if not _of_imports(h) or isinstance(at.path[-1], (ast.Import, ast.ImportFrom))
        ]
        return inner in node.body and (ends or any(not isinstance(h.body[-1], ast.Raise) for h in takes))
    return isinstance(node, SCOPES) and any(_called(d) in _FAILS for d in node.decorator_list)


def _of_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(one, ast.Name) and one.id in ("ImportError", "ModuleNotFoundError") for one in caught)


def _takes_what_is_raised(at: Place, scope: Scope, manager: ast.expr) -> bool:
    """Whether the object of a ``with`` takes what is raised inside, as far as its code or its name shows that."""
    function = manager.func if isinstance(manager, ast.Call) else manager
    found = meaning(at.resolver, scope, function)
    name = found.path.rpartition(".")[2] if isinstance(found, External) else last_name(function)
    if takes_by_name(name):
        return True
    if isinstance(found, External) and found.path in ("contextlib.ExitStack", "contextlib.AsyncExitStack"):
        return True  # what is put on it is not followed
    if isinstance(found, Bound):
        node = found.event.node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list:
            return _catches(node)
        if isinstance(node, ast.ClassDef):
            return _swallows(UserClass(found.scope, node))
    return False


def takes_by_name(name: str | None) -> bool:
    """Whether it is named as what takes what is raised."""
    return name is not None and ("raises" in name.lower() or name == "suppress")


def _catches(generator: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a ``yield`` of it stands in a ``try`` that takes what is raised there, or in another ``with``."""
    for node in descend(generator):
        takes = isinstance(node, ast.Try) and any(not isinstance(h.body[-1], ast.Raise) for h in node.handlers)
        if takes or isinstance(node, (ast.With, ast.AsyncWith)) and any(map(_names_raises, node.items)):
            body = node.body if isinstance(node, (ast.Try, ast.With, ast.AsyncWith)) else []
            if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for statement in body for n in descend(statement)):
                return True
    return False


def _names_raises(item: ast.withitem) -> bool:
    return takes_by_name(_called(item.context_expr))


def _swallows(cls: UserClass) -> bool:
    """Whether what a class does at the end of a ``with`` may take what is raised inside."""
    ends = [n for n in cls.node.body if isinstance(n, FUNCTIONS) and n.name in ("__exit__", "__aexit__")]
    given = [n.value for end in ends for n in descend(end) if isinstance(n, ast.Return) and n.value is not None]
    return any(not isinstance(value, ast.Constant) or bool(value.value) for value in given)


def _called(node: ast.expr) -> str:
    return last_name(node.func if isinstance(node, ast.Call) else node) or ""


def only_where(at: Place, so: Callable[[Place], bool]) -> bool:
    """Whether all that names the function around, or what that stands in, is where it is ``so``; one that nothing names
    is for others to call."""
    todo, seen, found = [at.functions[-1:]], set[int](), False
    while todo:
        around = todo.pop()
        if not around:
            return False  # of the file itself
        function = around[-1]
        if id(function) in seen:
            continue
        seen.add(id(function))
        uses = [one for one in occurrences(at.scope.module, function.name) if function not in one.around]
        if not uses:
            return False
        for use in uses:
            node = use.chain[0]
            there = place(at.resolver, at.scope.module, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
            if there is None:
                return False
            named = meaning(at.resolver, there.scope, node) if isinstance(node, ast.Name) else None
            if isinstance(named, Bound) and named.event.node is not function:
                continue  # another of its name
            if so(there):
                found = True
            else:
                todo.append(there.functions[-1:])
    return found
