"""The way to a launch: the functions around it are entered with made-up arguments and followed until it is reached.
Decides nothing of the code's meaning (``statements`` and ``expressions`` do) and runs none of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from kernel_analysis.launch.follow.fakes import UNKNOWN, Tensor
from kernel_analysis.launch.follow.scope import Function, GaveUp, Scope, Steps
from kernel_analysis.launch.follow.statements import Reached, Returned, Statements
from kernel_analysis.launch.follow.syntax import rank
from kernel_analysis.launch.pragma import OPTIONS
from kernel_analysis.source.kernel import Launch

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project

Shape: TypeAlias = "Callable[[str, int], tuple[int, ...]]"
Scalar: TypeAlias = "Callable[[str, str], Any]"


@dataclass(slots=True)
class Arrived:
    """``positional`` and ``keywords``: what is passed; ``grid``: the numbers, as a function of the constexpr values."""

    positional: list[Any]
    keywords: dict[str, Any]
    grid: Callable[[dict[str, Any]], tuple[int, ...] | None]


class Follower:
    """``shape`` chooses the shape of a tensor parameter by name and rank, ``scalar`` the value of another by name and
    annotation; ``processors`` is how many the device has."""

    def __init__(self, project: Project, shape: Shape, scalar: Scalar, processors: int) -> None:
        self._shape, self._scalar, self._steps = shape, scalar, Steps()
        self._statements = Statements(project, processors, self._steps)
        self._value = self._statements.expressions.value

    def arrive(self, launch: Launch) -> Arrived | None:
        """Everything up to a launch; None where it is not reached."""
        if launch.via is not None or not launch.scope:
            return None
        try:
            self._steps.anew()
            scope = self._reach(launch)
            if scope is None:
                return None
            positional, keywords = self._passed(launch.call, scope)
        except (GaveUp, RecursionError):
            return None
        return Arrived(positional, keywords, lambda constants: self._grid(launch.grid, scope, constants))

    def apply(self, file: str, node: ast.expr, arguments: list[Any]) -> Any:
        """What a function or lambda of a file's gives."""
        try:
            self._steps.anew()
            function = self._value(node, self._statements.module(file))
            return self._call(function, arguments) if isinstance(function, Function) else UNKNOWN
        except (GaveUp, RecursionError):
            return UNKNOWN

    def _passed(self, call: ast.Call, scope: Scope) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                value = self._value(argument.value, scope)
                if not isinstance(value, tuple):
                    break
                positional += value
            else:
                positional.append(self._value(argument, scope))
        keywords: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self._value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update({str(k): v for k, v in value.items()})
        return positional, keywords

    def _call(self, function: Function, arguments: list[Any]) -> Any:
        return self._statements.expressions.call(function, arguments, {})

    def _reach(self, launch: Launch) -> Scope | None:
        """The scope of a launch, with what is bound by then."""
        scope = self._statements.module(launch.file)
        for function in launch.scope:  # the outer ones for what they bind
            scope = self._entered(function, scope, launch.call)
            try:
                self._statements.block(function.body, scope)
            except Reached as reached:
                return reached.scope
            except Returned:
                pass  # as an outer one does when it gives back the inner one
        return None

    def _grid(self, node: ast.expr | None, scope: Scope, constants: dict[str, Any]) -> tuple[int, ...] | None:
        if node is None:
            return None
        try:
            self._steps.anew()
            value = self._value(node, scope)
            if isinstance(value, Function):
                value = self._call(value, [dict(constants)])
        except (GaveUp, RecursionError):
            return None
        if type(value) is int:
            value = (value,)
        known = isinstance(value, tuple) and value and all(type(v) is int and 0 < v < 1 << 31 for v in value)
        return value if known else None

    def _entered(self, function: ast.FunctionDef | ast.AsyncFunctionDef, outer: Scope, target: ast.Call) -> Scope:
        """The scope of a function that is entered with made-up arguments."""
        scope = Scope(outer.file, {}, outer, target)
        positional = [*function.args.posonlyargs, *function.args.args]
        defaults = dict(zip(reversed(positional), reversed(function.args.defaults), strict=False))
        defaults.update({a: d for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d})
        for argument in [*positional, *function.args.kwonlyargs]:
            written = ast.unparse(argument.annotation) if argument.annotation else ""
            dimensions = rank(function, argument.arg)
            if argument.arg in OPTIONS:
                scope.names[argument.arg] = UNKNOWN  # Triton's default is better than a guess
            elif dimensions is not None or "Tensor" in written:
                shape = self._shape(argument.arg, dimensions or 2)
                scope.names[argument.arg] = Tensor(shape, (), dimensions is None)
            elif argument in defaults:
                scope.names[argument.arg] = self._value(defaults[argument], outer)
            else:
                scope.names[argument.arg] = self._scalar(argument.arg, written)
        return scope
