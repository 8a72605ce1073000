"""Of which kind is what functions of libraries and methods of tensors give, and of which dtype, where no more is known
of it: the rows of ``library``, read for values. Pure; imports no torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import (
    BOOL,
    FLOAT,
    INT,
    INTEGERS,
    NOT_KNOWN,
    TENSOR,
    UNKNOWN,
    HostArgument,
    supposed,
    surely,
    unsure,
)
from kernel_analysis.host.evaluate.values import Method, Value
from kernel_analysis.host.tensors.library import (
    ATTRIBUTES,
    AUTOCAST,
    CASTS,
    FUNCTIONS,
    IN_PLACE,
    METHODS,
    NUMBERS,
    REDUCES,
    LibraryRow,
)
from kernel_analysis.source.dtypes import TORCH, bytes_of, is_float, is_int
from kernel_analysis.source.slice import TorchDtype

_PROPERTIES: Final = frozenset(("ndim", "itemsize", "nbytes", "multi_processor_count", "_version", "strides", "shape"))
_TENSORS: Final = frozenset(("tensor", "unknown", "none"))
"""What may have a tensor's methods, as far as is known."""
_ALWAYS: Final = frozenset(
    f"builtins.{name}"
    for name in (
        "any", "all", "bool", "callable", "float", "hasattr", "hash", "id", "int", "isinstance", "issubclass", "len",
        "ord", "str",
    )
)  # fmt: skip
"""Functions that give the same kind of value for whatever they are given."""
_SEVERAL: Final = frozenset(("chunk",))
"""Methods that give several tensors."""
_MORE: Final = frozenset(("bincount", "torch.bincount"))
"""What gives another dtype where it is given more than one tensor."""
_KEYWORDS: Final = frozenset((
    "dtype", "device", "requires_grad", "pin_memory", "layout", "memory_format", "generator", "size", "fill_value",
    "start", "end", "step", "steps", "low", "high", "n", "dim", "dims", "dim0", "dim1", "keepdim", "descending",
    "stable", "start_dim", "end_dim", "non_blocking", "copy", "shape", "index", "length", "minlength", "input", "data",
    "obj", "default", "repeats", "sizes", "chunks", "stride", "tensors", "condition", "base", "x", "key", "ndigits",
))  # fmt: skip
"""Arguments that say nothing of what kind and dtype the result is, or what the rows say of them."""
_SAYS_NO_MORE: Final = _KEYWORDS | {"min", "max", "other"}
_SIZED: Final = frozenset(f"torch.{name}" for name in ("empty", "zeros", "ones", "rand", "randn", "full"))
_ALIKE: Final = frozenset(f"torch.{name}_like" for name in ("empty", "zeros", "ones", "rand", "randn", "full"))
_AS_IT_IS: Final = IN_PLACE | {"contiguous", "clone", "cuda", "detach", "requires_grad_", "to", "half", "float"}
"""What makes a tensor of these sizes, or of those of another; and methods that keep them."""


def attribute(owner: HostArgument, name: str) -> Value | None:
    """``owner.name``; None where that says nothing."""
    tensor = owner.sure and owner.kind == "tensor"
    if name == "shape" and owner.block:
        return HostArgument("tuple", items=tuple([replace(INT, likely=size) for size in owner.block]))
    if name in ("shape", "strides"):
        return replace(INTEGERS, sure=tensor and name == "shape")
    if name in ("grad", *(n for n, gives in ATTRIBUTES.items() if gives == "tensor")):
        made = replace(owner, block=None) if owner.kind == "tensor" else TENSOR
        return unsure(made) if name == "grad" else made  # there may be none
    if name == "dtype":
        named = TORCH.get(owner.dtype or "")
        return HostArgument("dtype", dtype=owner.dtype, likely=TorchDtype(named) if named else UNKNOWN, sure=tensor)
    if name in _PROPERTIES:
        size = bytes_of(owner.dtype) if name == "itemsize" and owner.dtype is not None else UNKNOWN
        return replace(INT, likely=size, sure=tensor and ATTRIBUTES.get(name) == "int")
    if name in METHODS or name in NUMBERS or name in REDUCES or name in ("item", "any", "all"):
        return Method(owner, name)
    return replace(BOOL, sure=tensor and ATTRIBUTES.get(name) == "bool") if name.startswith("is_") else None


def called(path: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument | None:
    """What a library's function gives; None where that is not known."""
    if path == "builtins.range":
        return surely(INTEGERS)
    row = FUNCTIONS.get(path)
    if row is None:
        return None
    if path == "builtins.round" and (len(args) > 1 or keywords):
        row = LibraryRow("number")
    made = _of_row(row, args[0] if args else None, args, keywords)
    made = replace(made, sure=made.sure and _whatever(path, row, args) and _KEYWORDS.issuperset(keywords))
    if path in _SIZED:
        return replace(made, block=_sizes(args[: 1 if path == "torch.full" else None], keywords))
    return replace(made, block=kinds.of(args[0]).block if path in _ALIKE and args else None)


def _whatever(path: str, row: LibraryRow, args: Sequence[Value]) -> bool:
    """Whether the function gives that for these arguments, and not for some only."""
    if path == "torch.linspace":
        return all(one.sure and one.kind in ("int", "float") for one in map(kinds.of, args))
    if path in _MORE or path == "torch.where":
        return len(args) <= 1 if path in _MORE else len(args) > 1
    if path in _ALWAYS or path.startswith("torch."):
        return True
    given = [kinds.of(value) for value in args]
    plain = all(one.sure and one.kind in ("int", "float", "bool") for one in given)
    if path.startswith("triton.") or row.gives == "number":
        # `max(1, 2.5)` is the one or the other as it is.
        return plain and {one.kind for one in given} in ({"int"}, {"float"})
    return plain


def _sizes(args: Sequence[Value], keywords: Mapping[str, Value]) -> tuple[Any, ...] | None:
    """The shape of a tensor that is made with ``(M, N)``, or ``M, N``."""
    given = [kinds.of(value) for value in ([keywords["size"]] if "size" in keywords else args)]
    if len(given) == 1 and given[0].items is not None:
        given = list(given[0].items)
    sizes = tuple(map(supposed, given))
    return sizes if sizes and all(type(size) is int for size in sizes) else None


def method(owner: HostArgument, name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument:
    """What a method gives that tensors have."""
    found = _method(owner, name, args, keywords)
    sure = owner.sure and owner.kind == "tensor" and _SAYS_NO_MORE.issuperset(keywords)
    sure = sure and not (name in _MORE and args)
    return found if sure or not found.sure else unsure(found)


def _method(owner: HostArgument, name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument:
    reduced = _reduced(owner, name, args, keywords)
    if reduced is not None:
        return reduced
    row = METHODS.get(name)
    if row is None or name in CASTS and args:
        return INT if name in NUMBERS else NOT_KNOWN
    if name == "size" and owner.block and args and type(args[0]) is int and -len(owner.block) <= args[0]:
        return replace(INT, likely=owner.block[args[0]]) if args[0] < len(owner.block) else INT
    if owner.kind not in _TENSORS:
        return NOT_KNOWN
    if name in ("size", "stride"):
        axes = [kinds.of(value) for value in (*args, *keywords.values())]
        one = all(axis.sure and axis.kind == "int" for axis in axes)  # `x.size(None)` gives all of them
        return replace(INT, sure=one) if axes else surely(INTEGERS)
    if name not in _AS_IT_IS:
        owner = replace(owner, block=None)
    given = [kinds.of(value) for value in (*args, *keywords.values())]
    dtype = next((one for one in given if one.kind == "dtype"), None)
    if name == "view" and args and given[0].kind == "dtype":
        return HostArgument("tensor", dtype=given[0].dtype, sure=given[0].sure)
    if name == "to":
        # What is passed may be a dtype, or a tensor, whose dtype it takes.
        said = [one for one in given if not one.sure or one.kind in ("tensor", "none")]
        dtype_of = dtype.dtype if dtype is not None else owner.dtype
        return HostArgument("tensor", dtype=dtype_of, block=owner.block, sure=not said and dtype_of is not None)
    made = _of_row(row, owner, args, keywords)
    anything = name == "view" and not all(one.sure or one.kind == "int" for one in given) or name in _SEVERAL
    return replace(made, sure=made.sure and not anything)


def in_place(op: ast.operator, tensor: HostArgument, other: HostArgument) -> HostArgument:
    """What ``tensor op= other`` leaves the name with. There is no ``__imatmul__``: that makes another tensor, of
    another dtype under autocast. What is neither a tensor nor a number may compute it in its own way, as arrays do."""
    if isinstance(op, ast.MatMult):
        return kinds.binary(op, tensor, other)
    beside = other.sure and other.kind in ("tensor", "int", "float", "bool")
    return tensor if beside else unsure(tensor)


def _of_row(row: LibraryRow, source: Value, args: Sequence[Value], keywords: Mapping[str, Value]) -> HostArgument:
    first = kinds.of(source)
    free = "out" not in keywords
    if row.gives == "same":
        made = first if first.kind == "tensor" else TENSOR
        if "dtype" in keywords:
            written = kinds.of(keywords["dtype"])
            made = replace(made, dtype=written.dtype, sure=made.sure and written.sure and written.kind == "dtype")
        return made if free else unsure(made)
    if row.gives == "tensor":
        if "dtype" in keywords:
            written = kinds.of(keywords["dtype"])
            if written.kind != "none" or not written.sure:
                return HostArgument("tensor", dtype=written.dtype, sure=free and written.sure)
        dtype, sure = (first.dtype, first.sure) if row.dtype == "same" else (row.dtype, True)
        return HostArgument("tensor", dtype=dtype, sure=free and sure)
    if row.gives == "number":
        return surely(FLOAT if any(kinds.of(value).kind == "float" for value in args) else INT)
    return HostArgument(row.gives, likely=UNKNOWN if row.likely is None else row.likely, sure=True)


def _reduced(
    tensor: HostArgument, name: str, args: Sequence[Value], keywords: Mapping[str, Value]
) -> HostArgument | None:
    """A method of a tensor that computes one of fewer elements; ``item`` gives a number."""
    if name not in REDUCES and name not in ("item", "any", "all") or tensor.kind != "tensor":
        return None
    if name == "item":
        kind = BOOL if tensor.dtype == "i1" else INT if is_int(tensor.dtype) else FLOAT
        return surely(kind) if is_int(tensor.dtype) or is_float(tensor.dtype) else NOT_KNOWN
    if name in ("any", "all"):
        return replace(TENSOR, dtype="i1", sure=tensor.dtype not in (None, "u8"))
    if "dtype" in keywords:
        written = kinds.of(keywords["dtype"])
        return replace(TENSOR, dtype=written.dtype, sure=written.sure and written.kind == "dtype")
    summed = name in ("sum", "prod", "cumsum") and is_int(tensor.dtype)
    alone = name in ("sum", "prod", "cumsum", "mean", "amax", "amin") or not args and not keywords
    # Whoever calls the function may do so under autocast, which has these computed in float32.
    narrow = tensor.dtype is not None and is_float(tensor.dtype) and bytes_of(tensor.dtype) < 4
    alone = alone and not (name in AUTOCAST and narrow)
    return replace(TENSOR, dtype="i64" if summed else tensor.dtype, sure=alone)
