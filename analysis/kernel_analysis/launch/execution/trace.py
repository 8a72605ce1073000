"""Every address that a kernel touches in Triton's interpreter: what it reads and writes, byte by byte, and the first
one outside of its buffers, which would otherwise end the process. Imports Triton's interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.runtime.interpreter as interpreter

from kernel_analysis.launch.execution.buffers import Buffer


class OutOfBounds(Exception):
    """The kernel touches memory that is none of its buffers'."""


class MemoryTrace:
    """Stands in for the interpreter's memory functions."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._buffers: list[Buffer] = []
        self._starts: Any = np.zeros(0, dtype=np.uint64)
        self.read: list[Any] = []
        self.written: list[Any] = []

    def watch(self, buffers: list[Buffer]) -> None:
        """From now on for these."""
        self._buffers = sorted(buffers, key=lambda buffer: buffer.payload.data_ptr())
        self._starts = np.array([buffer.payload.data_ptr() for buffer in self._buffers], dtype=np.uint64)
        self.read = [np.zeros(buffer.bytes, dtype=bool) for buffer in self._buffers]
        self.written = [np.zeros(buffer.bytes, dtype=bool) for buffer in self._buffers]

    def of(self, buffer: Buffer) -> tuple[Any, Any]:
        """The bytes of a buffer that were read, and those that were written."""
        index = next(i for i, known in enumerate(self._buffers) if known is buffer)
        return self.read[index], self.written[index]

    def _note(self, kinds: str, addresses: Any, mask: Any, width: int) -> None:
        addresses, mask = np.broadcast_arrays(addresses, mask)
        touched = np.unique(addresses[mask.astype(bool)].astype(np.uint64))
        if not touched.size or not self._buffers:
            return
        owner = np.searchsorted(self._starts, touched, side="right").astype(np.int64) - 1
        for index in np.unique(owner):
            mine = touched[owner == index]
            buffer = self._buffers[max(int(index), 0)]
            offsets = mine.astype(np.int64) - buffer.payload.data_ptr()
            wrong = offsets[(offsets < 0) | (offsets + width > buffer.bytes)]
            if wrong.size:
                self._refuse("writes" if "w" in kinds else "reads", buffer, int(wrong[0]))
            for step in range(width):
                if "r" in kinds:
                    self.read[int(index)][offsets + step] = True
                if "w" in kinds:
                    self.written[int(index)][offsets + step] = True

    def _refuse(self, does: str, buffer: Buffer, offset: int) -> None:
        element = offset // buffer.type.itemsize - buffer.argument.before
        size = buffer.argument.size - buffer.argument.before
        program = interpreter.interpreter_builder.grid_idx
        raise OutOfBounds(
            f"program {program} {does} element {element} of {buffer.argument.name}, which has {size}"
            if abs(element) < 1 << 40
            else f"program {program} {does} an address that is in none of its buffers"
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def load(self, ptrs: Any, mask: Any, other: Any, dtype: Any) -> Any:
        self._note("r", ptrs, mask, dtype.itemsize)
        return self._real.load(ptrs, mask, other, dtype)

    def store(self, ptrs: Any, values: Any, mask: Any) -> Any:
        self._note("w", ptrs, mask, values.dtype.itemsize)
        return self._real.store(ptrs, values, mask)

    def atomic_rmw(self, op: Any, ptrs: Any, values: Any, mask: Any, sem: Any) -> Any:
        self._note("rw", ptrs, mask, values.dtype.itemsize)
        return self._real.atomic_rmw(op, ptrs, values, mask, sem)

    def atomic_cas(self, ptrs: Any, expected: Any, values: Any, sem: Any) -> Any:
        self._note("rw", ptrs, True, values.dtype.itemsize)
        return self._real.atomic_cas(ptrs, expected, values, sem)


def install() -> MemoryTrace:
    """Puts a trace before the interpreter's memory functions."""
    functions: Any = interpreter
    trace = MemoryTrace(functions._interpreter)
    functions._interpreter = trace
    return trace
