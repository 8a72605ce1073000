"""What is known, without reading or running them, of the packages that kernels' files import: Triton's names by its
files, torch's dtypes, Python's own constants. Never imports any of them."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from kernel_analysis.source.slice import TorchDtype
from kernel_analysis.source.values import External, Value

if TYPE_CHECKING:
    from kernel_analysis.source.resolve import Resolver

TORCH_DTYPES = frozenset(
    [
        "bfloat16",
        "bool",
        "complex128",
        "complex64",
        "complex32",
        "double",
        "float",
        "float16",
        "float32",
        "float64",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "float4_e2m1fn_x2",
        "half",
        "int",
        "int16",
        "int32",
        "int64",
        "int8",
        "long",
        "short",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "cfloat",
        "cdouble",
    ]
)
# torch.finfo and torch.iinfo, so that a kernel's `FP8_MAX = torch.finfo(torch.float8_e4m3fn).max` is known without
# torch. bits, max, eps, tiny
_FLOATS: dict[str, tuple[int, float, float, float]] = {
    "float64": (64, 1.7976931348623157e308, 2.220446049250313e-16, 2.2250738585072014e-308),
    "float32": (32, 3.4028234663852886e38, 1.1920928955078125e-07, 1.1754943508222875e-38),
    "float16": (16, 65504.0, 0.0009765625, 6.103515625e-05),
    "bfloat16": (16, 3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38),
    "float8_e4m3fn": (8, 448.0, 0.125, 0.015625),
    "float8_e4m3fnuz": (8, 240.0, 0.125, 0.0078125),
    "float8_e5m2": (8, 57344.0, 0.25, 6.103515625e-05),
    "float8_e5m2fnuz": (8, 57344.0, 0.25, 3.0517578125e-05),
}
_ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}
_CONSTANTS: dict[str, Value] = {
    "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau, "math.inf": math.inf, "math.nan": math.nan,
    "numpy.pi": math.pi, "numpy.e": math.e, "numpy.inf": math.inf, "numpy.nan": math.nan,
    "torch.pi": math.pi, "torch.e": math.e, "torch.inf": math.inf, "torch.nan": math.nan,
    "typing.TYPE_CHECKING": False, "typing_extensions.TYPE_CHECKING": False,
}  # fmt: skip


def opaque(dotted: str) -> bool:
    """Whether a package is never read: it is too large, and what kernels take from it is known here. Torch's
    submodules are read."""
    return dotted in ("torch", "numpy", "jax", "packaging", "packaging.version", "typing_extensions", "pytest")


def external_member(path: str, name: str) -> Value:
    """An attribute of a package that is not read."""
    if path == "torch" and name in TORCH_DTYPES:
        return TorchDtype(name)
    full = f"{path}.{name}"
    return _CONSTANTS.get(full, External(full))


def dtype_info(path: str, dtype: str, attribute: str) -> int | float | None:
    """``torch.finfo(dtype).max`` and the like."""
    dtype = _ALIASES.get(dtype, dtype)
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


def triton_version(resolver: Resolver) -> str | None:
    """``triton.__version__`` as its ``__init__.py`` says it."""
    if not resolver.triton_home:
        return None
    module = resolver.project.load(resolver.triton_home + "__init__.py")
    for event in module.table.events.get("__version__", []):
        if isinstance(event.value, ast.Constant) and isinstance(event.value.value, str):
            return event.value.value
    return None


def triton_has(resolver: Resolver, path: str) -> bool:
    """Whether the installed Triton has an object of this dotted path, by its files. Without an installed Triton
    everything is there."""
    if not resolver.triton_home:
        return True
    parts = path.split(".")
    folder = resolver.triton_home.rstrip("/")
    for index, part in enumerate(parts[1:], 1):
        if resolver.project.exists(f"{folder}/{part}/__init__.py"):
            folder = f"{folder}/{part}"
            continue
        if resolver.project.exists(f"{folder}/{part}.py"):
            rest = parts[index + 1 :]
            return not rest or _bound(resolver, f"{folder}/{part}.py", rest[0])
        return _bound(resolver, f"{folder}/__init__.py", part)
    return True


def is_triton_module(resolver: Resolver, path: str) -> bool:
    """Whether this is a module of the installed Triton, by its files; of one that is not there only the best known
    are."""
    if not resolver.triton_home:
        return path in ("triton", "triton.language")
    folder = resolver.triton_home.rstrip("/")
    for part in path.split(".")[1:]:
        folder = f"{folder}/{part}"
    return resolver.project.exists(f"{folder}/__init__.py") or resolver.project.exists(f"{folder}.py")


def _bound(resolver: Resolver, file: str, name: str, depth: int = 0) -> bool:
    """Whether a module of Triton binds the name at its top level, star imports included."""
    table = resolver.project.load(file).table
    if name in table.events:
        return True
    if depth > 4 or not table.stars:
        return False
    for event in table.stars:
        node = event.node
        if isinstance(node, ast.ImportFrom):
            located = resolver.project.find_module("." * node.level + (node.module or ""), file)
            if located and located != file and _bound(resolver, located, name, depth + 1):
                return True
    return False


def torch_version(resolver: Resolver) -> str | None:
    """``torch.__version__`` as the installed torch's ``version.py`` says it."""
    located = resolver.project.locate_installed(["torch", "version"])
    if located is None or located.file is None:
        return None
    for event in resolver.project.load(located.file).table.events.get("__version__", []):
        if isinstance(event.value, ast.Constant) and isinstance(event.value.value, str):
            return event.value.value
    return None
