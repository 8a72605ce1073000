"""Values of the host code, as ``host`` finds them, for the interpreter that follows code with tensors in it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from kernel_analysis.launch.follow.fakes import UNKNOWN, Dotted, File
from kernel_analysis.launch.follow.scope import Function, Scope
from kernel_analysis.source.values import (
    Dict,
    External,
    Items,
    ModuleValue,
    TorchDtype,
    TritonObject,
    UserFunction,
    Value,
    plain,
)


def stand_in(value: Value, module: Callable[[str], Scope]) -> Any:
    """The value as it is followed; ``module`` gives the scope of a file. ``UNKNOWN`` for what is not followed."""
    value = plain(value)
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, (External, TritonObject)):
        return Dotted(value.path)
    if isinstance(value, ModuleValue) and value.file is not None:
        return File(value.file)
    if isinstance(value, TorchDtype):
        return Dotted(f"torch.{value.name}")
    if isinstance(value, Items) and value.kind in ("tuple", "list", "range"):
        return tuple(stand_in(item, module) for item in value.values)
    if isinstance(value, Dict):
        pairs = [(plain(k), stand_in(v, module)) for k, v in value.pairs]
        return {k: v for k, v in pairs if isinstance(k, (bool, int, float, str))}
    if isinstance(value, UserFunction) and isinstance(value.scope.node, ast.Module):
        return Function(value.node, module(value.scope.module.file))
    return UNKNOWN
