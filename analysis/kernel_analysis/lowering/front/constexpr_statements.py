"""Interprets the statements of ``constexpr_function`` bodies; what an expression gives, subclasses say. Refuses what it
does not know."""

# pyright: basic
from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableMapping
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import known_aggregates
from kernel_analysis.lowering.gate.harmless import NotEvaluable, items
from kernel_analysis.lowering.gate.paid_work import weight

_STEPS = 200_000
_ABSENT = object()


class CameBack(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


def plain(value: Any) -> Any:
    return value.value if isinstance(value, compat.tl.constexpr) else value


class ConstexprStatements(ABC):
    def __init__(self) -> None:
        self.steps = 0
        self.unwrapped: set[str] = set()
        """Parameters of a constexpr function: Triton hands it what is in a constexpr."""

    @abstractmethod
    def expression(self, node: ast.expr, local: MutableMapping[str, Any]) -> Any:
        """The value of an expression; raises what Python would, or NotEvaluable."""

    @abstractmethod
    def name(self, name: str, local: MutableMapping[str, Any]) -> Any:
        """What a name stands for."""

    @abstractmethod
    def through(self, node: ast.expr, local: MutableMapping[str, Any]) -> Iterator[Any]:
        """The items, one after the other."""

    @abstractmethod
    def told_apart(self, node: ast.expr) -> None:
        """Refuses what tells a value from one in a ``constexpr``, once there was such a one: asked of what has been
        evaluated."""

    @abstractmethod
    def taken_out(self, value: Any) -> Any:
        """The value, without a ``constexpr`` around it."""

    @abstractmethod
    def in_place(self, op: ast.operator, left: Any, right: Any) -> Any:
        """``left op= right``."""

    def block(self, body: list[ast.stmt], local: MutableMapping[str, Any]) -> None:
        for statement in body:
            self.step()
            self._statement(statement, local)

    def _statement(self, node: ast.stmt, local: MutableMapping[str, Any]) -> None:
        match node:
            case ast.Return():
                raise CameBack(None if node.value is None else self.expression(node.value, local))
            case ast.Assign(targets=[ast.Attribute() as target], value=ast.Name(id=name)) if name in self.unwrapped:
                self._set_field(target, self.name(name, local), local, wrap=False)
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
                local[name] = self.in_place(node.op, self.name(name, local), self.expression(node.value, local))
            case ast.AugAssign(target=ast.Subscript() as target):
                holder, key = self._place(target, local)
                before = self.taken_out(holder[key])
                holder[key] = self.in_place(node.op, before, self.expression(node.value, local))
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

    def _loop(self, node: ast.For | ast.While, local: MutableMapping[str, Any]) -> None:
        turns = self.through(node.iter, local) if isinstance(node, ast.For) else None
        while True:
            self.step()
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

    def _assign(self, target: ast.expr, value: Any, local: MutableMapping[str, Any]) -> None:
        match target:
            case ast.Name(id=name):
                local[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if any(isinstance(inner, ast.Starred) for inner in targets):
                    raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")
                for inner, item in zip(targets, items(value), strict=True):
                    self._assign(inner, item, local)
            case ast.Subscript():
                holder, key = self._place(target, local)
                holder[key] = value
            case ast.Attribute():
                self._set_field(target, value, local)
            case _:
                raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")

    def _place(self, target: ast.Subscript, local: MutableMapping[str, Any]) -> tuple[Any, Any]:
        """What an item is assigned in, and under which key."""
        holder = self.expression(target.value, local)
        if not isinstance(holder, list | dict) or isinstance(target.slice, ast.Slice):
            raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")
        key = self.expression(target.slice, local)
        if isinstance(holder, dict):
            self.pay(key)
            self.told_apart(target.slice)
        return holder, key

    def _set_field(self, target: ast.Attribute, value: Any, local: MutableMapping[str, Any], wrap: bool = True) -> None:
        """``wrap``: whether a plain value may have been a constexpr, which is not told apart here."""
        if not known_aggregates.set_field(self.expression(target.value, local), target.attr, value, wrap):
            raise NotEvaluable(f"`{ast.unparse(target)} = ...` is not evaluated")

    def step(self) -> None:
        self.steps += 1
        if self.steps > _STEPS:
            raise NotEvaluable("it takes too many steps")

    def pay(self, *values: Any) -> None:
        """Before Python goes through all of them."""
        self.steps += sum(map(weight, values))
        if self.steps > _STEPS:
            raise NotEvaluable("it takes too many steps")

    def paid(self, value: Any) -> Any:
        """The value, which Python went through, or is about to."""
        self.pay(value)
        return value
