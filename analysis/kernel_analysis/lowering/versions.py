"""What Triton's language had once, or has only since: what to write instead, and which version takes it as it is.

A table for messages about the chosen Triton, read off the wheels of 2.1, 2.3, 3.0, 3.3, 3.6, 3.7, 3.8 and 3.9 (what 1.x
and 2.0 took: off kernels of that time). May not decide what is an error: the compiler does.
"""

# pyright: basic
from __future__ import annotations

import re
from dataclasses import dataclass

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import gate

_DESCRIPTOR = (
    "Make a tensor descriptor, `desc = tl.make_tensor_descriptor(base, shape, strides, block_shape)`, "
    "and use `desc.load(offsets)` and `desc.store(offsets, value)`"
)


@dataclass(frozen=True)
class _Gone:
    """``pattern``: of the path, or of the compiler's message; ``takes``: a version that has it."""

    pattern: str
    takes: str
    instead: str


_GONE = (
    _Gone(
        r"Block pointers have been removed|^triton\.language\.(?:make_block_ptr|advance)$",
        "3.8",
        f"{_DESCRIPTOR}; what `tl.advance` did is another offset.",
    ),
    _Gone(
        r"unexpected keyword argument '(?:boundary_check|padding_option)'",
        "3.8",
        "It went with the block pointers: a tensor descriptor checks its bounds by itself, a pointer takes a `mask` "
        "and `other`.",
    ),
    _Gone(
        r"^too many indices for tensor of rank 0",
        "3.8",
        "A number goes with a block of any shape as it is: write `x` for `x[:, None]`, or `tl.full([1, 1], x, x.dtype)`"
        " where a block is needed.",
    ),
    _Gone(
        r"^async_copy_\w+ has been removed",
        "3.8",
        "What Gluon copies from global memory is `async_load` now, and what it copies there `async_store`.",
    ),
    _Gone(r"^the address space can.t be", "3.8", "Leave it out of `tl.pointer_type`: global memory is meant then."),
    _Gone(r"has no attribute '_reinterpret'$", "3.8", "It is `reinterpret` now."),
    _Gone(r"^triton\.language\.math\.max$", "2.3", "It is `tl.maximum` now."),
    _Gone(r"^triton\.language\.math\.min$", "2.3", "It is `tl.minimum` now."),
    _Gone(r"^triton\.language\.libdevice$", "2.0", "It is `triton.language.extra.libdevice` now."),
    _Gone(r"^triton\.language\.float8e4$", "2.1", "It is `tl.float8e4nv` now."),
    _Gone(r"^triton\.language\._experimental_descriptor_(?:load|store)$", "3.3", f"{_DESCRIPTOR}."),
    _Gone(r"^triton\.language\._experimental_make_tensor_descriptor$", "3.3", "It is `tl.make_tensor_descriptor` now."),
    _Gone(
        r"^triton\.language\._experimental_reinterpret_tensor_descriptor$",
        "3.3",
        "Pass a descriptor that was made on the host, `triton.tools.tensor_descriptor.TensorDescriptor`.",
    ),
    _Gone(r"^triton\.language\.extra\.cuda\.experimental_device_tensormap_", "3.3", f"{_DESCRIPTOR}."),
    _Gone(r"^triton\.ops\b", "3.0", "Its kernels live on in the package `triton-kernels`, or in copies."),
    _Gone(r"unexpected keyword argument 'trans_[ab]'", "1.x", "Transpose the operand: `tl.dot(a, tl.trans(b))`."),
    _Gone(r"^\*\*\w+$", "1.x", "Write each of them as a parameter of its own, `BLOCK: tl.constexpr`."),
)

_SINCE = {
    "triton.language.squeeze": "3.7",
    "triton.language.unsqueeze": "3.7",
    "triton.language.to_tensor": "3.7",
    "triton.language.expect_zero": "3.8",
    "triton.language.aggregate_replace": "3.8",
    "triton.aggregate": "3.8",
    "triton.language.atomic_load": "3.9",
    "triton.language.atomic_store": "3.9",
    "triton.language.atomic_poll": "3.9",
}

_MISSING = (
    re.compile(r"module '(?P<owner>[\w.]+)' has no attribute '(?P<name>\w+)'"),
    re.compile(r"has no `(?P<owner>[\w.]+)\.(?P<name>\w+)`"),
)
_MOVED_MATH = re.compile(r"^triton\.language\.(?:math|libdevice)\.(\w+)$")


def advice(message: str) -> str | None:
    """What to say about an error that only the chosen Triton makes of the code; None for any other error."""
    path = next((f"{m['owner']}.{m['name']}" for p in _MISSING if (m := p.search(message))), message)
    if path.startswith("*") and not path.startswith("**"):
        return f"It came with Triton 3.8 ({_chosen()}): pass a tuple, or write each as a parameter of its own."
    if path in _SINCE:
        return f"It came with Triton {_SINCE[path]} ({_chosen()})."
    math = _MOVED_MATH.match(path)
    for gone in _GONE:
        if re.search(gone.pattern, path):
            return f"{gone.instead} Triton {gone.takes} still takes it as it is ({_chosen()})."
    if math is not None and _in_libdevice(math[1]):
        instead = f"It is `libdevice.{math[1]}` now, with `from triton.language.extra import libdevice`."
        return f"{instead} Triton 2.3 still takes it as it is ({_chosen()})."
    return None


def _chosen() -> str:
    return f"the chosen one is {compat.triton_version}"


def _in_libdevice(name: str) -> bool:
    try:
        return hasattr(gate.resolve("triton.language.extra.libdevice"), name)
    except AttributeError:
        return False
