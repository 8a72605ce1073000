"""Runs kernels in Triton's interpreter and tells exactly which bytes of which buffer each launch read and wrote.

Runs in a process of its own, with torch and ``TRITON_INTERPRET=1``; reads a job a line on its input, answers a line each.
A job is ``{"file", "run", "run_file", "run_line"}``: the kernels' file and the text of its run block.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sys
import traceback
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton.runtime.interpreter as interpreter
from triton.tools.tensor_descriptor import TensorDescriptor

GUARD = 256  # bytes around every buffer; a kernel that touches them is a mistake in the page
NAMES = {"f16": "float16", "f32": "float32", "f64": "float64", "i1": "bool", "i8": "int8", "u8": "uint8"}
NAMES |= {"i16": "int16", "i32": "int32", "i64": "int64", "u64": "uint64", "bf16": "bfloat16"}


class Address:
    """A buffer passed as the integer that is its address."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self.buffer = buffer


class Table:
    """A buffer that holds the addresses of other buffers."""

    def __init__(self, *targets: torch.Tensor) -> None:
        self.targets = targets
        self.buffer = _buffer("i64")([target.data_ptr() for target in targets])


def _buffer(kind: str) -> Any:
    dtype = getattr(torch, NAMES[kind])

    def make(content: int | list[float], *shape: int) -> torch.Tensor:
        count = content if isinstance(content, int) else len(content)
        for extent in shape:
            count *= extent
        guard = GUARD // dtype.itemsize
        whole = torch.zeros(count + 2 * guard, dtype=dtype)
        middle = whole[guard : guard + count]
        if isinstance(content, int):
            # Poison: no two neighbours alike, nothing that a kernel would write by chance.
            middle.copy_((torch.arange(count) % 89 + 3).to(dtype))
        else:
            middle.copy_(torch.tensor(content, dtype=dtype))
        return middle.reshape(content, *shape) if shape and isinstance(content, int) else middle

    return make


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
            for start, end, name in self.ranges:
                if start <= address and address + width <= end:
                    touched.setdefault(name, []).append(address - start)
                    break
            else:
                raise AssertionError(f"the kernel {kind}s {address:#x}, which is in none of the buffers it was given")
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


class Launches:
    """What a run block sees: the kernels' module, makers of buffers, and ``run``."""

    def __init__(self) -> None:
        self.launches: list[dict[str, Any]] = []

    def _give(self, name: str, argument: Any, watched: dict[str, torch.Tensor]) -> Any:
        """The argument as the kernel gets it; notes the buffers in it under the parameter's name."""
        if isinstance(argument, torch.Tensor):
            watched[name] = argument
            return argument
        if isinstance(argument, Table):
            watched[name] = argument.buffer
            for index, target in enumerate(argument.targets):
                watched[f"*{name}#{index}"] = target
            return argument.buffer
        if isinstance(argument, Address):
            watched[name] = argument.buffer
            return argument.buffer.data_ptr()
        if isinstance(argument, TensorDescriptor):
            watched[name] = argument.base
            return argument
        if isinstance(argument, tuple):
            given = [self._give(f"{name}[{index}]", element, watched) for index, element in enumerate(argument)]
            return type(argument)(*given) if hasattr(argument, "_fields") else tuple(given)
        return argument

    def run(self, kernel: Any, grid: int | tuple[int, ...] = 1, **arguments: Any) -> None:
        """Launches a kernel; ``arguments`` by name."""
        watched: dict[str, torch.Tensor] = {}
        given = {name: self._give(name, argument, watched) for name, argument in arguments.items()}
        TRACE.events.clear()
        TRACE.ranges = [
            (tensor.data_ptr(), tensor.data_ptr() + tensor.numel() * tensor.itemsize, name)
            for name, tensor in watched.items()
        ]
        if len({start for start, _, _ in TRACE.ranges}) != len(TRACE.ranges):
            raise AssertionError("one buffer stands for two parameters; then no one can tell which was written")
        before = {name: tensor.contiguous().view(torch.uint8).clone() for name, tensor in watched.items()}
        kernel[(grid,) if isinstance(grid, int) else grid](**given)
        report: dict[str, dict[str, Any]] = {}
        for name, tensor in watched.items():
            changed = not torch.equal(before[name], tensor.contiguous().view(torch.uint8))
            reads = [event for event in TRACE.events if event[0] == "read" and event[1] == name]
            writes = [event for event in TRACE.events if event[0] == "write" and event[1] == name]
            if changed and not writes:
                raise AssertionError(f"{name} changed, and no write of it was seen: the tracing is wrong")
            programs: dict[tuple[int, int, int], set[int]] = {}
            for _, _, offsets, program in writes:
                programs.setdefault(program, set()).update(offsets)
            firsts = {event[3]: event[0] for event in reversed([e for e in TRACE.events if e[1] == name])}
            report[name] = {
                "read": bool(reads),
                "written": bool(writes),
                "changed": changed,
                "uniform": len(programs) > 1 and len({frozenset(offsets) for offsets in programs.values()}) == 1,
                "programs": len(programs),
                "first": sorted(set(firsts.values())),
            }
        self.launches.append({"kernel": kernel.__name__, "buffers": report})


def _do(job: dict[str, Any]) -> dict[str, Any]:
    folder = os.path.dirname(job["file"])
    sys.path.insert(0, folder)
    known = set(sys.modules)
    try:
        name = f"block_{abs(hash(job['file']))}"
        spec = importlib.util.spec_from_file_location(name, job["file"])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        launches = Launches()
        scope = {**vars(module), "run": launches.run, "address": Address, "table": Table, "desc": TensorDescriptor.from_tensor}
        scope |= {kind: _buffer(kind) for kind in NAMES}
        code = compile("\n" * (job["run_line"] - 1) + job["run"], job["run_file"], "exec")
        exec(code, scope)
        return {"launches": launches.launches}
    except Exception as error:  # noqa: BLE001 - whatever a page's kernel raises is the answer
        cause = error.__cause__ or error
        text = "".join(traceback.format_exception(type(cause), cause, cause.__traceback__))
        return {"error": f"{type(error).__name__}: {error}\n{text[-3000:]}"}
    finally:
        sys.path.remove(folder)
        for other in set(sys.modules) - known:
            origin = getattr(sys.modules[other], "__file__", None) or ""
            if origin.startswith(folder):
                del sys.modules[other]


def main() -> None:
    """Answers jobs until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what kernels print is not an answer
    for line in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):
            answer = _do(json.loads(line))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
