"""Takes one part out of Triton's door at a time, each in a process of its own, and tells what becomes of a kernel and
of one that tries to leave. One JSON line for each part and way of changing it.

Run by `test_door.py` in the Python whose Triton is asked.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

_GOOD = """
@triton.jit
def helper(x, STEP: tl.constexpr):
    return x * STEP

@triton.jit
def kernel(p, q, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for i in range(n):
        if i > 2:
            x = helper(tl.load(p + at, mask=at < n), 2)
            tl.store(q + at, tl.where(x > 1, x, 0.0))
"""
_HOSTILE = """
@triton.jit
def kernel(p):
    tl.core.builtins.open(MADE, "w")
    tl.store(p, 1)
"""


def _change(owner: Any, name: str, way: str) -> bool:
    """Whether it could be changed."""
    original = getattr(owner, name)
    holder = owner if name in vars(owner) else type(owner) if name in vars(type(owner)) else None
    if holder is None:  # inherited: the part that it is inherited from goes
        holder = next(kind for kind in owner.__mro__ if name in vars(kind))
    if way == "gone":
        delattr(holder, name)
        return True
    if not callable(original) or isinstance(original, type):
        return False

    def other(*arguments: Any, a_new_one: Any, **named: Any) -> Any:
        return original(*arguments, **named)

    setattr(holder, name, other)
    return True


def _outcome(path: str, way: str, folder: Path) -> dict[str, str]:
    from kernel_analysis.lowering import Compiler, TritonUnavailable

    try:
        Compiler("cuda:90")
    except TritonUnavailable as error:
        return {"outcome": "sentence", "text": str(error)}
    from lowering_helpers import lower

    made = folder / "made"
    for name in ("good", "bad"):
        (folder / name).mkdir()
    left = lower(folder / "bad", _HOSTILE.replace("MADE", repr(str(made))), p="*i32").lowered
    if made.exists() or left.problem is None or "out of a kernel's reach" not in left.problem.message:
        return {"outcome": "left", "text": str(left.problem)}
    case = lower(
        folder / "good", _GOOD, p="*fp32", q="*fp32", n="i32", constants={"BLOCK": 64}, BLOCK="constexpr"
    ).lowered
    if case.problem is not None:
        return {"outcome": "problem", "text": case.problem.message}
    return {"outcome": "facts", "text": str(case.ir is not None)}


def _one(path: str, way: str, out: int) -> None:
    module, _, rest = path.partition(":")
    *owners, name = rest.split(".")
    try:
        changed = _change(functools.reduce(getattr, owners, importlib.import_module(module)), name, way)
        with tempfile.TemporaryDirectory() as folder:
            told = _outcome(path, way, Path(folder)) if changed else {"outcome": "as it was", "text": ""}
    except BaseException as error:  # noqa: BLE001  that is what is looked for
        told = {"outcome": type(error).__name__, "text": str(error)}
    os.write(out, (json.dumps({"path": path, "way": way, **told}) + "\n").encode())
    os._exit(0)


def main(analysis: str, helpers: str, paths: list[str]) -> None:
    sys.path[:0] = [analysis, helpers]
    # What every child would import again; of ours, only what stands below the door. A collection in a child copies all
    # that it looks at.
    gc.disable()
    below = ("kernel_analysis.dataflow", "kernel_analysis.kernels.cut", "kernel_analysis.signature.infer")
    for module in ("triton.compiler", "triton.experimental.gluon.language", *below):
        importlib.import_module(module)
    assert "kernel_analysis.lowering" not in sys.modules

    out = os.dup(1)
    os.dup2(2, 1)
    for path in paths:
        for way in ("gone", "other"):
            child = os.fork()
            if child == 0:
                _one(path, way, out)
            _, status = os.waitpid(child, 0)
            if status:
                line = {"path": path, "way": way, "outcome": f"status {status}", "text": ""}
                os.write(out, (json.dumps(line) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
