"""What a run block sees, and the loop that executes run blocks for a worker. Needs torch; runs only in workers.

A job is a line of JSON, ``{"file", "run", "run_file", "run_line"}``; so is its answer, ``{"launches"}`` or
``{"error"}``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import torch
from triton.tools.tensor_descriptor import TensorDescriptor

GUARD = 256  # bytes around every buffer; a kernel that touches them is a mistake in the page
KINDS = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "i1": torch.bool,
    "i8": torch.int8,
    "u8": torch.uint8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u64": torch.uint64,
}
Run = Callable[..., None]


class Address:
    """A buffer passed as the integer that is its address."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self.buffer = buffer


class Table:
    """A buffer that holds the addresses of other buffers."""

    def __init__(self, *targets: torch.Tensor) -> None:
        self.targets = targets
        self.buffer = maker("i64")([target.data_ptr() for target in targets])


def maker(kind: str) -> Callable[..., torch.Tensor]:
    """``f32(100)``, ``f32(4, 4)``: poison of that shape; ``f32([1, 2])``: these numbers."""
    dtype = KINDS[kind]

    def make(content: int | list[float], *more: int) -> torch.Tensor:
        shape = (content, *more) if isinstance(content, int) else (len(content),)
        count = 1
        for extent in shape:
            count *= extent
        guard = GUARD // dtype.itemsize
        whole = torch.zeros(count + 2 * guard, dtype=dtype)
        middle = whole[guard : guard + count]
        # Poison: no two neighbours alike, nothing that a kernel would write by chance.
        numbers = torch.arange(count) % 89 + 3 if isinstance(content, int) else torch.tensor(content)
        middle.copy_(numbers.to(dtype))
        return middle.reshape(shape)

    return make


def _module(file: str) -> Any:
    name = f"block_{abs(hash(file))}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _do(job: dict[str, Any], run: Run) -> str | None:
    """Executes one run block; the error if there was one."""
    folder = os.path.dirname(job["file"])
    sys.path.insert(0, folder)
    try:
        scope = {**vars(_module(job["file"])), "run": run, "address": Address, "table": Table}
        scope |= {"desc": TensorDescriptor.from_tensor, "torch": torch} | {kind: maker(kind) for kind in KINDS}
        exec(compile("\n" * (job["run_line"] - 1) + job["run"], job["run_file"], "exec"), scope)
    except Exception as error:  # noqa: BLE001 - whatever a page's kernel raises is the answer
        cause = error.__cause__ or error
        text = "".join(traceback.format_exception(type(cause), cause, cause.__traceback__))
        return f"{type(error).__name__}: {error}\n{text[-3000:]}"
    finally:
        sys.path.remove(folder)
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(folder):
                del sys.modules[name]
    return None


def serve(launch: Callable[..., dict[str, Any]]) -> None:
    """Answers jobs until the input ends; each ``run`` in a block calls ``launch(kernel, grid, **arguments)``."""
    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what kernels print is not an answer
    for line in sys.stdin:
        launches: list[dict[str, Any]] = []

        def run(
            kernel: Any, grid: int | tuple[int, ...] = 1, _to: list[dict[str, Any]] = launches, **given: Any
        ) -> None:
            _to.append(launch(kernel, (grid,) if isinstance(grid, int) else grid, **given))

        with contextlib.redirect_stdout(sys.stderr):
            error = _do(json.loads(line), run)
        answers.write(json.dumps({"error": error} if error else {"launches": launches}) + "\n")
        answers.flush()
