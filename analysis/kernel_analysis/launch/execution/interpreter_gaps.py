"""What Triton's interpreter lacks: libdevice's functions, computed with numpy, and floats that are passed at run time,
which it leaves as Python's. Imports Triton's interpreter; only used with it."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime import interpreter
from triton.runtime.interpreter import TensorHandle

_ERF = np.vectorize(math.erf, otypes=[np.float64])
_GAMMA = np.vectorize(math.lgamma, otypes=[np.float64])
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs, "fabs": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint,
    "nearbyint": np.rint, "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1,
    "exp10": lambda x: np.power(10.0, x), "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "pow": np.power, "fmod": np.fmod, "hypot": np.hypot, "copysign": np.copysign,
    "erf": _ERF, "erfc": lambda x: 1 - _ERF(x), "lgamma": _GAMMA, "fma": lambda x, y, z: x * y + z,
    "fast_tanhf": np.tanh, "fast_expf": np.exp, "fast_logf": np.log, "fast_sinf": np.sin, "fast_cosf": np.cos,
    "fast_powf": np.power, "fast_dividef": np.divide, "fast_log2f": np.log2, "div_rn": np.divide, "llrint": np.rint,
}  # fmt: skip
_TESTS: dict[str, Callable[..., Any]] = {
    "isnan": np.isnan, "isinf": np.isinf, "finitef": np.isfinite, "isfinited": np.isfinite, "signbit": np.signbit,
}  # fmt: skip
_MODULES = (
    "triton.language.extra.libdevice",
    "triton.language.extra.cuda.libdevice",
    "triton.language.extra.hip.libdevice",
)


class _Driver:
    """Answers a kernel that asks which GPU it runs on, as the analysis does."""

    def __init__(self, target: str) -> None:
        backend, _, arch = target.partition(":")
        self._target = GPUTarget(backend, int(arch) if arch.isdigit() else arch, 64 if backend == "hip" else 32)

    def get_current_target(self) -> GPUTarget:
        return self._target


def install(target: str) -> None:
    """Puts numpy's functions in the place of libdevice's, and the target in the place of a device."""
    driver: Any = triton.runtime.driver
    driver.set_active(_Driver(target))
    if triton.__version__.startswith("3.6."):
        _take_scalars_as_numbers()
    for name in _MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        for function, computed in {**_FUNCTIONS, **_TESTS}.items():
            if hasattr(module, function):
                setattr(module, function, _replacement(computed, function in _TESTS))


def _take_scalars_as_numbers() -> None:
    """Triton 3.6's interpreter makes a number of a scalar in a way that NumPy refuses from 2.4 on; here as later ones
    do it."""
    module: Any = interpreter
    patch = module._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.squeeze()))

    module._patch_lang_tensor = patched


def _replacement(computed: Callable[..., Any], test: bool) -> Callable[..., Any]:
    def call(*arguments: Any, **_: Any) -> Any:
        tensors = [argument for argument in arguments if isinstance(argument, tl.tensor)]
        data = [argument.handle.data if isinstance(argument, tl.tensor) else argument for argument in arguments]
        type_ = tl.int32 if test else tensors[0].dtype
        with np.errstate(all="ignore"):
            values = np.asarray(computed(*data)).astype(np.int32 if test else data[0].dtype)
        shape: Any = tensors[0].type
        block = tl.block_type(type_, shape.get_block_shapes()) if shape.is_block() else type_
        return tl.tensor(TensorHandle(values, type_), block)

    return call


def number(value: float, type_: str) -> Any:
    """A float as the kernel gets it on a device: a number of 32 bits (64 where it is so declared)."""
    wide = type_ == "fp64"
    dtype = tl.float64 if wide else tl.float32
    return tl.tensor(TensorHandle(np.array([value], dtype=np.float64 if wide else np.float32), dtype), dtype)
