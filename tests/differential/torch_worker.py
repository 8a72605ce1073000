"""Asks PyTorch's ``identify_accessed_tensors`` about kernels, in a process with a stub driver (no GPU needed).

Answers the same run blocks as the corpus's ``truth_worker``, but launches nothing.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
import torch.utils._triton
import triton
from torch._higher_order_ops import triton_kernel_wrap
from triton.backends.compiler import GPUTarget
from triton.tools.tensor_descriptor import TensorDescriptor

from corpus.runblock import Address, Table, serve


class StubDriver:
    """Answers what the front end asks of a driver, for an H100."""

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)


class Warnings(logging.Handler):
    """Keeps the reason why PyTorch gave up, which it only logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.reason: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.reason = f"{type(error).__name__}: {error}".splitlines()[0] if error else record.getMessage()


triton.runtime.driver.set_active(StubDriver())  # pyright: ignore[reportArgumentType]
# Without a GPU it would not know host descriptors, and be blamed for what it does right on an H100.
torch.utils._triton.has_triton_tensor_descriptor_host_tma = lambda: True
WARNINGS = Warnings()
triton_kernel_wrap.log.addHandler(WARNINGS)
triton_kernel_wrap.log.propagate = False


def launch(kernel: Any, _grid: tuple[int, ...], **arguments: Any) -> dict[str, Any]:
    """What PyTorch says of a launch: the tensors read and written by name, and why it gave up if it did."""
    given: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    for name, argument in arguments.items():
        if isinstance(argument, Table):
            given[name] = argument.buffer
        elif isinstance(argument, Address):
            given[name] = argument.buffer.data_ptr()
        elif isinstance(argument, TensorDescriptor):
            # That is how PyTorch hands a host descriptor to its analysis: the tensor, and the block shape beside it.
            given[name] = argument.base
            metadata[name] = triton_kernel_wrap.create_tma_stable_metadata(list(argument.block_shape))
        else:
            given[name] = argument
    inner: Any = kernel
    while not isinstance(inner, triton.runtime.JITFunction):
        given = {**getattr(inner, "configs", [None])[0].kwargs, **given} if getattr(inner, "configs", None) else given
        if hasattr(inner, "values"):
            given |= {name: value({**given}) for name, value in inner.values.items()}
        inner = inner.fn
    given = {p.name: given.get(p.name, p.default) for p in inner.params}
    analyse: Any = triton_kernel_wrap.identify_accessed_tensors
    WARNINGS.reason = None
    start = time.perf_counter()
    found = analyse(inner, given, metadata)
    milliseconds = (time.perf_counter() - start) * 1000
    return {
        "kernel": inner.fn.__name__,
        "read": sorted(dep.name for dep in found.read_writes.reads),
        "written": sorted(dep.name for dep in found.read_writes.writes),
        "tensors": sorted(name for name, value in given.items() if isinstance(value, torch.Tensor)),
        "gave_up": WARNINGS.reason,
        "milliseconds": milliseconds,
    }


if __name__ == "__main__":
    serve(launch)
