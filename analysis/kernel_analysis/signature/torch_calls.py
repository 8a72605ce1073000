"""What calls in host code give: tensors that torch makes, with their dtype, and numbers.

Reads syntax only, through the ``Host`` that knows the names around the call.
"""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.signature.argument import NOT_KNOWN, Argument, Kind, literal
from kernel_analysis.signature.values import is_float, is_int

if TYPE_CHECKING:
    from kernel_analysis.signature.host import Host

INT: Final = Argument("int")
FLOAT: Final = Argument("float")
BOOL: Final = Argument("bool")
TENSOR: Final = Argument("tensor")

_MAKERS: Final = frozenset((
    "empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "rand", "randn",
    "randint", "arange", "tensor", "empty_strided", "as_tensor", "rand_like", "randn_like", "cat", "stack",
    "linspace", "from_numpy", "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "where", "cumsum",
    "argsort", "bincount", "matmul", "einsum",
))  # fmt: skip
_LIKE: Final = frozenset((
    "contiguous", "view", "reshape", "clone", "detach", "flatten", "squeeze", "unsqueeze", "transpose", "permute",
    "t", "expand", "expand_as", "view_as", "cuda", "cpu", "flip", "unflatten", "narrow", "select", "requires_grad_",
    "repeat", "zero_", "fill_", "chunk", "data",
))  # fmt: skip
_CASTS: Final = {
    "float": "fp32",
    "half": "fp16",
    "bfloat16": "bf16",
    "double": "fp64",
    "int": "i32",
    "long": "i64",
    "bool": "i1",
    "byte": "u8",
}
INTS: Final = frozenset((
    "numel", "stride", "size", "element_size", "dim", "ndim", "nelement", "data_ptr", "itemsize", "bit_length",
    "storage_offset", "ndimension", "cdiv", "next_power_of_2", "len", "prod", "device_count",
    "multi_processor_count", "nbytes", "index", "count", "_version",
))  # fmt: skip
_FLOATS: Final = frozenset(("sqrt", "rsqrt", "log", "log2", "exp", "pow", "item"))


def call(host: Host, node: ast.Call) -> Argument:
    """What a call gives."""
    name = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
    base = node.func.value if isinstance(node.func, ast.Attribute) else None
    on_torch = isinstance(base, ast.Name) and base.id == "torch"
    if name in ("TensorDescriptor", "from_tensor"):
        position = 1 if name == "from_tensor" else 3  # (base, shape, strides, block_shape); a layout may follow
        blocks = keywords.get("block_shape") or (node.args[position] if len(node.args) > position else None)
        shape = host.argument(blocks) if blocks is not None else NOT_KNOWN
        tensor = host.argument(node.args[0]) if node.args else NOT_KNOWN
        return Argument("descriptor", dtype=tensor.dtype, block=tuple(i.value for i in shape.items or ()))
    if name in _MAKERS and (base is not None or name in ("empty", "zeros")):
        dtype = host.argument(keywords["dtype"]).dtype if "dtype" in keywords else None
        if dtype is None and "dtype" not in keywords and (name.endswith("_like") or name.startswith("new_")):
            source = node.args[0] if on_torch and node.args else base
            dtype = host.argument(source).dtype if source is not None else None
        elif dtype is None and "dtype" not in keywords:
            dtype = (
                "i64"
                if name in ("randint", "argsort", "bincount")
                else "fp32"
                if name in ("empty", "zeros", "ones", "rand", "randn")
                else None
            )
        return Argument("tensor", dtype=dtype)
    if base is not None and not on_torch:
        reduced = _reduced(host, name, base, keywords)
        if reduced is not None:
            return reduced
    if name in ("cdiv", "next_power_of_2", "min", "max", "int", "len", "round", "abs"):
        return _number(name, [host.argument(a) for a in node.args if not isinstance(a, ast.Starred)])
    if base is None and name in ("float", "bool", "str"):
        return Argument(name)
    if base is not None:
        if name in INTS:
            if name in ("stride", "size") and not node.args:
                return Argument("int")
            return INT
        if name in _LIKE and not on_torch:
            inner = host.argument(base)
            if name == "view" and node.args and host.argument(node.args[0]).kind == "dtype":
                return Argument("tensor", dtype=host.argument(node.args[0]).dtype)
            return inner if inner.kind == "tensor" else TENSOR
        if name == "to":
            kinds = [host.argument(a) for a in (*node.args, *keywords.values())]
            dtype = next((k for k in kinds if k.kind == "dtype"), None)
            return Argument("tensor", dtype=dtype.dtype if dtype else host.argument(base).dtype)
        if name in _CASTS and not node.args:
            return Argument("tensor", dtype=_CASTS[name])
        if name.startswith("is_"):
            return BOOL
        if name in _FLOATS and (name == "item" or (isinstance(base, ast.Name) and base.id == "math")):
            return FLOAT if name != "item" else NOT_KNOWN
    if name in ("isinstance", "hasattr", "any", "all"):
        return BOOL
    return NOT_KNOWN


def _number(name: str, parts: list[Argument]) -> Argument:
    known = [p.value for p in parts if isinstance(p.value, (int, float))]
    kind: Kind = "float" if any(p.kind == "float" for p in parts) and name != "int" else "int"
    if parts and len(known) == len(parts):
        if name == "cdiv" and len(known) == 2 and known[1]:
            return literal(-(-known[0] // known[1]))
        if name == "next_power_of_2" and isinstance(known[0], int) and 0 < known[0] < 1 << 40:
            return literal(1 << (known[0] - 1).bit_length())
        if name in ("min", "max") and len(known) > 1:
            return literal(min(known) if name == "min" else max(known))
        if name == "int" and math.isfinite(known[0]):
            return literal(int(known[0]))
    return Argument(kind)


_REDUCED: Final = frozenset(("sum", "prod", "cumsum", "max", "min", "amax", "amin", "abs", "clamp", "mean"))
"""Methods that give a tensor of the same dtype; a sum of small integers is of int64."""


def _reduced(host: Host, name: str, base: ast.expr, keywords: dict[str, ast.expr]) -> Argument | None:
    """A method of a tensor that computes one of fewer elements; ``item`` gives a number."""
    if name not in _REDUCED and name not in ("item", "any", "all"):
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
