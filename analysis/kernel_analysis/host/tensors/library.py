"""What functions of torch, of Triton's host side and of Python give: one row a function, by the path that its name
resolves to, and one a method, by what it is a method of.

A table; each row is held against the real function by ``tests/analysis/host/test_host_library.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from kernel_analysis.record import record


@record
class LibraryRow:
    """``gives``: what kind of value; ``same``: that of the tensor that is asked or passed first; ``number``: a float if
    one is passed. ``dtype`` of a tensor: by name, that of the tensor (``same``), or None where it depends; an argument
    ``dtype`` comes first. ``shape``: the same way that of the tensor (``same``), or the sizes in the arguments, all
    (``given``) or the first or last of them; None for what is another thing in each function. ``likely``: how large an
    integer is, about, that is no size."""

    gives: Literal["tensor", "same", "int", "float", "bool", "str", "number"]
    dtype: str | None = None
    shape: Literal["same", "given", "first", "last"] | None = None
    likely: int | None = None


_ADDRESS: Final = LibraryRow("int", likely=0x7F00_0000_0000)


def _rows(row: LibraryRow, prefix: str, names: str) -> dict[str, LibraryRow]:
    return {f"{prefix}{name}": row for name in names.split()}


FUNCTIONS: Final[Mapping[str, LibraryRow]] = {
    **_rows(LibraryRow("tensor", "fp32", "given"), "torch.", "empty zeros ones rand randn"),
    **_rows(LibraryRow("tensor", "fp32"), "torch.", "empty_strided linspace"),
    **_rows(LibraryRow("tensor", "i64"), "torch.", "randperm bincount argmax argmin"),
    **_rows(LibraryRow("tensor", "i64", "same"), "torch.", "argsort"),
    **_rows(
        LibraryRow("tensor", "same", "same"), "torch.", "empty_like zeros_like ones_like full_like rand_like randn_like"
    ),
    **_rows(LibraryRow("tensor"), "torch.", "arange tensor as_tensor cat stack from_numpy where cumsum matmul einsum"),
    **_rows(
        LibraryRow("tensor"),
        "torch.nn.functional.",
        "dropout1d dropout3d gaussian_nll_loss gumbel_softmax linear_cross_entropy local_response_norm max_unpool1d "
        "multilabel_soft_margin_loss normalize softsign tanhshrink",
    ),
    "torch.full": LibraryRow("tensor", shape="first"),
    "torch.randint": LibraryRow("tensor", "i64", "last"),
    **_rows(LibraryRow("bool"), "torch.", "is_tensor is_floating_point equal allclose is_grad_enabled"),
    **_rows(LibraryRow("int"), "torch.cuda.", "device_count current_device"),
    **_rows(LibraryRow("int"), "triton.", "cdiv next_power_of_2"),
    **_rows(LibraryRow("float"), "math.", "sqrt log log2 log10 exp pow sin cos tanh fabs"),
    **_rows(LibraryRow("int"), "math.", "ceil floor trunc gcd isqrt"),
    **_rows(LibraryRow("int"), "builtins.", "int len round ord hash"),
    "builtins.id": _ADDRESS,
    **_rows(LibraryRow("number"), "builtins.", "min max abs"),
    **_rows(LibraryRow("bool"), "builtins.", "bool isinstance issubclass hasattr callable any all"),
    "math.prod": LibraryRow("number"),
    "builtins.float": LibraryRow("float"),
    "builtins.str": LibraryRow("str"),
}

_COMPUTED: Final = (
    "abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr apply arccos arccosh arcsin arcsinh "
    "arctan2 arctan arctanh asin asinh atan2 atan atanh baddbmm bernoulli bitwise_and bitwise_left_shift "
    "bitwise_not bitwise_or bitwise_right_shift bitwise_xor cauchy ceil clamp clamp_max clamp_min clip "
    "conj_physical copy copysign cos cosh cumprod cumsum deg2rad digamma div divide eq erf erfc erfinv exp2 exp "
    "expm1 exponential fill fill_diagonal fix float_power floor floor_divide fmod frac gcd ge geometric greater "
    "greater_equal gt heaviside hypot i0 igamma igammac index_add index_copy index_fill index_put index_reduce "
    "lcm ldexp le lerp less less_equal lgamma log10 log1p log2 log log_normal logical_and logical_not logical_or "
    "logical_xor logit lt map2 map masked_fill masked_scatter mul multiply mvlgamma nan_to_num ne neg negative "
    "nextafter normal not_equal polygamma pow put rad2deg random reciprocal relu remainder renorm round rsqrt "
    "scatter scatter_add scatter_reduce sgn share_memory sigmoid sign sin sinc sinh sqrt square sub subtract tan "
    "tanh tril triu true_divide trunc uniform xlogy zero"
)
IN_PLACE: Final = frozenset(f"{name}_" for name in _COMPUTED.split())
"""Methods that change what is in a tensor, and give that tensor."""

METHODS: Final[Mapping[str, LibraryRow]] = {
    **_rows(
        LibraryRow("same", "same", "same"),
        "",
        "contiguous clone detach cuda cpu flip detach_ requires_grad_ to",
    ),
    **dict.fromkeys(IN_PLACE, LibraryRow("same", "same", "same")),
    **_rows(
        LibraryRow("same", "same"), "", "t_ transpose_ squeeze_ unsqueeze_ swapaxes_ swapdims_ as_strided_ resize_"
    ),
    **_rows(LibraryRow("same", "same"), "", "view reshape flatten squeeze unsqueeze transpose permute t"),
    **_rows(LibraryRow("same", "same"), "", "expand expand_as view_as unflatten narrow select repeat chunk"),
    **_rows(LibraryRow("tensor", "same", "given"), "", "new_empty new_zeros new_ones"),
    **_rows(LibraryRow("tensor", "same", "first"), "", "new_full"),
    **_rows(LibraryRow("tensor", "same"), "", "new_tensor new_empty_strided"),
    **_rows(LibraryRow("tensor", "i64"), "", "bincount argmax argmin"),
    **_rows(LibraryRow("tensor", "i64", "same"), "", "argsort"),
    **_rows(LibraryRow("tensor", None, "same"), "", "type_as exp log sqrt neg"),
    **_rows(LibraryRow("tensor"), "", "matmul where"),
    **_rows(LibraryRow("int"), "", "numel stride size element_size dim ndimension nelement storage_offset"),
    "data_ptr": _ADDRESS,
    **_rows(LibraryRow("bool"), "", "is_contiguous is_floating_point is_complex is_pinned"),
    "float": LibraryRow("tensor", "fp32", "same"),
    "half": LibraryRow("tensor", "fp16", "same"),
    "bfloat16": LibraryRow("tensor", "bf16", "same"),
    "double": LibraryRow("tensor", "fp64", "same"),
    "int": LibraryRow("tensor", "i32", "same"),
    "long": LibraryRow("tensor", "i64", "same"),
    "short": LibraryRow("tensor", "i16", "same"),
    "char": LibraryRow("tensor", "i8", "same"),
    "bool": LibraryRow("tensor", "i1", "same"),
    "byte": LibraryRow("tensor", "u8", "same"),
}
"""Methods of tensors, and of what may be one."""

REDUCES: Final = frozenset(("sum", "prod", "cumsum", "max", "min", "amax", "amin", "abs", "clamp", "mean"))
"""Methods that give a tensor of the same dtype; a sum of integers is of int64."""

AUTOCAST: Final = frozenset(("sum", "prod", "cumsum"))
"""Of these, what ``torch.autocast`` gives another dtype."""

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
    "short", "char", "bool", "byte", "type_as",
))  # fmt: skip
"""Methods whose result may be the tensor itself, or a copy."""

ATTRIBUTES: Final[Mapping[str, Literal["tensor", "tuple", "int", "bool", "dtype", "other"]]] = {
    **dict.fromkeys(("T", "mT", "data"), "tensor"),
    "shape": "tuple",
    **dict.fromkeys(("ndim", "itemsize", "nbytes"), "int"),
    "dtype": "dtype",
    **dict.fromkeys(("is_cuda", "requires_grad", "is_sparse"), "bool"),
    **dict.fromkeys(("device", "layout"), "other"),
}
"""Attributes of a tensor, and what they give."""

PARTS: Final = frozenset(name for name, gives in ATTRIBUTES.items() if gives == "tensor")
"""Attributes of a tensor that share its memory."""

SAYS: Final = frozenset(ATTRIBUTES) - PARTS
"""Attributes that say something of a tensor."""

OF_SHAPE: Final = frozenset(("size", "numel", "nelement", "dim", "ndimension", "element_size"))
"""Methods that say something of a tensor's shape and dtype alone."""

OF_LAYOUT: Final = frozenset(("stride", "is_contiguous"))
"""Methods that say how a tensor lies in memory."""

CASTS: Final = frozenset(("float", "half", "bfloat16", "double", "int", "long", "short", "char", "bool", "byte"))
"""Methods without arguments that give a tensor of another dtype."""

_RANDOM: Final = frozenset(("rand", "randn", "rand_like", "randn_like"))
LIKE: Final = (
    frozenset(path[6:] for path in FUNCTIONS if path.startswith("torch.") and path.endswith("_like")) - _RANDOM
)
"""Functions of torch that make a tensor like another, the same each time."""

NEW_LIKE: Final = frozenset(name for name in METHODS if name.startswith("new_")) - {"new_tensor"}
"""Methods that make a tensor on the device, and of the dtype, of another."""

NEW: Final = frozenset(
    path[6:] for path, row in FUNCTIONS.items() if row.shape in ("given", "first") and path.startswith("torch.")
) - _RANDOM | {"empty_strided"}
"""Functions of torch that make a tensor of a shape, the same each time."""

OF_TENSORS: Final = frozenset((
    "contiguous", "data_ptr", "device", "dim", "dtype", "element_size", "is_contiguous", "is_cuda", "ndim",
    "new_empty", "new_zeros", "numel", "requires_grad", "shape", "storage_offset", "stride", "unsqueeze",
))  # fmt: skip
"""Attributes and methods that of all that is handed around in host code only tensors have."""

OF_ARRAYS: Final = frozenset(("size", "view", "reshape", "transpose", "permute", "flatten", "T", "mT"))
"""Those that arrays of other libraries have as well."""

INDICES: Final[Mapping[str, int]] = {
    "gather": 1, "scatter": 1, "scatter_": 1, "scatter_add": 1, "scatter_add_": 1, "take_along_dim": 0,
}  # fmt: skip
"""Methods that take an index of int64, and where; as functions of ``torch`` one further."""

LABELS: Final[Mapping[str, int]] = {"one_hot": 0, "nll_loss": 1}
"""Functions of torch that take labels of int64, and where."""
