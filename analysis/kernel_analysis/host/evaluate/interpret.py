"""Follows a call of a small function of the user's by its syntax: assignments, decidable branches, bounded loops,
``return``.

A step-counted interpreter over ``values``; what it does not know makes the result ``Unknown``. It runs no code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.containers import changes
from kernel_analysis.host.changes.uses import CHANGES, READS
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.expressions.comprehension import bind
from kernel_analysis.host.evaluate.followable import why_not
from kernel_analysis.host.evaluate.properties import changeable, truth
from kernel_analysis.host.evaluate.values import (
    Dict,
    Items,
    Object,
    Scope,
    Tensor,
    Unknown,
    UserFunction,
    Value,
    used_up,
)
from kernel_analysis.host.evaluate.wording import describe
from kernel_analysis.host.names import guards
from kernel_analysis.source.slice import TorchDtype
from kernel_analysis.source.tree import scopes
from kernel_analysis.source.tree.forms import augmented
from kernel_analysis.source.tree.scopes import FunctionNode
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


class Stop(Exception):
    """Ends the call: with its value, or because it can't be followed."""

    def __init__(self, value: Value) -> None:
        self.value = value


class _Leaves(Exception):
    """A ``break``, or a ``continue``: it ends the turn of the innermost loop."""

    def __init__(self, ends: bool) -> None:
        self.ends = ends


def run(evaluator: EvaluatorView, function: UserFunction, args: list[Value], keywords: dict[str, Value]) -> Value:
    """What the call returns."""
    return _followed(evaluator, function, args, keywords)[0]


def left(evaluator: EvaluatorView, method: UserFunction, args: list[Value], keywords: dict[str, Value]) -> Value:
    """What the first argument of a method is when it has been called: ``self`` after ``__init__``."""
    result, local = _followed(evaluator, method, args, keywords)
    if isinstance(result, Unknown) or local is None or local.locals is None:
        return result if isinstance(result, Unknown) else Unknown("It is not a function that can be followed.")
    name = method.node.args.args[0].arg
    evaluator.resolver.touches.local(local, name, local.locals[name])
    return local.locals[name]


def _followed(
    evaluator: EvaluatorView, function: UserFunction, args: list[Value], keywords: dict[str, Value]
) -> tuple[Value, Scope | None]:
    """What the call returns, and what its names stand for by then."""
    node = function.node
    if isinstance(node, ast.AsyncFunctionDef) or not function.scope.module.is_whole(node):
        return Unknown("It is not a function that can be followed."), None
    evaluator.spend(5)
    if function.remembered and _reads_names(evaluator, function):
        evaluator.resolver.note("what it gives is remembered from its first call, and may be older")
    remembers(evaluator, function, args, keywords)
    evaluator.resolver.touches.called(function)
    local = Scope(function.scope.module, node, function.scope, {})
    problem = passed(evaluator, function, local, args, keywords)
    if problem is not None:
        return problem, None
    if isinstance(node, ast.Lambda):
        return evaluator.value(node.body, local, None), local
    reasons = function.scope.module.unfollowed
    if id(node) not in reasons:
        reasons[id(node)] = why_not(node)
    if (kind := reasons[id(node)]) is not None:
        return Unknown(f"`{node.name}` {kind}, and is not followed."), None
    # A depth step for the frames below; ``value`` checks the limit.
    evaluator.depth += 4
    try:
        block(evaluator, node.body, local)
    except Stop as stop:
        if function.remembered and (changeable(stop.value) or used_up(stop.value)):
            evaluator.resolver.note(f"what `{node.name}` returns is remembered, and may be changed")
        return stop.value, local
    finally:
        evaluator.depth = max(evaluator.depth - 4, 0)
    return None, local


def remembers(
    evaluator: EvaluatorView, function: UserFunction, args: Sequence[Value], keywords: Mapping[str, Value]
) -> None:
    """Notes where a function that remembers what it gives may take these arguments for others that equal them: ``1``
    for ``True``, ``1.0`` or a member of an Enum. One argument alone that is an integer or a text it takes for no
    other."""
    alone = len(args) == 1 and not keywords
    if not function.remembered or alone and (type(args[0]) in (int, str) or _is_surely(args[0], "int", "str")):
        return
    apart = (
        value is None or isinstance(value, (TorchDtype, Tensor)) or _is_surely(value, "none", "dtype", "tensor")
        for value in (*args, *keywords.values())
    )
    if not all(apart):
        evaluator.resolver.note("what it gives is remembered, and may be of other arguments that equal these")


def _is_surely(value: Value, *kinds: str) -> bool:
    return isinstance(value, HostArgument) and value.sure and value.kind in kinds


def _reads_names(evaluator: EvaluatorView, function: UserFunction) -> bool:
    """Whether a function reads names of its file that may stand for one thing now and for another later, or for
    something that may have been another when it was called first."""
    table = function.scope.module.table
    read = {n.id: n for n in descend(function.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for name in read.keys() & table.events.keys():
        events = table.events[name]
        if len(events) > 1 or any(event.how in ("define", "class") for event in events):
            return True
        with evaluator.resolver.aside(set()):
            if changeable(evaluator.evaluate(read[name], function.scope)):
                return True
    return bool(table.stars)


def defaults(
    evaluator: EvaluatorView, scope: Scope, node: FunctionNode | ast.Lambda, before: int | None
) -> Iterator[tuple[str, Value]]:
    """What the parameters of a function that is made there have where nothing is passed."""
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    for argument, default in zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=False):
        yield argument.arg, evaluator.evaluate(default, scope, before)
    for argument, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=False):
        if default is not None:
            yield argument.arg, evaluator.evaluate(default, scope, before)


def passed(
    evaluator: EvaluatorView, function: UserFunction, local: Scope, args: list[Value], keywords: dict[str, Value]
) -> Unknown | None:
    """Binds the parameters of a function in the scope of a call; why the arguments do not fit."""
    assert local.locals is not None
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    bound = dict(zip((a.arg for a in positional), args, strict=False))
    names = {a.arg for a in (*spec.args, *spec.kwonlyargs)}
    rest = {k: v for k, v in keywords.items() if k not in names}
    if len(args) > len(positional) and spec.vararg is None or rest and spec.kwarg is None:
        return Unknown("The arguments do not fit.")
    if bound.keys() & (keywords.keys() - rest.keys()):
        return Unknown("The arguments do not fit.")
    bound.update({k: v for k, v in keywords.items() if k in names})
    given = function.given
    if given is None:
        given = dict(defaults(evaluator, function.scope, function.node, function.before))
    for name, value in given.items():
        if name not in bound and changeable(value):
            evaluator.resolver.touches.default(function, name)
    local.locals.update({**given, **bound})
    if spec.vararg is not None:
        local.locals[spec.vararg.arg] = Items("tuple", tuple(args[len(positional) :]))
    if spec.kwarg is not None:
        local.locals[spec.kwarg.arg] = Dict(tuple(rest.items()))
    missing = [a.arg for a in (*positional, *spec.kwonlyargs) if a.arg not in local.locals]
    return Unknown(f"The argument `{missing[0]}` is missing.") if missing else None


def _assign(evaluator: EvaluatorView, target: ast.expr, value: Value, local: Scope) -> None:
    if isinstance(target, ast.Subscript):
        index = evaluator.value(target.slice, local, None)
        _changed(evaluator, target.value, local, lambda owner: changes.stored(owner, index, value))
    elif isinstance(target, ast.Attribute) and _has_object(local, target):
        _changed(evaluator, target.value, local, lambda owner: evaluator.with_attribute(owner, target.attr, value))
    else:
        _bind(evaluator, local, target, value)


def _bind(evaluator: EvaluatorView, local: Scope, target: ast.expr, value: Value) -> None:
    evaluator.doubts += not bind(local, target, value)


def block(evaluator: EvaluatorView, body: list[ast.stmt], local: Scope) -> None:
    """Carries out one statement after the other; raises ``Stop``."""
    for node in body:
        evaluator.spend(1)
        statement(evaluator, node, local)


def statement(evaluator: EvaluatorView, node: ast.stmt, local: Scope) -> None:
    assert local.locals is not None
    if isinstance(node, ast.Return):
        raise Stop(evaluator.value(node.value, local, None) if node.value else None)
    if isinstance(node, ast.Assign):
        value = evaluator.value(node.value, local, None)
        for target in node.targets:
            _assign(evaluator, target, value, local)
    elif isinstance(node, ast.AnnAssign):
        if node.value is not None:
            _assign(evaluator, node.target, evaluator.value(node.value, local, None), local)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        both = augmented(node, ast.Name(node.target.id, ast.Load()))
        _bind(evaluator, local, node.target, evaluator.value(both, local, None))
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        both = augmented(node, ast.Subscript(node.target.value, node.target.slice, ast.Load()))
        _assign(evaluator, node.target, evaluator.value(both, local, None), local)
    elif isinstance(node, ast.Delete) and all(isinstance(t, ast.Subscript) for t in node.targets):
        for target in node.targets:
            assert isinstance(target, ast.Subscript)
            index = evaluator.value(target.slice, local, None)
            _changed(evaluator, target.value, local, lambda owner, index=index: changes.deleted(owner, index))
    elif isinstance(node, ast.If):
        known = truth(evaluator.value(node.test, local, None))
        if known is not None:
            block(evaluator, node.body if known else node.orelse, local)
        elif _leaves(node.body + node.orelse, ast.Break, ast.Continue) or not evaluator.undecided(node, local):
            raise Stop(Unknown(f"It depends on `{describe(node.test)}`, which can't be known without running it."))
        else:
            evaluator.doubts += 1
    elif isinstance(node, ast.For):
        _loop(evaluator, node, local)
    elif isinstance(node, ast.While):
        _turns(evaluator, node, local)
    elif isinstance(node, (ast.Break, ast.Continue)):
        raise _Leaves(isinstance(node, ast.Break))
    elif isinstance(node, ast.Expr):
        _effect(evaluator, node.value, local)
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        evaluator.doubts += not guards.comes_to_an_end(evaluator.resolver, local, node)
        local.locals[node.name] = (
            evaluator.decorated(local, node, None)
            if isinstance(node, ast.FunctionDef)
            else evaluator.class_value(local, node, None)
        )
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        inner = scopes.Table()
        scopes.scan_into(inner, [node])
        evaluator.doubts += not guards.comes_to_an_end(evaluator.resolver, local, node)
        for name, events in inner.events.items():
            local.locals[name] = evaluator.resolver.imported(local, events[-1]).value
    elif isinstance(node, ast.Try):
        doubts = evaluator.doubts
        failed = guards.fails(evaluator.resolver, local, node, None)
        evaluator.doubts = doubts
        try:
            _tried(evaluator, node, local, failed)
        except (Stop, _Leaves) as left:
            # What `finally` returns is returned.
            if node.finalbody and isinstance(left, Stop) and (changeable(left.value) or used_up(left.value)):
                evaluator.resolver.note("what is returned may be changed by a `finally`")
            block(evaluator, node.finalbody, local)
            raise
        block(evaluator, node.finalbody, local)
    elif isinstance(node, ast.Assert):
        with evaluator.resolver.aside(notes := set[str]()):
            held = truth(evaluator.value(node.test, local, None))
        evaluator.doubts += held is not True or bool(notes)
    elif not isinstance(node, (ast.Pass, ast.Global, ast.Nonlocal)):
        raise Stop(Unknown(f"It has a `{type(node).__name__.lower()}` statement ({local.module.at(node.lineno)})."))


def _tried(evaluator: EvaluatorView, node: ast.Try, local: Scope, failed: bool | None) -> None:
    """The body of a ``try`` with its ``else``, or the first handler where it fails. Unless it is shown that nothing is
    raised in it, nobody says here how far the body comes, nor which handler takes that."""
    doubts = evaluator.doubts
    evaluator.doubting += 1
    try:
        block(evaluator, node.handlers[0].body if failed and node.handlers else node.body, local)
    finally:
        evaluator.doubting -= 1
        if node.handlers and (failed or evaluator.doubts > doubts):
            evaluator.resolver.note(f"it depends on whether the `try` on {local.module.at(node.lineno)} succeeds")
    if not failed or not node.handlers:
        block(evaluator, node.orelse, local)


def _loop(evaluator: EvaluatorView, node: ast.For, local: Scope) -> None:
    source = evaluator.value(node.iter, local, None)
    if isinstance(source, Dict):
        source = Items("list", tuple(k for k, _ in source.pairs))
    if not isinstance(source, Items):
        raise Stop(source if isinstance(source, Unknown) else Unknown(f"`{describe(node.iter)}` can't be looped over."))
    if source.kind == "iterator" and _leaves(node.body, ast.Break):
        raise Stop(Unknown("It has a loop that leaves something of an iterator."))
    for value in evaluator.each(source):
        _bind(evaluator, local, node.target, value)
        if _turn(evaluator, node, local):
            return
    block(evaluator, node.orelse, local)


def _turns(evaluator: EvaluatorView, node: ast.While, local: Scope) -> None:
    """A ``while`` whose test is known at each turn; one that does not end is too much work."""
    while (known := truth(evaluator.value(node.test, local, None))) is not False:
        if known is None:
            raise Stop(Unknown(f"It depends on `{describe(node.test)}`, which can't be known without running it."))
        if _turn(evaluator, node, local):
            return
    block(evaluator, node.orelse, local)


def _turn(evaluator: EvaluatorView, node: ast.For | ast.While, local: Scope) -> bool:
    """One turn of a loop; whether it was the last, by a ``break``."""
    try:
        block(evaluator, node.body, local)
    except _Leaves as left:
        return left.ends
    return False


def _leaves(body: list[ast.stmt], *how: type[ast.stmt]) -> bool:
    """Whether a ``break`` or a ``continue`` stands there, be it of a loop that does, too."""
    return any(isinstance(n, how) for statement in body for n in descend(statement))


def _changed(evaluator: EvaluatorView, target: ast.expr, local: Scope, change: Callable[[Value], Value]) -> None:
    """A change of what a name of the call stands for."""
    assert local.locals is not None
    if isinstance(target, ast.Attribute) and not _has_object(local, target):
        evaluator.doubts += 1
        return  # an object's, and no local's
    if not isinstance(target, ast.Name) or target.id not in local.locals:
        raise Stop(Unknown(f"It changes `{describe(target)}`."))
    owner = local.locals[target.id]
    evaluator.spend(owner.weight // 16 if isinstance(owner, (Items, Dict)) else 1)
    local.locals[target.id] = change(owner)


def _effect(evaluator: EvaluatorView, node: ast.expr, local: Scope) -> None:
    """A call for its effect: a method that changes a container of the call. What any other does to those is found by
    ``touches``."""
    function = node.func if isinstance(node, ast.Call) else None
    # Nothing but a container's own method is carried out here.
    evaluator.doubts += not isinstance(node, ast.Constant)
    if isinstance(node, ast.Call) and evaluator.effect(node, local):
        return
    if isinstance(function, ast.Attribute) and isinstance(function.value, (ast.Attribute, ast.Subscript)):
        if _has_object(local, function.value):
            raise Stop(Unknown(f"`{describe(node)}` may change what an object has."))
    if not isinstance(node, ast.Call) or not isinstance(function, ast.Attribute):
        return
    owner = function.value
    if not isinstance(owner, ast.Name) or owner.id not in (local.locals or {}):
        return
    if function.attr not in CHANGES:
        if function.attr not in READS and changeable((local.locals or {})[owner.id]):
            raise Stop(Unknown(f"`{describe(node)}` may change `{owner.id}`."))
        return
    args = [evaluator.value(a, local, None) for a in node.args]
    keywords = {k.arg: evaluator.value(k.value, local, None) for k in node.keywords if k.arg}
    if len(keywords) < len(node.keywords) or any(isinstance(a, ast.Starred) for a in node.args):
        raise Stop(Unknown(f"`{describe(node)}` changes `{owner.id}`."))
    _changed(evaluator, owner, local, lambda value: changes.method(evaluator, value, function.attr, args, keywords))
    evaluator.doubts -= 1


def _has_object(local: Scope, node: ast.Attribute | ast.Subscript) -> bool:
    """Whether it is of what an object has that a name of the call stands for."""
    owner: ast.expr = node
    while isinstance(owner, (ast.Attribute, ast.Subscript)):
        owner = owner.value
    return isinstance(owner, ast.Name) and isinstance((local.locals or {}).get(owner.id), Object)
