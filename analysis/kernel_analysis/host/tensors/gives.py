"""Of which kind is what functions of libraries and methods of tensors give, and of which dtype, where no more is known
of it: the rows of ``library``, read for values. Pure; imports no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import BOOL, FLOAT, INT, NOT_KNOWN, TENSOR, HostArgument, supposed
from kernel_analysis.host.evaluate.values import Method, Value
from kernel_analysis.host.tensors.library import ATTRIBUTES, CASTS, FUNCTIONS, METHODS, NUMBERS, REDUCES, LibraryRow
from kernel_analysis.source.dtypes import is_float, is_int

_PROPERTIES: Final = frozenset(("ndim", "itemsize", "nbytes", "multi_processor_count", "_version", "strides", "shape"))
_TENSORS: Final = frozenset(("tensor", "unknown", "none"))
"""What may have a tensor's methods, as far as is known."""
_SIZED: Final = frozenset(f"torch.{name}" for name in ("empty", "zeros", "ones", "rand", "randn", "full"))
_ALIKE: Final = frozenset(f"torch.{name}_like" for name in ("empty", "zeros", "ones", "rand", "randn", "full"))
_AS_IT_IS: Final = frozenset(("contiguous", "clone", "cuda", "detach", "requires_grad_", "to", "half", "float"))
"""What makes a tensor of these sizes, or of those of another; and methods that keep them."""


def attribute(owner: HostArgument, name: str) -> Value | None:
    """``owner.name``; None where that says nothing."""
    if name == "shape" and owner.block:
        return HostArgument("tuple", items=tuple([replace(INT, likely=size) for size in owner.block]))
    if name in ("grad", *(n for n, gives in ATTRIBUTES.items() if gives == "tensor")):
        return replace(owner, block=None) if owner.kind == "tensor" else TENSOR
    if name == "dtype":
        return HostArgument("dtype", dtype=owner.dtype)
    if name in _PROPERTIES:
        return INT
    if name in METHODS or name in NUMBERS or name in REDUCES or name in ("item", "any", "all"):
        return Method(owner, name)
    return BOOL if name.startswith("is_") else None


def called(path: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument | None:
    """What a library's function gives; None where that is not known."""
    if path == "builtins.range":
        return INT  # each part of it is one
    row = FUNCTIONS.get(path)
    if row is None:
        return None
    if path == "builtins.round" and (len(args) > 1 or keywords):
        row = LibraryRow("number")
    made = _of_row(row, args[0] if args else None, args, keywords)
    if path in _SIZED:
        return replace(made, block=_sizes(args[: 1 if path == "torch.full" else None], keywords))
    return replace(made, block=kinds.of(args[0]).block if path in _ALIKE and args else None)


def _sizes(args: Sequence[Value], keywords: Mapping[str, Value]) -> tuple[Any, ...] | None:
    """The shape of a tensor that is made with ``(M, N)``, or ``M, N``."""
    given = [kinds.of(value) for value in ([keywords["size"]] if "size" in keywords else args)]
    if len(given) == 1 and given[0].items is not None:
        given = list(given[0].items)
    sizes = tuple(map(supposed, given))
    return sizes if sizes and all(type(size) is int for size in sizes) else None


def method(owner: HostArgument, name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument:
    """What a method gives that tensors have."""
    reduced = _reduced(owner, name, keywords)
    if reduced is not None:
        return reduced
    row = METHODS.get(name)
    if row is None or name in CASTS and args:
        return INT if name in NUMBERS else NOT_KNOWN
    if name == "size" and owner.block and args and type(args[0]) is int and -len(owner.block) <= args[0]:
        return replace(INT, likely=owner.block[args[0]]) if args[0] < len(owner.block) else INT
    if owner.kind not in _TENSORS:
        return NOT_KNOWN
    if name not in _AS_IT_IS:
        owner = replace(owner, block=None)
    given = [kinds.of(value) for value in (*args, *keywords.values())]
    dtype = next((one for one in given if one.kind == "dtype"), None)
    if name == "view" and args and given[0].kind == "dtype":
        return HostArgument("tensor", dtype=given[0].dtype)
    if name == "to":
        return HostArgument("tensor", dtype=dtype.dtype if dtype is not None else owner.dtype, block=owner.block)
    return _of_row(row, owner, args, keywords)


def _of_row(row: LibraryRow, source: Value, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument:
    first = kinds.of(source)
    if row.gives == "same":
        return first if first.kind == "tensor" else TENSOR
    if row.gives == "tensor":
        if "dtype" in keywords:
            return HostArgument("tensor", dtype=kinds.of(keywords["dtype"]).dtype)
        return HostArgument("tensor", dtype=first.dtype if row.dtype == "same" else row.dtype)
    if row.gives == "number":
        return FLOAT if any(kinds.of(value).kind == "float" for value in args) else INT
    return HostArgument(row.gives)


def _reduced(tensor: HostArgument, name: str, keywords: Mapping[str, Value]) -> HostArgument | None:
    """A method of a tensor that computes one of fewer elements; ``item`` gives a number."""
    if name not in REDUCES and name not in ("item", "any", "all") or tensor.kind != "tensor":
        return None
    if name == "item":
        if tensor.dtype == "i1":
            return BOOL
        return INT if is_int(tensor.dtype) else FLOAT if is_float(tensor.dtype) else NOT_KNOWN
    if name in ("any", "all"):
        return replace(TENSOR, dtype="i1")
    if "dtype" in keywords:
        return replace(TENSOR, dtype=kinds.of(keywords["dtype"]).dtype)
    summed = name in ("sum", "prod", "cumsum") and is_int(tensor.dtype)
    return replace(TENSOR, dtype="i64" if summed else tensor.dtype)
