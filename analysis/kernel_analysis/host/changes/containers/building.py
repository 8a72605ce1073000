"""How a container came to be, from the statement that made it to the place that asks: plain changes of it are followed
one after the other.

What can't be followed leaves the value as it is by then, and gives the use that is to blame.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Use
from kernel_analysis.host.evaluate import interpret
from kernel_analysis.host.evaluate.values import (
    Definition,
    Dict,
    Items,
    Object,
    Partial,
    Scope,
    Unknown,
    UserFunction,
    Value,
)
from kernel_analysis.source.limits import TooMuch
from kernel_analysis.source.tree.forms import made_object

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import Builder

_CALLED = (UserFunction, Partial)


def built(
    by: Builder,
    scope: Scope,
    name: str,
    found: Definition,
    uses: Sequence[tuple[float, bool, Use]],
    before: int | None,
) -> tuple[Value, Use | None]:
    """The value after these uses, in order, and the first that can't be followed."""
    value = found.value
    blame: Use | None = None
    body: list[ast.stmt] = getattr(scope.node, "body", [])
    done: set[int] = set()
    for _, deferred, made in uses:
        unit = _unit(scope, body, made.occurrence.statement, before) if not deferred else None
        followed = unit is not None and plain_change(made, found.value)
        if unit is None or not followed or found.module is not scope.module or unit is found.node:
            blame = blame or made
            continue
        if id(unit) in done:
            continue
        done.add(id(unit))
        inside = {id(node) for node in ast.walk(unit)}
        last = max((order for node, order in scope.table.orders.items() if node in inside), default=0)
        if id(found.node) in inside or before is not None and last >= before or scope.locals is not None:
            blame = blame or made
            continue
        after = _after(by, scope.table.orders.get(id(unit), 0), name, value, unit)
        if after is None:
            blame = blame or made
        else:
            value = after
    return value, blame


def _unit(scope: Scope, body: list[ast.stmt], statement: ast.stmt, before: int | None) -> ast.stmt | None:
    """The statement of the body that a statement is, or is in. Of an ``if`` around the place that asks one goes the
    same way, and what stands there above has been carried out."""
    for unit in body:
        if unit is statement:
            return unit
        if not isinstance(unit, (ast.If, ast.For)) or not any(node is statement for node in ast.walk(unit)):
            continue
        for way in (unit.body, unit.orelse) if isinstance(unit, ast.If) else ():
            orders = [scope.table.orders.get(id(node)) for part in way for node in ast.walk(part)]
            if before in orders and before is not None and (inner := _unit(scope, way, statement, before)) is not None:
                return inner
        return unit
    return None


def plain_change(made: Use, value: Value) -> bool:
    """Whether the interpreter carries out this use: ``name.append(x)``, ``name[key] = x``, ``del name[key]``; of an
    object ``name.attribute = x``."""
    statement, itself = made.occurrence.statement, made.occurrence.chain[0]
    if isinstance(value, Object):
        if made.kind == "held":
            return isinstance(statement, ast.Expr) and made_object(statement.value) is itself
        one: list[ast.expr] = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
            one = [statement.target]
        return made.kind == "store" and len(one) == 1 and getattr(one[0], "value", None) is itself
    if made.first is not None:
        return False
    if made.kind == "method":
        call = statement.value if isinstance(statement, ast.Expr) else None
        return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.value is itself
    if made.kind != "store":
        return False
    targets: list[ast.expr] = []
    if isinstance(statement, (ast.Assign, ast.Delete)):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    return len(targets) == 1 and isinstance(targets[0], ast.Subscript) and targets[0].value is itself


def _after(by: Builder, order: int, name: str, value: Value, unit: ast.stmt) -> Value | None:
    """The value after one statement; None where that can't be followed."""
    evaluator, scope = by
    local = Scope(scope.module, scope.node, scope, {name: value})
    try:
        with evaluator.resolver.at(scope, order):
            interpret.statement(evaluator, unit, local)
    except (interpret.Stop, TooMuch):
        return None
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return None
    assert local.locals is not None
    after = local.locals[name]
    # A function that is made there reads what these names are when it is called.
    later = len(local.locals) > 1 and _has_functions(after)
    return None if later or isinstance(after, Unknown) else after


def _has_functions(value: Value) -> bool:
    if isinstance(value, Dict):
        return any(_has_functions(part) for pair in value.pairs for part in pair)
    return any(map(_has_functions, value.values)) if isinstance(value, (Items, Object)) else isinstance(value, _CALLED)
