"""What functions of torch, of Triton's host side and of Python give: one row a function, by the path that its name
resolves to, and one a method, by what it is a method of.

A table; each row is held against the real function by ``tests/host/test_host_library.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from kernel_analysis.record import record


@record
class Row:
    """``gives``: what kind of value; ``same``: that of the tensor that is asked or passed first; ``number``: a float if
    one is passed. ``dtype`` of a tensor: by name, that of the tensor (``same``), or None where it depends; an argument
    ``dtype`` comes first."""

    gives: Literal["tensor", "same", "int", "float", "bool", "str", "number"]
    dtype: str | None = None


def _rows(row: Row, prefix: str, names: str) -> dict[str, Row]:
    return {f"{prefix}{name}": row for name in names.split()}


FUNCTIONS: Final[Mapping[str, Row]] = {
    **_rows(Row("tensor", "fp32"), "torch.", "empty zeros ones rand randn empty_strided linspace"),
    **_rows(Row("tensor", "i64"), "torch.", "randint randperm argsort bincount argmax argmin"),
    **_rows(Row("tensor", "same"), "torch.", "empty_like zeros_like ones_like full_like rand_like randn_like"),
    **_rows(Row("tensor"), "torch.", "full arange tensor as_tensor cat stack from_numpy where cumsum matmul einsum"),
    **_rows(Row("bool"), "torch.", "is_tensor is_floating_point equal allclose is_grad_enabled"),
    **_rows(Row("int"), "torch.cuda.", "device_count current_device"),
    **_rows(Row("int"), "triton.", "cdiv next_power_of_2"),
    **_rows(Row("float"), "math.", "sqrt log log2 log10 exp pow sin cos tanh fabs"),
    **_rows(Row("int"), "math.", "ceil floor trunc gcd isqrt"),
    **_rows(Row("int"), "builtins.", "int len round ord hash id"),
    **_rows(Row("number"), "builtins.", "min max abs"),
    **_rows(Row("bool"), "builtins.", "bool isinstance issubclass hasattr callable any all"),
    "math.prod": Row("number"),
    "builtins.float": Row("float"),
    "builtins.str": Row("str"),
}

METHODS: Final[Mapping[str, Row]] = {
    **_rows(
        Row("same", "same"), "", "contiguous view reshape clone detach flatten squeeze unsqueeze transpose permute t"
    ),
    **_rows(Row("same", "same"), "", "expand expand_as view_as cuda cpu flip unflatten narrow select requires_grad_"),
    **_rows(Row("same", "same"), "", "repeat zero_ fill_ chunk to"),
    **_rows(Row("tensor", "same"), "", "new_empty new_zeros new_ones new_full new_tensor"),
    **_rows(Row("tensor", "i64"), "", "argsort bincount argmax argmin"),
    **_rows(Row("tensor"), "", "matmul where"),
    **_rows(Row("int"), "", "numel stride size element_size dim ndimension nelement data_ptr storage_offset"),
    **_rows(Row("bool"), "", "is_contiguous is_floating_point is_complex is_pinned"),
    "float": Row("tensor", "fp32"),
    "half": Row("tensor", "fp16"),
    "bfloat16": Row("tensor", "bf16"),
    "double": Row("tensor", "fp64"),
    "int": Row("tensor", "i32"),
    "long": Row("tensor", "i64"),
    "short": Row("tensor", "i16"),
    "char": Row("tensor", "i8"),
    "bool": Row("tensor", "i1"),
    "byte": Row("tensor", "u8"),
}
"""Methods of tensors, and of what may be one."""

REDUCES: Final = frozenset(("sum", "prod", "cumsum", "max", "min", "amax", "amin", "abs", "clamp", "mean"))
"""Methods that give a tensor of the same dtype; a sum of integers is of int64."""

NUMBERS: Final = frozenset((
    "numel", "stride", "size", "element_size", "dim", "ndim", "nelement", "data_ptr", "itemsize", "bit_length",
    "storage_offset", "ndimension", "device_count", "multi_processor_count", "nbytes", "index", "count", "_version",
    "prod", "cdiv", "next_power_of_2",
))  # fmt: skip
"""Attributes and methods of whatever that are integers."""

VIEWS: Final = frozenset((
    "view", "view_as", "expand", "expand_as", "squeeze", "unsqueeze", "transpose", "permute", "t", "narrow", "select",
    "unflatten", "detach", "requires_grad_",
))  # fmt: skip
"""Methods whose result always shares its memory with the tensor."""

MAY_SHARE: Final = frozenset((
    "reshape", "contiguous", "flatten", "cuda", "cpu", "to", "float", "half", "bfloat16", "double", "int", "long",
    "short", "char", "bool", "byte",
))  # fmt: skip
"""Methods whose result may be the tensor itself, or a copy."""

PARTS: Final = frozenset(("T", "mT", "data"))
"""Attributes of a tensor that share its memory."""

SAYS: Final = frozenset((
    "shape", "dtype", "device", "ndim", "layout", "is_cuda", "requires_grad", "is_sparse", "itemsize", "nbytes",
))  # fmt: skip
"""Attributes that say something of a tensor."""
