"""Runs kernels in Triton's interpreter and tells exactly which bytes of which buffer each launch read and wrote.

A process of its own, with torch and ``TRITON_INTERPRET=1``; ``runblock`` says what its jobs are.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch
import triton.runtime.interpreter as interpreter
from triton.tools.tensor_descriptor import TensorDescriptor

from corpus.runblock import Address, Table, serve


class Trace:
    """Stands in for the interpreter's memory functions and notes every address that they touch."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.ranges: list[tuple[int, int, str]] = []
        self.events: list[tuple[str, str, tuple[int, ...], tuple[int, int, int]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def _note(self, kind: str, addresses: Any, mask: Any, width: int) -> None:
        addresses, mask = np.broadcast_arrays(addresses, mask)
        touched: dict[str, list[int]] = {}
        for address in addresses[mask.astype(bool)].tolist():
            # More than one where a parameter is a view of a part of another's buffer.
            inside = [(name, start) for start, end, name in self.ranges if start <= address and address + width <= end]
            if not inside:
                raise AssertionError(f"the kernel {kind}s address {address}, which is in none of its buffers")
            for name, start in inside:
                touched.setdefault(name, []).append(address - start)
        for name, offsets in touched.items():
            self.events.append((kind, name, tuple(offsets), interpreter.interpreter_builder.grid_idx))

    def load(self, ptrs: Any, mask: Any, other: Any, dtype: Any) -> Any:
        self._note("read", ptrs, mask, dtype.itemsize)
        return self._real.load(ptrs, mask, other, dtype)

    def store(self, ptrs: Any, values: Any, mask: Any) -> Any:
        self._note("write", ptrs, mask, values.dtype.itemsize)
        return self._real.store(ptrs, values, mask)

    def atomic_rmw(self, op: Any, ptrs: Any, values: Any, mask: Any, sem: Any) -> Any:
        self._note("read", ptrs, mask, values.dtype.itemsize)
        self._note("write", ptrs, mask, values.dtype.itemsize)
        return self._real.atomic_rmw(op, ptrs, values, mask, sem)

    def atomic_cas(self, ptrs: Any, expected: Any, values: Any, sem: Any) -> Any:
        # A compare-and-swap that fails still counts as a write: another value would have made it one.
        self._note("read", ptrs, True, values.dtype.itemsize)
        self._note("write", ptrs, True, values.dtype.itemsize)
        return self._real.atomic_cas(ptrs, expected, values, sem)


TRACE = Trace(interpreter._interpreter)
interpreter._interpreter = TRACE


def _give(name: str, argument: Any, watched: dict[str, torch.Tensor]) -> Any:
    """The argument as the kernel gets it; notes the buffers in it under the parameter's name."""
    if isinstance(argument, torch.Tensor):
        watched[name] = argument
    elif isinstance(argument, Table):
        watched[name] = argument.buffer
        watched.update({f"*{name}#{index}": target for index, target in enumerate(argument.targets)})
        return argument.buffer
    elif isinstance(argument, Address):
        watched[name] = argument.buffer
        return argument.buffer.data_ptr()
    elif isinstance(argument, TensorDescriptor):
        watched[name] = argument.base
    elif isinstance(argument, tuple):
        given = [_give(f"{name}[{index}]", element, watched) for index, element in enumerate(argument)]
        return type(argument)(*given) if hasattr(argument, "_fields") else tuple(given)
    return argument


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(torch.uint8)


def _facts(name: str, changed: bool) -> dict[str, Any]:
    """What the traced launch did to one buffer."""
    events = [event for event in TRACE.events if event[1] == name]
    writes = [event for event in events if event[0] == "write"]
    if changed and not writes:
        raise AssertionError(f"{name} changed, and no write of it was seen: the tracing is wrong")
    programs: dict[tuple[int, int, int], set[int]] = {}
    for _, _, offsets, program in writes:
        programs.setdefault(program, set()).update(offsets)
    firsts = {program: kind for kind, _, _, program in reversed(events)}
    return {
        "read": any(event[0] == "read" for event in events),
        "written": bool(writes),
        "changed": changed,
        "uniform": len({frozenset(offsets) for offsets in programs.values()}) == 1,
        "programs": len(programs),
        "first": sorted(set(firsts.values())),
    }


def launch(kernel: Any, grid: tuple[int, ...], **arguments: Any) -> dict[str, Any]:
    """Launches a kernel and says what was done to each buffer."""
    watched: dict[str, torch.Tensor] = {}
    given = {name: _give(name, argument, watched) for name, argument in arguments.items()}
    TRACE.events.clear()
    TRACE.ranges = [
        (tensor.data_ptr(), tensor.data_ptr() + tensor.numel() * tensor.itemsize, name)
        for name, tensor in watched.items()
    ]
    if len({start for start, _, _ in TRACE.ranges}) != len(TRACE.ranges):
        raise AssertionError("one buffer stands for two parameters; then no one can tell which was written")
    before = {name: _bytes(tensor).clone() for name, tensor in watched.items()}
    kernel[grid](**given)
    function = kernel
    while not hasattr(function, "__name__"):
        function = function.fn
    buffers = {name: _facts(name, not torch.equal(before[name], _bytes(tensor))) for name, tensor in watched.items()}
    return {"kernel": function.__name__, "buffers": buffers}


if __name__ == "__main__":
    serve(launch)
