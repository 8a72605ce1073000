"""What a host function does with its names, where nothing says what they are: a tensor, and one of int64 where torch
takes no other.

Reads syntax only.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final, NamedTuple

from kernel_analysis.source.scopes import FunctionNode
from kernel_analysis.source.syntax import descend

_OF_TENSORS: Final = frozenset(
    (
        "contiguous", "data_ptr", "device", "dim", "dtype", "element_size", "is_contiguous", "is_cuda", "ndim",
        "new_empty", "new_zeros", "numel", "requires_grad", "shape", "storage_offset", "stride", "unsqueeze",
    )
)  # fmt: skip
"""Attributes and methods that of all that is handed around in host code only tensors have."""
_INDEX: Final = {"gather": 1, "scatter": 1, "scatter_": 1, "scatter_add": 1, "scatter_add_": 1, "take_along_dim": 0}
"""Methods that take an index of int64, and where; as functions of ``torch`` one further."""
_FUNCTIONS: Final = {"one_hot": 0, "nll_loss": 1}
_TESTS: Final = frozenset(("isinstance", "is_tensor", "hasattr", "type"))
_CASTS: Final = frozenset(("to", "type", "long", "int"))


class Asked(NamedTuple):
    """The names that must be tensors, and those of them that must be of int64."""

    tensors: frozenset[str]
    indices: frozenset[str]


@lru_cache(maxsize=512)
def asked(function: FunctionNode) -> Asked:
    """What the body of a function asks of its names."""
    tensors: set[str] = set()
    indices: set[str] = set()
    tested: set[str] = set()
    for node in descend(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _OF_TENSORS:
            tensors.add(node.value.id)
        elif isinstance(node, ast.Call) and _name(node.func) in _TESTS:
            tested |= {argument.id for argument in node.args if isinstance(argument, ast.Name)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            index = _index(node, node.func)
            name = base(index) if index is not None else None
            if name is not None:
                indices.add(name)
    # What a function tests may be something else as well.
    return Asked(frozenset((tensors | indices) - tested), frozenset(indices - tested))


def base(node: ast.expr) -> str | None:
    """The name that ``name``, ``name.contiguous()`` and ``name[mask]`` are about; None where the dtype may change."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in _CASTS:
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else None


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _index(call: ast.Call, function: ast.Attribute) -> ast.expr | None:
    """The argument of a call that is an index of int64."""
    position = _FUNCTIONS.get(function.attr)
    if position is None:
        position = _INDEX.get(function.attr)
        if position is None:
            return None
        position += isinstance(function.value, ast.Name) and function.value.id == "torch"
    named = next((k.value for k in call.keywords if k.arg in ("index", "indices", "target")), None)
    return named or (call.args[position] if position < len(call.args) else None)
