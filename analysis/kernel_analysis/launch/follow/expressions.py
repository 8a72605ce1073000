"""Expressions of host code, evaluated on stand-ins. What a name means and what a function's statements do is given as
functions: this knows neither modules nor statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from kernel_analysis.launch.follow import operators
from kernel_analysis.launch.follow.fakes import UNKNOWN, Dotted, File, Tensor, attribute, called, method
from kernel_analysis.launch.follow.scope import Function, Scope, Steps
from kernel_analysis.source import limits
from kernel_analysis.source.packages import external_member

_DEPTH = 12


class Expressions:
    """``names`` gives what a name means in a scope; ``body`` what a function's statements return, run in a scope."""

    def __init__(
        self,
        names: Callable[[str, Scope], Any],
        body: Callable[[Sequence[ast.stmt], Scope], Any],
        processors: int,
        steps: Steps,
    ) -> None:
        self._names, self._body, self._processors, self._steps = names, body, processors, steps
        self._depth = 0

    def value(self, node: ast.expr | None, scope: Scope) -> Any:
        """What an expression is, ``UNKNOWN`` where that isn't known, is an error or would be huge. Raises GaveUp."""
        self._steps.take()
        try:
            return self._known(node, scope)
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, limits.TooMuch):
            return UNKNOWN

    def _known(self, node: ast.expr | None, scope: Scope) -> Any:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int | float | str) or node.value is None:
                return limits.literal(node.value)
            return UNKNOWN
        if isinstance(node, ast.Name):
            return self._names(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self._attribute(self.value(node.value, scope), node.attr)
        if isinstance(node, ast.Call):
            return self._called(node, scope)
        if isinstance(node, ast.Tuple | ast.List):
            return self._tuple(node.elts, scope)
        if isinstance(node, ast.BinOp):
            return operators.binary(node.op, self.value(node.left, scope), self.value(node.right, scope))
        if isinstance(node, ast.UnaryOp):
            return operators.unary(node.op, self.value(node.operand, scope))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            one, other = self.value(node.left, scope), self.value(node.comparators[0], scope)
            return operators.compared(node.ops[0], one, other)
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, scope)
        if isinstance(node, ast.IfExp):
            test = self.value(node.test, scope)
            if test is UNKNOWN:
                return UNKNOWN
            return self.value(node.body if test else node.orelse, scope)
        if isinstance(node, ast.Subscript):
            return self._item(self.value(node.value, scope), node.slice, scope)
        if isinstance(node, ast.Lambda):
            return Function(node, scope)
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return {self.value(k, scope): self.value(v, scope) for k, v in pairs if isinstance(k, ast.Constant)}
        return UNKNOWN

    def call(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What a function of the user's gives."""
        if self._depth >= _DEPTH:
            return UNKNOWN
        node = function.node
        scope = Scope(function.scope.file, {}, function.scope)
        positional = [*node.args.posonlyargs, *node.args.args]
        for argument, default in zip(reversed(positional), reversed(node.args.defaults), strict=False):
            scope.names[argument.arg] = self.value(default, function.scope)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            scope.names[argument.arg] = UNKNOWN if default is None else self.value(default, function.scope)
        for argument in positional:
            scope.names.setdefault(argument.arg, UNKNOWN)
        scope.names.update(zip((a.arg for a in positional), arguments, strict=False))
        scope.names.update(keywords)
        if isinstance(node, ast.Lambda):
            return self.value(node.body, scope)
        self._depth += 1
        try:
            return self._body(node.body, scope)
        finally:
            self._depth -= 1

    def _tuple(self, elements: Sequence[ast.expr], scope: Scope) -> Any:
        out: list[Any] = []
        for element in elements:
            if isinstance(element, ast.Starred):
                inner = self.value(element.value, scope)
                if not isinstance(inner, tuple):
                    return UNKNOWN
                out += inner
            else:
                out.append(self.value(element, scope))
        return tuple(out)

    def _attribute(self, value: Any, name: str) -> Any:
        if isinstance(value, Tensor):
            return attribute(value, name)
        if isinstance(value, Dotted):
            known = external_member(value.path, name)
            return known if isinstance(known, int | float) else Dotted(f"{value.path}.{name}")
        if isinstance(value, File):
            return self._names(name, Scope(value.path))
        return self._processors if name == "multi_processor_count" else UNKNOWN

    def _called(self, node: ast.Call, scope: Scope) -> Any:
        arguments = [self.value(a, scope) for a in node.args if not isinstance(a, ast.Starred)]
        keywords = {k.arg: self.value(k.value, scope) for k in node.keywords if k.arg}
        if isinstance(node.func, ast.Attribute):
            holder = self.value(node.func.value, scope)
            if isinstance(holder, Tensor):
                return method(holder, node.func.attr, arguments, keywords)
            if isinstance(holder, dict) and node.func.attr == "get" and arguments:
                return holder.get(arguments[0], arguments[1] if len(arguments) > 1 else None)
            function = self._attribute(holder, node.func.attr)
        else:
            function = self.value(node.func, scope)
        if isinstance(function, Function):
            return self.call(function, arguments, keywords)
        if isinstance(function, Dotted):
            if function.path == "builtins.range" and all(type(a) is int for a in arguments):
                return tuple(range(*arguments)[:64])
            if function.path in ("builtins.tuple", "builtins.list") and arguments:
                return arguments[0]
            if function.path.endswith("get_device_properties"):
                return Dotted("device")
            return called(function.path, arguments, keywords, self._processors)
        return UNKNOWN

    def _item(self, value: Any, index: ast.expr, scope: Scope) -> Any:
        if isinstance(index, ast.Slice):
            low, high = (None if part is None else self.value(part, scope) for part in (index.lower, index.upper))
            if isinstance(value, tuple) and all(v is None or type(v) is int for v in (low, high)):
                return value[low:high]
            return value if isinstance(value, Tensor) else UNKNOWN
        key = self.value(index, scope)
        if isinstance(value, dict):
            return value.get(key, UNKNOWN)
        if isinstance(value, tuple) and type(key) is int and -len(value) <= key < len(value):
            return value[key]
        if isinstance(value, Tensor) and type(key) is int and len(value.shape) > 1:
            return Tensor(value.shape[1:], value.stride()[1:])
        return UNKNOWN

    def _boolean(self, node: ast.BoolOp, scope: Scope) -> Any:
        value: Any = UNKNOWN
        for part in node.values:
            value = self.value(part, scope)
            if value is UNKNOWN or isinstance(value, Tensor):
                return value
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value
