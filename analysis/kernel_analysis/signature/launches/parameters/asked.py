"""What a host function does with its names, where nothing says what they are: a tensor, and one of int64 where torch
takes no other.

Reads syntax only.
"""

from __future__ import annotations

import ast
from typing import Final, NamedTuple

from kernel_analysis.host.tensors.library import INDICES, LABELS, OF_TENSORS
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.scopes import FunctionNode
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

_TESTS: Final = frozenset(("isinstance", "is_tensor", "hasattr", "type"))
_CASTS: Final = frozenset(("to", "type", "long", "int"))


class AskedTensors(NamedTuple):
    """The names that must be tensors, and those of them that must be of int64."""

    tensors: frozenset[str]
    indices: frozenset[str]


@kept_with_trees(512)
def asked(function: FunctionNode) -> AskedTensors:
    """What the body of a function asks of its names."""
    tensors: set[str] = set()
    indices: set[str] = set()
    tested: set[str] = set()
    for node in descend(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in OF_TENSORS:
            tensors.add(node.value.id)
        elif isinstance(node, ast.Call) and last_name(node.func) in _TESTS:
            tested |= {argument.id for argument in node.args if isinstance(argument, ast.Name)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            index = _index(node, node.func)
            name = base(index) if index is not None else None
            if name is not None:
                indices.add(name)
    # What a function tests may be something else as well.
    return AskedTensors(frozenset((tensors | indices) - tested), frozenset(indices - tested))


def base(node: ast.expr) -> str | None:
    """The name that ``name``, ``name.contiguous()`` and ``name[mask]`` are about; None where the dtype may change."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in _CASTS:
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else None


def _index(call: ast.Call, function: ast.Attribute) -> ast.expr | None:
    """The argument of a call that is an index of int64."""
    position = LABELS.get(function.attr)
    if position is None:
        position = INDICES.get(function.attr)
        if position is None:
            return None
        position += isinstance(function.value, ast.Name) and function.value.id == "torch"
    named = next((k.value for k in call.keywords if k.arg in ("index", "indices", "target")), None)
    return named or (call.args[position] if position < len(call.args) else None)
