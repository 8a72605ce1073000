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
    ``dtype`` comes first. ``shape``: the same way that of the tensor (``same``), or the sizes in the arguments, all
    (``given``) or the first or last of them; None for what is another thing in each function."""

    gives: Literal["tensor", "same", "int", "float", "bool", "str", "number"]
    dtype: str | None = None
    shape: Literal["same", "given", "first", "last"] | None = None


def _rows(row: Row, prefix: str, names: str) -> dict[str, Row]:
    return {f"{prefix}{name}": row for name in names.split()}


FUNCTIONS: Final[Mapping[str, Row]] = {
    **_rows(Row("tensor", "fp32", "given"), "torch.", "empty zeros ones rand randn"),
    **_rows(Row("tensor", "fp32"), "torch.", "empty_strided linspace"),
    **_rows(Row("tensor", "i64"), "torch.", "randperm bincount argmax argmin"),
    **_rows(Row("tensor", "i64", "same"), "torch.", "argsort"),
    **_rows(Row("tensor", "same", "same"), "torch.", "empty_like zeros_like ones_like full_like rand_like randn_like"),
    **_rows(Row("tensor"), "torch.", "arange tensor as_tensor cat stack from_numpy where cumsum matmul einsum"),
    "torch.full": Row("tensor", shape="first"),
    "torch.randint": Row("tensor", "i64", "last"),
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
        Row("same", "same", "same"), "", "contiguous clone detach cuda cpu flip requires_grad_ zero_ fill_ copy_ to"
    ),
    **_rows(Row("same", "same"), "", "view reshape flatten squeeze unsqueeze transpose permute t"),
    **_rows(Row("same", "same"), "", "expand expand_as view_as unflatten narrow select repeat chunk"),
    **_rows(Row("tensor", "same", "given"), "", "new_empty new_zeros new_ones"),
    **_rows(Row("tensor", "same", "first"), "", "new_full"),
    **_rows(Row("tensor", "same"), "", "new_tensor"),
    **_rows(Row("tensor", "i64"), "", "bincount argmax argmin"),
    **_rows(Row("tensor", "i64", "same"), "", "argsort"),
    **_rows(Row("tensor", None, "same"), "", "type_as exp log sqrt neg"),
    **_rows(Row("tensor"), "", "matmul where"),
    **_rows(Row("int"), "", "numel stride size element_size dim ndimension nelement data_ptr storage_offset"),
    **_rows(Row("bool"), "", "is_contiguous is_floating_point is_complex is_pinned"),
    "float": Row("tensor", "fp32", "same"),
    "half": Row("tensor", "fp16", "same"),
    "bfloat16": Row("tensor", "bf16", "same"),
    "double": Row("tensor", "fp64", "same"),
    "int": Row("tensor", "i32", "same"),
    "long": Row("tensor", "i64", "same"),
    "short": Row("tensor", "i16", "same"),
    "char": Row("tensor", "i8", "same"),
    "bool": Row("tensor", "i1", "same"),
    "byte": Row("tensor", "u8", "same"),
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
