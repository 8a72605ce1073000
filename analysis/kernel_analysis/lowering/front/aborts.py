"""Calls for which Triton aborts the process instead of raising: they are errors here, like others.

Refuses nothing that Triton compiles.
"""

# pyright: basic
from __future__ import annotations

import inspect
from typing import Any, Final

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.front.value_types import type_text
from kernel_analysis.lowering.gate.gated_generator import unwrapped

_OF_NVIDIA: Final = "triton.experimental.gluon.language.nvidia."
_MEMORY: Final = ("mbarrier", "barrier", "result", "smem", "src", "dst")
_OPERANDS: Final = {
    "warpgroup_mma": ("b",),
    "tcgen05_mma": ("a", "b", "acc"),
    "tcgen05_mma_scaled": ("a", "b", "acc", "a_scale", "b_scale"),
}
"""What the parameters are called that take memory which a kernel allocates."""


def where(args: list[Any], named: dict[str, Any]) -> None:
    """Triton aborts the process where ``tl.where`` has a pointer in one arm and a number in the other."""
    given = {**dict(zip(("condition", "x", "y"), args, strict=False)), **named}
    arms: list[Any] = [unwrapped(given.get(name)) for name in ("x", "y")]
    arms = [arm for arm in arms if isinstance(arm, (compat.tl.tensor, int, float))]
    if len({_is_pointer(arm) for arm in arms}) > 1:
        what = " and ".join(type_text(arm) if isinstance(arm, compat.tl.tensor) else repr(arm) for arm in arms)
        raise TypeError(f"`tl.where` can't choose between a pointer and a number: it was given {what}")


def cast(given: list[Any]) -> None:
    """Triton aborts the process where something that has not 64 bits becomes a pointer, or a pointer a float."""
    source: Any = given[0] if given else None
    wanted = next((kind for kind in map(unwrapped, given[1:]) if isinstance(kind, compat.tl.dtype)), None)
    if wanted is None or not isinstance(source, compat.tl.tensor):
        return
    kind: Any = source.type
    scalar = kind.scalar
    if wanted.is_ptr() and not scalar.is_ptr() and str(scalar) not in ("int64", "uint64"):
        raise TypeError(f"only a 64-bit integer can become a pointer, and this is {type_text(source)}")
    if scalar.is_ptr() and wanted.is_floating():
        raise TypeError(f"a pointer can't become a {wanted}, only a 64-bit integer")


def memory(fn: Any, args: list[Any], named: dict[str, Any]) -> None:
    """Gluon's functions for NVIDIA's GPUs take the compiler's value for memory without a look at it."""
    if not getattr(fn, "__module__", "").startswith(_OF_NVIDIA) or not compat.tl.core.is_builtin(fn):
        return
    given = {**dict(zip(inspect.signature(fn).parameters, args, strict=False)), **named}
    for name in (*_MEMORY, *_OPERANDS.get(fn.__name__, ())):
        value = given.get(name)
        if isinstance(value, compat.tl.core.base_value) and hasattr(value, "handle") and not _is_memory(value):
            said = f"`{name}` of `{fn.__name__}` is memory that a kernel allocates"
            raise TypeError(f"{said}, and this is {type_text(value)}")
    described = given.get("tensor_desc")
    if isinstance(described, compat.tl.tensor) or described is not None and _is_memory(described):
        raise TypeError(f"`tensor_desc` of `{fn.__name__}` is a tensor descriptor, and this is {type_text(described)}")


def _is_pointer(value: Any) -> bool:
    return isinstance(value, compat.tl.tensor) and value.dtype.is_ptr()


def _is_memory(value: Any) -> bool:
    return type(value).__name__ in ("shared_memory_descriptor", "tensor_memory_descriptor")
