"""Whether something may be raised where an expression is computed: nothing is only where that is shown. Pure but for a
look at Triton's files; what a ``try`` around it does then is asked by ``interpret``."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import itertools
import math
import operator
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.values import (
    Decoration,
    Dict,
    External,
    GuessedText,
    Items,
    Method,
    Object,
    Record,
    Tensor,
    Unknown,
    UserFunction,
    Value,
)
from kernel_analysis.host.names.imports.packages import is_triton_module, triton_has
from kernel_analysis.source.slice import TritonObject

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_OWN = (builtins, functools, importlib, itertools, math, operator)
_THERE = frozenset(f"{module.__name__}.{name}" for module in _OWN for name in dir(module))
"""What Python itself has, of what is likely to stand in a `try`."""
_TYPES = {"tuple": tuple, "list": list, "set": set}


def may_raise(resolver: ResolverView, node: ast.expr, value: Value) -> bool:
    """Whether computing ``node`` may raise though ``value`` is what it gives, its parts aside, which were asked about
    before it."""
    if isinstance(node, ast.Name):
        # It stands for something, of which no more may be known.
        return isinstance(value, Unknown)
    if isinstance(node, ast.Lambda):
        return bool(node.args.defaults or any(node.args.kw_defaults))
    if isinstance(value, (UserFunction, Decoration)) and isinstance(node, ast.Call):
        return True
    return _doubtful(resolver, value)


def _doubtful(resolver: ResolverView, value: Value) -> bool:
    """Whether it is not shown that there is such a value, whole."""
    if isinstance(value, External):
        return value.path not in _THERE
    if isinstance(value, TritonObject):
        return not is_there(resolver, value.path)
    if isinstance(value, Method):
        return not _has(value.receiver, value.name)
    if isinstance(value, (Items, Object, Record)):
        return any(_doubtful(resolver, part) for part in value.values)
    if isinstance(value, Dict):
        return any(_doubtful(resolver, part) for pair in value.pairs for part in pair)
    return isinstance(value, (Unknown, HostArgument, Tensor, GuessedText))


def is_there(resolver: ResolverView, path: str) -> bool:
    """Whether the installed Triton has this, as a module or as a name of one: further inside nobody looks."""
    owner = path.rpartition(".")[0]
    return (not owner or is_triton_module(resolver, owner)) and triton_has(resolver, path)


def _has(receiver: Value, name: str) -> bool:
    if isinstance(receiver, (bool, int, float, str)):
        return hasattr(type(receiver), name)
    if isinstance(receiver, Items):
        return receiver.kind in _TYPES and hasattr(_TYPES[receiver.kind], name)
    return isinstance(receiver, Dict) and hasattr(dict, name)
