"""Evaluates ``constexpr_function`` bodies from their syntax trees, so that no user code is ever run.

Knows the part of Python that computes with numbers, strings and tuples; anything else is refused with a reason. What
it may reach is ``gate``'s to say, as in a kernel's body. Bounded in steps and sizes.
"""

# pyright: basic
from __future__ import annotations

import ast
import builtins
import operator
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.front.kept_lists import KeptLists
from kernel_analysis.lowering.gate import gate, known_aggregates
from kernel_analysis.lowering.gate.evaluation import EVALUATING, evaluated, methods
from kernel_analysis.lowering.gate.harmless import NotEvaluable, items, joined, refuse_huge, text
from kernel_analysis.source.arithmetic import BINARY, COMPARE, UNARY
from kernel_analysis.source.slice import SliceFunction

_STEPS = 200_000
_CALL = 1000

_ABSENT = object()
_IN_PLACE = {
    ast.Add: operator.iadd,
    ast.Mult: operator.imul,
    ast.BitOr: operator.ior,
    ast.BitAnd: operator.iand,
    ast.BitXor: operator.ixor,
    ast.Sub: operator.isub,
}
_COMPILERS = frozenset({"_semantic", "_generator"})


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class ConstexprCall(gate.Ours, compat.ConstexprFunction):
    """A user's ``@triton.constexpr_function`` as the front end calls it: interpreted, never executed."""

    def __init__(self, function: SliceFunction, scope: dict[str, Any], lists: KeptLists) -> None:
        self.function, self.scope, self.lists = function, scope, lists
        self.__name__, self.__qualname__, self.__module__ = function.name, function.qualname, function.module

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
        result = evaluator.call(self, tuple(map(_plain, args)), {k: _plain(v) for k, v in kwargs.items()})
        return result if _semantic is None else compat.tl.constexpr(result)


_running: list[_Evaluator] = []
"""Those that are at work: what one makes of an aggregate calls ``__init__``, and that counts as its own."""


def value_of(expression: ast.expr, scope: dict[str, Any]) -> Any:
    """What an expression gives in that scope; raises what keeps it from giving anything."""
    return evaluated(_Evaluator(scope).expression, expression, {})


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, compat.tl.constexpr) else value


class _Evaluator:
    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.steps = 0
        self.unwrapped: set[str] = set()
        """Parameters of a constexpr function: Triton hands it what is in a constexpr."""

    def call(self, target: ConstexprCall, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Bind and interpret one call of a constexpr function."""
        node, arguments = target.function.node, target.function.node.args
        names = [a.arg for a in arguments.posonlyargs + arguments.args]
        if not _COMPILERS.isdisjoint(names):
            raise NotEvaluable(f"`{node.name}` asks for Triton's compiler itself, which is out of a kernel's reach")
        if len(args) > len(names) and not arguments.vararg:
            raise TypeError(f"{node.name}() takes {len(names)} positional arguments but {len(args)} were given")
        inner = _Evaluator(target.scope)
        if target.function.kind == "constexpr_function":
            stored = {n.id for n in target.function.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            inner.unwrapped = {*names} - stored
        inner.steps = self.steps
        local: dict[str, Any] = {}
        for name, default in zip(reversed(names), reversed(arguments.defaults), strict=False):
            local[name] = inner.expression(default, {})
        for keyword, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                local[keyword.arg] = inner.expression(default, {})
        defaults = KeptLists()
        for value in local.values():
            defaults.keep(value)
        local.update(zip(names, args, strict=False))
        if arguments.vararg:
            local[arguments.vararg.arg] = args[len(names) :]
        local.update(kwargs)
        for name in names + [k.arg for k in arguments.kwonlyargs]:
            if name not in local:
                raise TypeError(f"{node.name}() missing the argument '{name}'")
        _running.append(inner)
        result = None
        try:
            inner.block(node.body, local)
        except _Return as returned:
            result = returned.value
        finally:
            _running.pop()
            self.steps = inner.steps
            changed = defaults.put_back(), target.lists.put_back()
        if any(changed):
            what = "a default of its own" if changed[0] else "a list that it did not make"
            raise NotEvaluable(f"`{node.name}` changes {what}, which is not evaluated")
        return result

    def block(self, body: list[ast.stmt], local: dict[str, Any]) -> None:
        for statement in body:
            self._step()
            self._statement(statement, local)

    def _statement(self, node: ast.stmt, local: dict[str, Any]) -> None:
        match node:
            case ast.Return():
                raise _Return(None if node.value is None else self.expression(node.value, local))
            case ast.Assign(targets=[ast.Attribute() as target], value=ast.Name(id=name)) if name in self.unwrapped:
                self._set_field(target, self._name(name, local), local, wrap=False)
            case ast.Assign(targets=[ast.Attribute() as target], value=ast.Call(args=[inner], keywords=[]) as made) if (
                self.expression(made.func, local) is compat.tl.constexpr
            ):
                # An object, too, is then one in a constexpr.
                self._set_field(target, compat.tl.constexpr(self.expression(inner, local)), local, wrap=False)
            case ast.Assign():
                value = self.expression(node.value, local)
                for target in node.targets:
                    self._assign(target, value, local)
            case ast.AnnAssign():
                if node.value is not None:
                    self._assign(node.target, self.expression(node.value, local), local)
            case ast.AugAssign(target=ast.Name(id=name)):
                local[name] = self._in_place(node.op, self._name(name, local), self.expression(node.value, local))
            case ast.AugAssign(target=ast.Subscript() as target):
                holder, key = self._container(target, local), self.expression(target.slice, local)
                holder[key] = self._in_place(node.op, _plain(holder[key]), self.expression(node.value, local))
            case ast.If():
                self.block(node.body if self.expression(node.test, local) else node.orelse, local)
            case ast.For() | ast.While():
                self._loop(node, local)
            case ast.Expr():
                self.expression(node.value, local)
            case ast.Pass():
                pass
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case ast.Assert():
                if not self.expression(node.test, local):
                    message = "" if node.msg is None else self.expression(node.msg, local)
                    raise AssertionError(message)
            case ast.Raise():
                raise ValueError("" if node.exc is None else ast.unparse(node.exc))
            case _:
                raise NotEvaluable(f"`{ast.unparse(node).splitlines()[0]}` in a constexpr function is not evaluated")

    def _loop(self, node: ast.For | ast.While, local: dict[str, Any]) -> None:
        turns = iter(items(self.expression(node.iter, local))) if isinstance(node, ast.For) else None
        while True:
            self._step()
            if turns is not None and isinstance(node, ast.For):
                item = next(turns, _ABSENT)
                if item is _ABSENT:
                    break
                self._assign(node.target, item, local)
            elif isinstance(node, ast.While) and not self.expression(node.test, local):
                break
            try:
                self.block(node.body, local)
            except _Break:
                return
            except _Continue:
                continue
        self.block(node.orelse, local)

    def _assign(self, target: ast.expr, value: Any, local: dict[str, Any]) -> None:
        match target:
            case ast.Name(id=name):
                local[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if any(isinstance(inner, ast.Starred) for inner in targets):
                    raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")
                for inner, item in zip(targets, items(value), strict=True):
                    self._assign(inner, item, local)
            case ast.Subscript():
                self._container(target, local)[self.expression(target.slice, local)] = value
            case ast.Attribute():
                self._set_field(target, value, local)
            case _:
                raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")

    def _container(self, target: ast.Subscript, local: dict[str, Any]) -> Any:
        """What an item is assigned in."""
        holder = self.expression(target.value, local)
        if not isinstance(holder, list | dict) or isinstance(target.slice, ast.Slice):
            raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")
        return holder

    def _set_field(self, target: ast.Attribute, value: Any, local: dict[str, Any], wrap: bool = True) -> None:
        """``wrap``: whether a plain value may have been a constexpr, which is not told apart here."""
        if not known_aggregates.set_field(self.expression(target.value, local), target.attr, value, wrap):
            raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")

    def expression(self, node: ast.expr, local: dict[str, Any]) -> Any:
        """The value of an expression; raises what Python would, or NotEvaluable."""
        self._step()
        match node:
            case ast.Constant():
                return node.value
            case ast.Name(id=name):
                return self._name(name, local)
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
                    if not COMPARE[type(op)](left, right):
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
                return set(self._items(node.elts, local))
            case ast.Dict():
                if any(key is None for key in node.keys):
                    raise NotEvaluable("`**` in a dict is not evaluated")
                return {
                    self.expression(k, local): self.expression(v, local)
                    for k, v in zip(node.keys, node.values, strict=True)
                    if k
                }
            case ast.Subscript():
                return _plain(gate.passes(self.expression(node.value, local)[self.expression(node.slice, local)]))
            case ast.Slice():
                return slice(
                    *(
                        None if part is None else self.expression(part, local)
                        for part in (node.lower, node.upper, node.step)
                    )
                )
            case ast.JoinedStr():
                return joined(text(self.expression(part, local)) for part in node.values)
            case ast.FormattedValue(conversion=-1, format_spec=None):
                return text(self.expression(node.value, local))
            case ast.ListComp() | ast.GeneratorExp():
                out: list[Any] = []
                self._comprehend(node.generators, node.elt, dict(local), out)
                return out
            case ast.SetComp():
                out = []
                self._comprehend(node.generators, node.elt, dict(local), out)
                return set(out)
            case ast.DictComp():
                out = []
                pair = ast.Tuple([node.key, node.value], ast.Load())
                self._comprehend(node.generators, pair, dict(local), out)
                return dict(out)
            case ast.Call():
                return self._call(node, local)
        raise NotEvaluable(f"`{ast.unparse(node)}` is not evaluated")

    def _items(self, nodes: list[ast.expr], local: dict[str, Any]) -> list[Any]:
        out: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                out += items(self.expression(node.value, local))
            else:
                out.append(self.expression(node, local))
        return items(out)

    def _comprehend(
        self, generators: list[ast.comprehension], element: ast.expr, local: dict[str, Any], out: list[Any]
    ) -> None:
        if not generators:
            out.append(self.expression(element, local))
            return
        first, *rest = generators
        for item in items(self.expression(first.iter, local)):
            self._step()
            self._assign(first.target, item, local)
            if all(self.expression(test, local) for test in first.ifs):
                self._comprehend(rest, element, local, out)

    def _name(self, name: str, local: dict[str, Any]) -> Any:
        if name in local:
            return _plain(local[name])
        for scope in (self.scope, gate.BUILTINS):
            if name in scope:
                return self._passed(name, scope[name])
        if hasattr(builtins, name):
            raise NotEvaluable(f"`{name}` is not evaluated")
        raise NameError(f"{name} is not defined")

    def _was_field(self, node: ast.expr, value: Any, local: dict[str, Any]) -> bool:
        """Whether the value is what a constexpr field of an aggregate holds, which Triton hands on as a constexpr and
        we do not."""
        if not isinstance(node, ast.Attribute) or isinstance(value, compat.tl.core.base_value):
            return False
        return known_aggregates.declares(self.expression(node.value, local), node.attr)

    def _attribute(self, node: ast.Attribute, value: Any) -> Any:
        try:
            return _plain(gate.attribute(value, node.attr, changes=True))
        except gate.OutOfReach as refused:
            raise refused.about(ast.unparse(node)) from None

    @staticmethod
    def _passed(spelled: str, value: Any) -> Any:
        try:
            return _plain(gate.passes(value))
        except gate.OutOfReach as refused:
            raise refused.about(spelled) from None

    def _binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        refuse_huge(op, left, right)
        return BINARY[type(op)](left, right)

    def _in_place(self, op: ast.operator, left: Any, right: Any) -> Any:
        """A container is changed, by whatever other names it has."""
        if not isinstance(left, list | dict | set):
            return self._binary(op, left, right)
        refuse_huge(op, left, right)
        return _IN_PLACE.get(type(op), BINARY[type(op)])(
            left, items(right) if isinstance(left, list) and isinstance(op, ast.Add) else right
        )

    def _call(self, node: ast.Call, local: dict[str, Any]) -> Any:
        function = self.expression(node.func, local)
        args = self._items(node.args, local)
        if any(k.arg is None for k in node.keywords):
            raise NotEvaluable(f"`**` in `{ast.unparse(node)}` is not evaluated")
        kwargs = {k.arg: self.expression(k.value, local) for k in node.keywords if k.arg}
        if isinstance(function, compat.BOUND_METHODS) and isinstance(function.__func__, ConstexprCall):
            function, args = function.__func__, [gate.passes(function).__self__, *args]
        if isinstance(function, ConstexprCall):
            return self.call(function, tuple(args), kwargs)
        if not callable(function):
            raise NotEvaluable(f"`{ast.unparse(node.func)}` is not evaluated")
        return self._passed(ast.unparse(node), gate.called(gate.passes(function))(*args, **kwargs))

    def _step(self) -> None:
        self.steps += 1
        if self.steps > _STEPS:
            raise NotEvaluable("it takes too many steps")


EVALUATING.extend(methods(_Evaluator))
