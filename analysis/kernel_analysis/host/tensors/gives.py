"""Of which kind is what functions of libraries and methods of tensors give, and of which dtype, where no more is known
of it: the rows of ``library``, read for values. Pure; imports no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import BOOL, FLOAT, INT, NOT_KNOWN, TENSOR, HostArgument
from kernel_analysis.host.evaluate.values import Method, Value
from kernel_analysis.host.tensors.library import ATTRIBUTES, CASTS, FUNCTIONS, METHODS, NUMBERS, REDUCES, LibraryRow
from kernel_analysis.source.dtypes import is_float, is_int

_PROPERTIES: Final = frozenset(("ndim", "itemsize", "nbytes", "multi_processor_count", "_version", "strides", "shape"))
_TENSORS: Final = frozenset(("tensor", "unknown", "none"))
"""What may have a tensor's methods, as far as is known."""


def attribute(owner: HostArgument, name: str) -> Value | None:
    """``owner.name``; None where that says nothing."""
    if name in ("grad", *(n for n, gives in ATTRIBUTES.items() if gives == "tensor")):
        return owner if owner.kind == "tensor" else TENSOR
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
    return _of_row(row, args[0] if args else None, args, keywords)


def method(owner: HostArgument, name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument:
    """What a method gives that tensors have."""
    reduced = _reduced(owner, name, keywords)
    if reduced is not None:
        return reduced
    row = METHODS.get(name)
    if row is None or name in CASTS and args:
        return INT if name in NUMBERS else NOT_KNOWN
    if owner.kind not in _TENSORS:
        return NOT_KNOWN
    given = [kinds.of(value) for value in (*args, *keywords.values())]
    dtype = next((one for one in given if one.kind == "dtype"), None)
    if name == "view" and args and given[0].kind == "dtype":
        return HostArgument("tensor", dtype=given[0].dtype)
    if name == "to":
        return HostArgument("tensor", dtype=dtype.dtype if dtype is not None else owner.dtype)
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
