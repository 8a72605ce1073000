"""Compiles and runs kernels on the GPU and tells which bytes each launch changed, those around the buffers included.

A process of its own, with torch; ``corpus/runblock.py`` says what its jobs are. A run block that begins with a
``torch.manual_seed(...)`` chooses the poison.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

import corpus.runblock as runblock


def poisoned(kind: str, plain: Callable[[str], Callable[..., torch.Tensor]] = runblock.maker) -> Callable[..., Any]:
    """Like ``runblock.maker``; but under another seed than 0 the poison is another in each buffer and under each seed,
    so that a copy changes its target, and what a kernel writes was not there every time."""

    def make(content: int | list[float], *more: int) -> torch.Tensor:
        made = plain(kind)(content, *more)
        if isinstance(content, int) and torch.initial_seed():
            if made.dtype == torch.bool:
                numbers = torch.randint(0, 2, made.shape)
            else:  # as large as the page's own poison, because kernels may use it
                numbers = torch.randint(3, 92, made.shape)
                if made.dtype.is_floating_point:
                    numbers *= 1 - 2 * torch.randint(0, 2, made.shape)  # a condition on them goes both ways
            made.copy_(numbers.to(made.dtype))
        return made

    return make


def _given(name: str, argument: Any, watched: dict[str, torch.Tensor]) -> Any:
    """The argument as the kernel gets it; notes the buffers in it, those in a table as ``*name#index``."""
    if isinstance(argument, torch.Tensor):
        watched[name] = argument
    elif isinstance(argument, runblock.Table):
        watched[name] = argument.buffer
        watched.update({f"*{name}#{index}": target for index, target in enumerate(argument.targets)})
        return argument.buffer
    elif isinstance(argument, runblock.Address):
        watched[name] = argument.buffer
        return argument.buffer.data_ptr()
    elif isinstance(argument, TensorDescriptor):
        watched[name] = argument.base
    elif isinstance(argument, tuple):
        elements = [_given(f"{name}[{index}]", element, watched) for index, element in enumerate(argument)]
        return type(argument)(*elements) if hasattr(argument, "_fields") else tuple(elements)
    return argument


def _whole(tensor: torch.Tensor) -> torch.Tensor:
    """Every byte of the memory that a buffer lies in, the guards before and after it included."""
    return torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


def launch(kernel: Any, grid: tuple[int, ...], **arguments: Any) -> dict[str, Any]:
    """Launches a kernel and says which of its buffers changed."""
    watched: dict[str, torch.Tensor] = {}
    given = {name: _given(name, argument, watched) for name, argument in arguments.items()}
    memory = {whole.data_ptr(): whole for whole in map(_whole, watched.values())}
    before = {start: whole.clone() for start, whole in memory.items()}
    torch.cuda.synchronize()
    kernel[grid](**given)
    torch.cuda.synchronize()
    changes = {start: whole != before[start] for start, whole in memory.items()}
    buffers: dict[str, bool] = {}
    spans: list[tuple[int, slice]] = []
    for name, tensor in watched.items():
        start = tensor.untyped_storage().data_ptr()
        span = slice(tensor.data_ptr() - start, tensor.data_ptr() - start + tensor.numel() * tensor.itemsize)
        buffers[name] = bool(changes[start][span].any())
        spans.append((start, span))
    for start, span in spans:  # only now: buffers may overlap
        changes[start][span] = False
    if any(bool(change.any()) for change in changes.values()):
        raise AssertionError("the kernel wrote beside its buffers")
    function = kernel
    while not hasattr(function, "__name__"):
        function = function.fn
    return {"kernel": function.__name__, "buffers": buffers}


def _scratch(size: int, alignment: int, stream: int | None) -> torch.Tensor:
    """Where kernels keep the descriptors that they make."""
    return torch.empty(size, dtype=torch.int8)


if __name__ == "__main__":
    torch.set_default_device("cuda")
    triton.set_allocator(_scratch)
    runblock.maker = poisoned
    runblock.serve(launch)
