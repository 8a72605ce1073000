"""What calls in host code give: tensors that torch makes, with their dtype, and numbers.

Reads syntax only, through the ``Host`` that knows the names around the call.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.tensors.library import CASTS, FUNCTIONS, METHODS, NUMBERS, REDUCES, Row
from kernel_analysis.signature.launches.argument import NOT_KNOWN, Argument, literal
from kernel_analysis.signature.values import is_float, is_int
from kernel_analysis.source import arithmetic

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.host import Host

INT: Final = Argument("int")
FLOAT: Final = Argument("float")
BOOL: Final = Argument("bool")
TENSOR: Final = Argument("tensor")

_MODULES: Final = frozenset(("torch", "triton", "math", "numpy"))


def call(host: Host, node: ast.Call) -> Argument:
    """What a call gives. A function counts as a library's only if its name means that; a method, if what has it is, or
    may be, a tensor."""
    found = path(host, node.func)
    name = found.rpartition(".")[2] if found is not None else getattr(node.func, "attr", getattr(node.func, "id", ""))
    keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
    if name in ("TensorDescriptor", "from_tensor"):
        position = 1 if name == "from_tensor" else 3  # (base, shape, strides, block_shape); a layout may follow
        blocks = keywords.get("block_shape") or (node.args[position] if len(node.args) > position else None)
        shape = host.argument(blocks) if blocks is not None else NOT_KNOWN
        tensor = host.argument(node.args[0]) if node.args else NOT_KNOWN
        return Argument("descriptor", dtype=tensor.dtype, block=tuple(i.value for i in shape.items or ()))
    row = FUNCTIONS.get(found) if found is not None else None
    if found is not None and row is not None:
        return _of_row(host, found, row, node.args[0] if node.args else None, node, keywords)
    if found is not None or not isinstance(node.func, ast.Attribute):
        # What else a library has is not known here; nor is what a function of the user's does that can't be followed.
        return INT if found is None and name in ("cdiv", "next_power_of_2") else NOT_KNOWN
    return _method(host, name, node.func.value, node, keywords)


def path(host: Host, function: ast.expr) -> str | None:
    """The path of a library's function that a dotted name means."""
    base = function
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        return None
    events, around = host.binding(base.id)
    if not events and (base.id in _MODULES or not isinstance(function, ast.Attribute)):
        return ast.unparse(function) if base.id in _MODULES else f"builtins.{base.id}"
    if host.file is None or around is not None and any(event.alias is None for event in events):
        return None
    return host.file.library(function, host.scope)


def _method(host: Host, name: str, base: ast.expr, node: ast.Call, keywords: dict[str, ast.expr]) -> Argument:
    reduced = _reduced(host, name, base, keywords)
    if reduced is not None:
        return reduced
    row = METHODS.get(name)
    if row is not None and name in CASTS and node.args:
        row = None
    if row is not None:
        owner = host.argument(base)
        if owner.kind not in ("tensor", "unknown", "none"):
            return NOT_KNOWN
        if name == "view" and node.args and host.argument(node.args[0]).kind == "dtype":
            return Argument("tensor", dtype=host.argument(node.args[0]).dtype)
        if name == "to":
            kinds = [host.argument(a) for a in (*node.args, *keywords.values())]
            dtype = next((k for k in kinds if k.kind == "dtype"), None)
            return Argument("tensor", dtype=dtype.dtype if dtype else owner.dtype)
        return _of_row(host, f"method.{name}", row, base, node, keywords)
    if name in NUMBERS:
        return INT
    return BOOL if name.startswith("is_") else NOT_KNOWN


def _of_row(
    host: Host, path: str, row: Row, source: ast.expr | None, node: ast.Call, keywords: dict[str, ast.expr]
) -> Argument:
    if row.gives in ("tensor", "same"):
        if row.gives == "same" and source is not None:
            inner = host.argument(source)
            return inner if inner.kind == "tensor" else TENSOR
        dtype = row.dtype
        if "dtype" in keywords:
            dtype = host.argument(keywords["dtype"]).dtype
        elif dtype == "same":
            dtype = host.argument(source).dtype if source is not None else None
        return Argument("tensor", dtype=dtype)
    if row.gives in ("bool", "str"):
        return Argument(row.gives)
    parts = [host.argument(a) for a in node.args if not isinstance(a, ast.Starred)]
    if path == "builtins.len" and len(parts) == 1 and parts[0].items is not None:
        return literal(len(parts[0].items))
    if len(parts) == len(node.args) and not node.keywords:
        known = [p.value for p in parts if isinstance(p.value, (int, float))]
        if parts and len(known) == len(parts):
            try:
                return literal(arithmetic.called(path, known))
            except arithmetic.FAILS:
                pass
    if row.gives == "number" or path == "builtins.round" and (len(parts) > 1 or keywords):
        return FLOAT if any(p.kind == "float" for p in parts) else INT
    return FLOAT if row.gives == "float" else INT


def _reduced(host: Host, name: str, base: ast.expr, keywords: dict[str, ast.expr]) -> Argument | None:
    """A method of a tensor that computes one of fewer elements; ``item`` gives a number."""
    if name not in REDUCES and name not in ("item", "any", "all"):
        return None
    tensor = host.argument(base)
    if tensor.kind != "tensor":
        return None
    if name == "item":
        if tensor.dtype == "i1":
            return BOOL
        return INT if is_int(tensor.dtype) else FLOAT if is_float(tensor.dtype) else NOT_KNOWN
    if name in ("any", "all"):
        return replace(TENSOR, dtype="i1")
    if "dtype" in keywords:
        return replace(TENSOR, dtype=host.argument(keywords["dtype"]).dtype)
    summed = name in ("sum", "prod", "cumsum") and is_int(tensor.dtype)
    return replace(TENSOR, dtype="i64" if summed else tensor.dtype)
