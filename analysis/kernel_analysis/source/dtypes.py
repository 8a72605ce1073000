"""torch's dtypes: their names, what Triton calls them, and what their numbers are. A table; imports neither."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DTYPES: Final[Mapping[str, str | None]] = {
    "float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16",
    "float8_e8m0fnu": None, "float4_e2m1fn_x2": None,
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "complex32": None, "complex64": None, "complex128": None,
}  # fmt: skip
"""What a signature of Triton's calls each; None for those of which Triton has no pointers."""
ALIASES: Final[Mapping[str, str]] = {
    "double": "float64", "float": "float32", "half": "float16", "long": "int64", "int": "int32", "short": "int16",
    "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
NAMES: Final = frozenset((*DTYPES, *ALIASES))
TRITON: Final[Mapping[str, str]] = {
    name: kind for name in (*DTYPES, *ALIASES) if (kind := DTYPES[ALIASES.get(name, name)]) is not None
}
"""By each of torch's names."""
TORCH: Final[Mapping[str, str]] = {kind: name for name, kind in DTYPES.items() if kind is not None}
"""torch's names of Triton's types."""
LANGUAGE: Final[Mapping[str, str]] = {
    "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "float8e4nv": "fp8e4nv",
    "float8e5": "fp8e5", "float8e4b15": "fp8e4b15", "float8e4b8": "fp8e4b8", "float8e5b16": "fp8e5b16", "int1": "i1",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32",
    "uint64": "u64",
}  # fmt: skip
"""The names that ``triton.language`` gives its dtypes, and how a signature spells them."""

# bits, max, eps, tiny: so that a kernel's `FP8_MAX = torch.finfo(torch.float8_e4m3fn).max` is known without torch.
_FLOATS: Final[Mapping[str, tuple[int, float, float, float]]] = {
    "float64": (64, 1.7976931348623157e308, 2.220446049250313e-16, 2.2250738585072014e-308),
    "float32": (32, 3.4028234663852886e38, 1.1920928955078125e-07, 1.1754943508222875e-38),
    "float16": (16, 65504.0, 0.0009765625, 6.103515625e-05),
    "bfloat16": (16, 3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38),
    "float8_e4m3fn": (8, 448.0, 0.125, 0.015625),
    "float8_e4m3fnuz": (8, 240.0, 0.125, 0.0078125),
    "float8_e5m2": (8, 57344.0, 0.25, 6.103515625e-05),
    "float8_e5m2fnuz": (8, 57344.0, 0.25, 3.0517578125e-05),
}


def is_float(kind: str | None) -> bool:
    """Whether one of Triton's types is known to be of floating-point numbers."""
    return kind is not None and kind[0] in "fb"


def is_int(kind: str | None) -> bool:
    """Whether one of Triton's types is known to be of integers or bools."""
    return kind is not None and kind[0] in "iu"


def bytes_of(kind: str) -> int:
    """The bytes of an element of one of Triton's types; what has less than one is in one."""
    digits = "8" if kind.startswith("fp8") else "".join(c for c in kind if c.isdigit())
    return max(1, int(digits or 8) // 8)


def info(path: str, dtype: str, attribute: str) -> int | float | None:
    """``torch.finfo(dtype).max`` and the like."""
    dtype = ALIASES.get(dtype, dtype)
    if path == "torch.finfo" and dtype in _FLOATS:
        bits, largest, eps, tiny = _FLOATS[dtype]
        known = {"bits": bits, "max": largest, "min": -largest, "eps": eps, "tiny": tiny, "smallest_normal": tiny}
        return known.get(attribute)
    digits = dtype.lstrip("uint")
    if path == "torch.iinfo" and digits.isdigit():
        bits = int(digits)
        if dtype.startswith("u"):
            return {"bits": bits, "max": 2**bits - 1, "min": 0}.get(attribute)
        return {"bits": bits, "max": 2 ** (bits - 1) - 1, "min": -(2 ** (bits - 1))}.get(attribute)
    return None
