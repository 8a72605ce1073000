"""The way to a launch: the functions around it are entered with made-up arguments and followed until it is reached.
Decides nothing of the code's meaning (``statements`` and ``expressions`` do) and runs none of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Dict,
    Items,
    Scope,
    Tensor,
    UserFunction,
    Value,
    plain,
)
from kernel_analysis.kernels.run_comment import OPTIONS
from kernel_analysis.launch.follow.host_syntax import rank
from kernel_analysis.launch.follow.path_evaluator import UNKNOWN, Following, GaveUp, Reached, Returned
from kernel_analysis.source.kernel import Launch
from kernel_analysis.source.slice import TorchDtype, TritonObject

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

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
        self._shape, self._scalar, self._project = shape, scalar, project
        self._following = Following(project.resolver, processors)

    def arrive(self, launch: Launch) -> Arrived | None:
        """Everything up to a launch; None where it is not reached."""
        if launch.via is not None or not launch.scope:
            return None
        try:
            self._following.anew()
            scope = self._reach(launch)
            if scope is None:
                return None
            positional, keywords = self._passed(launch.call, scope)
        except (GaveUp, RecursionError):
            return None
        return Arrived(positional, keywords, lambda constants: self._grid(launch, scope, constants))

    def apply(self, file: str, node: ast.expr, arguments: list[Any]) -> Any:
        """What a function or lambda of a file's gives."""
        try:
            self._following.anew()
            function = self._following.value(node, self._following.module(self._project.load(file)))
            return _told(self._call(function, arguments))
        except (GaveUp, RecursionError):
            return UNKNOWN

    def _call(self, function: Value, arguments: list[Any]) -> Value:
        if isinstance(function, ConstexprFunction):
            function = function.function
        if not isinstance(function, UserFunction):
            return UNKNOWN
        return self._following.entered(function, [_value(argument) for argument in arguments], {})

    def _passed(self, call: ast.Call, scope: Scope) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                value = self._following.value(argument.value, scope)
                if not isinstance(value, Items):
                    break
                positional += map(_told, value.values)
            else:
                positional.append(_told(self._following.value(argument, scope)))
        keywords: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self._following.value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = _told(value)
            elif isinstance(value, Dict):
                keywords.update({str(k): _told(v) for k, v in value.pairs})
        return positional, keywords

    def _reach(self, launch: Launch) -> Scope | None:
        """The scope of a launch, with what is bound by then."""
        scope = self._following.module(self._project.load(launch.file))
        for function in launch.scope:  # the outer ones for what they bind
            scope = self._entered(function, scope)
            try:
                self._following.block(function.body, scope, launch.call)
            except Reached as reached:
                return reached.scope
            except Returned:
                pass  # as an outer one does when it gives back the inner one
        return None

    def _grid(self, launch: Launch, scope: Scope, constants: dict[str, Any]) -> tuple[int, ...] | None:
        if launch.grid is None:
            return None
        try:
            self._following.anew()
            value = self._following.value(launch.grid, scope)
            if isinstance(value, (UserFunction, ConstexprFunction)):
                value = self._call(value, [constants])
        except (GaveUp, RecursionError):
            return None
        sizes = value.values if isinstance(value, Items) else (value,)
        known = tuple(v for v in sizes if type(v) is int and 0 < v < 1 << 31)
        return known if known and len(known) == len(sizes) else None

    def _entered(self, function: ast.FunctionDef | ast.AsyncFunctionDef, outer: Scope) -> Scope:
        """The scope of a function that is entered with made-up arguments."""
        names: dict[str, Value] = {}
        positional = [*function.args.posonlyargs, *function.args.args]
        defaults = dict(zip(reversed(positional), reversed(function.args.defaults), strict=False))
        defaults.update({a: d for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d})
        for argument in [*positional, *function.args.kwonlyargs]:
            written = ast.unparse(argument.annotation) if argument.annotation else ""
            dimensions = rank(function, argument.arg)
            if argument.arg in OPTIONS:
                names[argument.arg] = UNKNOWN  # Triton's default is better than a guess
            elif dimensions is not None or "Tensor" in written:
                shape = self._shape(argument.arg, dimensions or 2)
                names[argument.arg] = Tensor(shape, (), dimensions is None)
            elif argument in defaults:
                names[argument.arg] = self._following.value(defaults[argument], outer)
            else:
                names[argument.arg] = _value(self._scalar(argument.arg, written))
        return Scope(outer.module, function, outer, names)


def _told(value: Value) -> Any:
    """A value as the launch is planned with: a plain one, a tensor, or a tuple of such; else ``UNKNOWN``."""
    value = plain(value)
    if isinstance(value, Items) and value.kind in ("tuple", "list", "range"):
        return tuple(map(_told, value.values))
    return value if isinstance(value, (bool, int, float, str, Tensor)) or value is None else UNKNOWN


def _value(known: Any) -> Value:
    """What the plan knows, as a value that code can be followed with."""
    if isinstance(known, dict):
        return Dict(tuple((str(k), _value(v)) for k, v in known.items()))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(known, (tuple, list)):
        return Items("tuple", tuple(map(_value, known)))  # pyright: ignore[reportUnknownArgumentType]
    return (
        known
        if isinstance(known, (bool, int, float, str, Tensor, TorchDtype, TritonObject)) or known is None
        else UNKNOWN
    )
