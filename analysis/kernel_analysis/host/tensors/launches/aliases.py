"""Which arguments of a launch are one tensor, or views of all of it. Certain or nothing."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Final, TypeAlias

from kernel_analysis.host.tensors.certain import only
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.host.tensors.library import PARTS, VIEWS
from kernel_analysis.host.tensors.placing import Place
from kernel_analysis.record import record
from kernel_analysis.source.kernel import Parameter

_DEEPEST: Final = 6
_WHOLE: Final = VIEWS - {"narrow", "select", "expand", "expand_as"}


@record
class PassedTensor:
    """What is passed for a parameter: a tensor by the name and place that bind it, from the element ``start`` on."""

    parameter: Parameter
    node: ast.expr
    start: int


def aliases(launch: Certain) -> list[list[PassedTensor]]:
    """The parameters that are given the same tensor, those that are given none with another left out."""
    found: dict[_Root, list[PassedTensor]] = {}
    for parameter, node in launch.given():
        root = None if parameter.constexpr else _root(launch.at, node, 0)
        if root is not None:
            name, start = root
            found.setdefault(name, []).append(PassedTensor(parameter, node, start))
    return [group for group in found.values() if len(group) > 1]


_Root: TypeAlias = "tuple[str, ast.AST | None]"
"""A name, and the one statement that binds it, where only one does."""


def _root(at: Place, node: ast.expr, depth: int) -> tuple[_Root, int] | None:
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Name):
        if node.id in at.hidden:
            return None
        bound = only(at, node)
        value = bound[0].value if bound is not None and bound[0].how == "assign" else None
        if bound is not None and isinstance(value, (ast.Name, ast.Call, ast.Subscript, ast.Attribute)):
            inner = _root(replace(at, scope=bound[1], order=bound[0].order), value, depth + 1)
            # What a name that is bound again stood for is not known any more.
            if inner is not None and inner[0][1] is not None:
                return inner
        return (node.id, None if bound is None else bound[0].node), 0
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WHOLE:
        return _root(at, node.func.value, depth + 1)
    if isinstance(node, ast.Attribute) and node.attr in PARTS:
        return _root(at, node.value, depth + 1)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        part = node.slice
        inner = _root(at, node.value, depth + 1)
        first = 0 if part.lower is None else part.lower.value if isinstance(part.lower, ast.Constant) else None
        if inner is not None and type(first) is int and first >= 0 and part.step is None and _to_the_end(part.upper):
            # Of a tensor of one axis; of another, it begins further on.
            return inner[0], inner[1] + first
    return None


def _to_the_end(upper: ast.expr | None) -> bool:
    """Or nearly, ``[:-1]``: what ends at a number from the front may have nothing of another part."""
    return upper is None or isinstance(upper, ast.UnaryOp) and isinstance(upper.op, ast.USub) and (
        isinstance(upper.operand, ast.Constant)
    )  # fmt: skip
