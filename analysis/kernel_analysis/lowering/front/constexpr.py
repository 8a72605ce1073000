"""Evaluates ``constexpr_function`` bodies from their syntax trees, so that no user code is ever run.

Knows the part of Python that computes with numbers, strings and tuples; anything else is refused with a reason. What
it may reach is ``gate``'s to say, as in a kernel's body. Bounded in steps and sizes.
"""

# pyright: basic
from __future__ import annotations

import ast
import builtins
import operator
from collections import ChainMap
from collections.abc import Iterator, MutableMapping
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.front.call_binding import bound
from kernel_analysis.lowering.front.constexpr_statements import CameBack, ConstexprStatements, plain
from kernel_analysis.lowering.front.kept_lists import KeptLists
from kernel_analysis.lowering.gate import gate, known_aggregates
from kernel_analysis.lowering.gate.evaluation import EVALUATING, evaluated, methods
from kernel_analysis.lowering.gate.harmless import (
    CONSUMING,
    PASSING,
    HarmlessFunction,
    NotEvaluable,
    gone_through,
    items,
    joined,
    passing,
    refuse_huge,
    refuse_many,
    text,
)
from kernel_analysis.lowering.gate.one_object import identical, refuse_nan
from kernel_analysis.lowering.gate.stand_ins import refuse_to_compare, refuse_unknown
from kernel_analysis.source.arithmetic import BINARY, COMPARE, UNARY
from kernel_analysis.source.slice import SliceFunction

_CALL = 1000

_IN_PLACE = {
    ast.Add: operator.iadd,
    ast.Mult: operator.imul,
    ast.BitOr: operator.ior,
    ast.BitAnd: operator.iand,
    ast.BitXor: operator.ixor,
    ast.Sub: operator.isub,
}
_OF_THE_WHOLE = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
"""What makes another thing of the whole function, wherever in it that stands."""
_AT_ONCE = frozenset({"add", "append", "get", "pop"})
"""Methods that do not go through what they are of."""
_COMPILERS = frozenset({"_semantic", "_generator"})


class ConstexprCall(gate.Ours, compat.ConstexprFunction):
    """A user's ``@triton.constexpr_function`` as the front end calls it: interpreted, never executed."""

    def __init__(self, function: SliceFunction, scope: dict[str, Any], lists: KeptLists) -> None:
        self.function, self.scope, self.lists = function, scope, lists
        self.__name__, self.__qualname__, self.__module__ = function.name, function.qualname, function.module
        self.defaults: dict[str, Any] | None = None
        """Of its parameters, once it was called: Python evaluates them once."""

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def cache_key(self) -> str:
        return f"constexpr-function-{id(self)}"

    def __call__(self, *args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        evaluator = _running[-1] if _running else _Evaluator(self.scope)
        evaluator.steps += _CALL  # the way through Triton takes its time
        result = evaluator.call(self, args, kwargs)
        if _semantic is None:
            return result
        refuse_many(result)  # Triton writes and goes through what it gets
        return compat.tl.constexpr(result)


_running: list[_Evaluator] = []
"""Those that are at work: what one makes of an aggregate calls ``__init__``, and that counts as its own."""


def value_of(expression: ast.expr, scope: dict[str, Any]) -> Any:
    """What an expression gives in that scope: a ``constexpr`` where Python has one. Raises what keeps it from giving
    anything."""
    evaluator = _Evaluator(scope)
    found = evaluated(evaluator.expression, expression, {})
    wraps = evaluator.wrapped and isinstance(expression, (ast.Name, ast.BinOp, ast.UnaryOp))
    return compat.tl.constexpr(found) if wraps else found


def _version(function: Any) -> str:
    """The name of what is ours in the place of one of Python's functions."""
    found = None if isinstance(function, ConstexprCall) else gate.called(function)
    return found.__name__ if isinstance(found, HarmlessFunction) else ""


def _taken(value: Any) -> Any:
    """What a constexpr function gets where that is passed: Triton makes new lists and tuples, all the way in."""
    refuse_many(value, ordered=False)
    return compat.tl.core._unwrap_if_constexpr(value)


def _kinds(value: Any) -> list[Any]:
    return [kind for inner in value for kind in _kinds(inner)] if isinstance(value, list | tuple) else [value]


class _Evaluator(ConstexprStatements):
    def __init__(self, scope: dict[str, Any]) -> None:
        super().__init__()
        self.scope = scope
        self.wrapped = False
        """Whether a value was taken out of a ``constexpr`` which Python would have found there."""
        self._gone_through: ast.expr | None = None

    def call(self, target: ConstexprCall, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Bind and interpret one call of a constexpr function."""
        node = target.function.node
        names = [a.arg for a in node.args.posonlyargs + node.args.args]
        if not _COMPILERS.isdisjoint(names):
            raise NotEvaluable(f"`{node.name}` asks for Triton's compiler itself, which is out of a kernel's reach")
        whole = next((inner for inner in target.function.nodes if isinstance(inner, _OF_THE_WHOLE)), None)
        if whole is not None:
            raise NotEvaluable(f"`{ast.unparse(whole)}` in a constexpr function is not evaluated")
        inner = _Evaluator(target.scope)
        if target.function.kind == "constexpr_function":
            stored = {n.id for n in target.function.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            inner.unwrapped = {*names} - stored
            args, kwargs = tuple(map(_taken, args)), {k: _taken(v) for k, v in kwargs.items()}
        inner.steps, inner.wrapped = self.steps, self.wrapped
        if target.defaults is None:
            target.defaults = inner.defaults(node.args)
            for value in target.defaults.values():
                target.lists.keep(value)
        local = bound(node, target.defaults, args, kwargs)
        _running.append(inner)
        result = None
        try:
            inner.block(node.body, local)
        except CameBack as returned:
            result = returned.value
        finally:
            _running.pop()
            self.steps, self.wrapped = inner.steps, inner.wrapped
            changed = target.lists.put_back()
        if changed:
            raise NotEvaluable(f"`{node.name}` changes a list or a dict that it did not make, which is not evaluated")
        return result

    def defaults(self, arguments: ast.arguments) -> dict[str, Any]:
        """What the parameters have where nothing is passed."""
        names = [a.arg for a in arguments.posonlyargs + arguments.args]
        given: dict[str, Any] = {}
        for name, default in zip(reversed(names), reversed(arguments.defaults), strict=False):
            given[name] = self.expression(default, {})
        for keyword, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                given[keyword.arg] = self.expression(default, {})
        return given

    def expression(self, node: ast.expr, local: MutableMapping[str, Any]) -> Any:
        """The value of an expression; raises what Python would, or NotEvaluable."""
        self.step()
        match node:
            case ast.Constant():
                return node.value
            case ast.Name(id=name):
                return self.name(name, local)
            case ast.Attribute():
                value = self.expression(node.value, local)
                if node.attr == "value" and self._was_field(node.value, value, local):
                    return value
                return self._attribute(node, value)
            case ast.BinOp():
                return self._binary(node.op, self.expression(node.left, local), self.expression(node.right, local))
            case ast.UnaryOp():
                return UNARY[type(node.op)](self.expression(node.operand, local))
            case ast.BoolOp():
                value = None
                for inner in node.values:
                    value = self.expression(inner, local)
                    if bool(value) == isinstance(node.op, ast.Or):
                        break
                return value
            case ast.Compare():
                left = self.expression(node.left, local)
                for op, comparator in zip(node.ops, node.comparators, strict=True):
                    right = self.expression(comparator, local)
                    if isinstance(op, ast.Is | ast.IsNot):
                        self.told_apart(node)
                        refuse_to_compare(left, right)
                        met = identical(left, right) == isinstance(op, ast.Is)
                    else:
                        self.pay(left, right)
                        if isinstance(right, dict | set):
                            self.told_apart(node.left if len(node.ops) == 1 else node)
                        if isinstance(right, list | tuple | dict | set):
                            refuse_nan(left, right)
                        refuse_to_compare(left, right)
                        met = COMPARE[type(op)](left, right)
                    if not met:
                        return False
                    left = right
                return True
            case ast.IfExp():
                return self.expression(node.body if self.expression(node.test, local) else node.orelse, local)
            case ast.Tuple():
                return tuple(self._items(node.elts, local))
            case ast.List():
                return self._items(node.elts, local)
            case ast.Set():
                found = self._items(node.elts, local)
                self.told_apart(node)
                return set(self.paid(found))
            case ast.Dict():
                if any(key is None for key in node.keys):
                    raise NotEvaluable("`**` in a dict is not evaluated")
                made = {
                    self.paid(self.expression(k, local)): self.expression(v, local)
                    for k, v in zip(node.keys, node.values, strict=True)
                    if k
                }
                for key in node.keys:
                    self.told_apart(key or node)
                return made
            case ast.Subscript():
                owner, index = self.expression(node.value, local), self.expression(node.slice, local)
                if isinstance(owner, dict):
                    self.told_apart(node.slice)
                self.pay(index, owner if isinstance(index, slice) else None)
                return self.taken_out(gate.passes(owner[index]))
            case ast.Slice():
                return slice(
                    *(
                        None if part is None else self.expression(part, local)
                        for part in (node.lower, node.upper, node.step)
                    )
                )
            case ast.JoinedStr():
                made = joined(text(self.expression(part, local)) for part in node.values)
                self.told_apart(node)
                return self.paid(made)
            case ast.FormattedValue(conversion=-1, format_spec=None):
                return text(self.expression(node.value, local))
            case ast.GeneratorExp() if node is not self._gone_through:
                raise NotEvaluable(f"`{ast.unparse(node)}` is gone through later, which is not evaluated")
            case ast.GeneratorExp():
                return self._comprehended(node.generators, node.elt, local)
            case ast.ListComp():
                return items(self._comprehended(node.generators, node.elt, local))
            case ast.SetComp():
                found = items(self._comprehended(node.generators, node.elt, local))
                self.told_apart(node)
                return set(self.paid(found))
            case ast.DictComp():
                pair = ast.Tuple([node.key, node.value], ast.Load())
                found = items(self._comprehended(node.generators, pair, local))
                self.told_apart(node)
                return dict(self.paid(found))
            case ast.Call():
                return self._call(node, local)
        raise NotEvaluable(f"`{ast.unparse(node)}` is not evaluated")

    def _at_once(self, node: ast.expr, local: MutableMapping[str, Any]) -> Any:
        """The value of an expression that is gone through here, and nothing else is done with it."""
        self._gone_through = node
        return self.expression(node, local)

    def through(self, node: ast.expr, local: MutableMapping[str, Any]) -> Iterator[Any]:
        """The items, one after the other: those that a container gets meanwhile, too."""
        return gone_through(self._at_once(node, local))

    def told_apart(self, node: ast.expr) -> None:
        if self.wrapped and not isinstance(node, ast.Constant):
            raise NotEvaluable(f"`{ast.unparse(node)}` tells a constexpr from its value, which is not evaluated")

    def taken_out(self, value: Any) -> Any:
        self.wrapped = self.wrapped or isinstance(value, compat.tl.constexpr)
        refuse_unknown(found := plain(value))
        return found

    def _items(self, nodes: list[ast.expr], local: MutableMapping[str, Any], through: bool = False) -> list[Any]:
        out: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                out += self.paid(items(self._at_once(node.value, local)))
            elif through:
                out.append(self._at_once(node, local))
            else:
                out.append(self.expression(node, local))
        return items(out)

    def _comprehended(
        self, generators: list[ast.comprehension], element: ast.expr, local: MutableMapping[str, Any]
    ) -> Iterator[Any]:
        """The elements, each when it is asked for; the names around are what they are then."""
        first = self.through(generators[0].iter, local)
        return self._elements(first, generators, element, ChainMap({}, local))

    def _elements(
        self,
        turns: Iterator[Any],
        generators: list[ast.comprehension],
        element: ast.expr,
        local: MutableMapping[str, Any],
    ) -> Iterator[Any]:
        first, *rest = generators
        for item in turns:
            self.step()
            self._assign(first.target, item, local)
            if not all(self.expression(test, local) for test in first.ifs):
                continue
            if rest:
                yield from self._elements(self.through(rest[0].iter, local), rest, element, local)
            else:
                yield self.expression(element, local)

    def name(self, name: str, local: MutableMapping[str, Any]) -> Any:
        if name in local:
            return self.taken_out(local[name])
        for scope in (self.scope, gate.BUILTINS):
            if name in scope:
                return self._passed(name, scope[name])
        if hasattr(builtins, name):
            raise NotEvaluable(f"`{name}` is not evaluated")
        raise NameError(f"{name} is not defined")

    def _was_field(self, node: ast.expr, value: Any, local: MutableMapping[str, Any]) -> bool:
        """Whether the value is what a constexpr field of an aggregate holds, which Triton hands on as a constexpr and
        we do not."""
        if not isinstance(node, ast.Attribute) or isinstance(value, compat.tl.core.base_value):
            return False
        return known_aggregates.declares(self.expression(node.value, local), node.attr)

    def _attribute(self, node: ast.Attribute, value: Any) -> Any:
        try:
            return self.paid(self.taken_out(gate.attribute(value, node.attr, changes=True)))
        except gate.OutOfReach as refused:
            raise refused.about(ast.unparse(node)) from None

    def _passed(self, spelled: str, value: Any) -> Any:
        try:
            return self.paid(self.taken_out(gate.passes(value)))
        except gate.OutOfReach as refused:
            raise refused.about(spelled) from None

    def _binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        if self.wrapped and isinstance(op, ast.Mod) and isinstance(left, str):
            raise NotEvaluable("`%` formatting of what may be in a constexpr is not evaluated")
        refuse_huge(op, left, right)
        self.pay(left, right)
        return BINARY[type(op)](left, right)

    def in_place(self, op: ast.operator, left: Any, right: Any) -> Any:
        """A container is changed, by whatever other names it has."""
        if not isinstance(left, list | dict | set):
            return self._binary(op, left, right)
        refuse_huge(op, left, right)
        self.pay(right)
        return _IN_PLACE.get(type(op), BINARY[type(op)])(
            left, items(right) if isinstance(left, list) and isinstance(op, ast.Add) else right
        )

    def _call(self, node: ast.Call, local: MutableMapping[str, Any]) -> Any:
        through, self._gone_through = node is self._gone_through, None
        function = self.expression(node.func, local)
        name = _version(function)
        if name in PASSING and not through:
            raise NotEvaluable(f"`{ast.unparse(node)}` is gone through later, which is not evaluated")
        args = self._items(node.args, local, through=name in CONSUMING or name in PASSING)
        self.pay(*args, None if name in _AT_ONCE else getattr(function, "__self__", None))
        if name in ("isinstance", "str", "format", "get", "set", "dict", "getattr", "hasattr"):
            self.told_apart(node)
        if name == "isinstance" and not all(isinstance(kind, type) for kind in _kinds(args[1:])):
            raise NotEvaluable(f"`{ast.unparse(node)}` is not evaluated")
        if any(k.arg is None for k in node.keywords):
            raise NotEvaluable(f"`**` in `{ast.unparse(node)}` is not evaluated")
        kwargs = {k.arg: self.expression(k.value, local) for k in node.keywords if k.arg}
        self.pay(*kwargs.values())
        if isinstance(function, compat.BOUND_METHODS) and isinstance(function.__func__, ConstexprCall):
            function, args = function.__func__, [gate.passes(function).__self__, *args]
        if isinstance(function, ConstexprCall):
            return self.call(function, tuple(args), kwargs)
        if name in PASSING:
            return passing(gate.called(function), args, kwargs)
        if not callable(function):
            raise NotEvaluable(f"`{ast.unparse(node.func)}` is not evaluated")
        return self._passed(ast.unparse(node), gate.called(gate.passes(function))(*args, **kwargs))


EVALUATING.extend(methods(_Evaluator, ConstexprStatements))
