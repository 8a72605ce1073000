"""Compiles what the corpus's run blocks launch and reads each module plainly: a process of its own, with Triton alone.

A job is a line of JSON, ``{"file", "run"}``; its answer ``{"possible": {kernel: {leaf: [fact]}}, "conceivable": ...}``
or ``{"error", "triton"}``. Buffers are only their types here; nothing runs.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import triton
from triton.language import constexpr

from enumerated import reader, truth_worker, ttir

_SIZES = [
    (sign, bits) for sign, sizes in (("f", (16, 32, 64)), ("i", (1, 8, 16, 32, 64)), ("u", (8, 64))) for bits in sizes
]
_KINDS = {f"{sign}{bits}": f"*{'fp' if sign == 'f' else sign}{bits}" for sign, bits in _SIZES} | {"bf16": "*bf16"}
Found = dict[str, dict[str, set[str]]]


class _Given(str):
    """An argument, as its type; whatever else a run block does with a buffer gives the buffer."""

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **named: self

    def __getitem__(self, key: Any) -> Any:
        return self

    def data_ptr(self) -> int:
        return 1 << 40


class _Torch(ModuleType):
    """Enough for the host code of a page to be defined; none of it is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Torch(name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """As a decorator, or what makes one."""
        return given[0] if len(given) == 1 and isinstance(given[0], FunctionType) else self


class _Launches:
    """What ``run`` is called with, compiled and read."""

    def __init__(self) -> None:
        self.possible: Found = {}
        self.conceivable: Found = {}
        self._seen: set[str] = set()

    def run(self, kernel: Any, grid: Any = 1, **given: Any) -> None:
        options: dict[str, Any] = {}
        while not hasattr(kernel, "arg_names") or hasattr(kernel, "configs"):
            for config in getattr(kernel, "configs", [])[:1]:
                options |= config.kwargs
            kernel = kernel.fn
        given = {**options, **given}
        types: dict[str, Any] = {}
        constants: dict[tuple[int, ...], Any] = {}
        leaves: list[str | None] = []
        for index, parameter in enumerate(kernel.params):
            if parameter.name not in given:
                types[parameter.name] = "constexpr"
                continue
            value = given[parameter.name]
            if parameter.is_constexpr:
                types[parameter.name], constants[(index,)] = "constexpr", value
            else:
                types[parameter.name] = self._type(value, parameter.name, (index,), constants, leaves)
        key = repr((kernel.__name__, types, constants))
        if key in self._seen:
            return
        self._seen.add(key)
        before, after = truth_worker.compiled(kernel, types, constants, {})
        known = [leaf is not None for leaf in leaves]
        for found, facts in (
            (self.possible, reader.possible(ttir.read(after), known)),
            (self.conceivable, reader.conceivable(ttir.read(before), known)),
        ):
            of_kernel = found.setdefault(kernel.__name__, {})
            for leaf, kinds in truth_worker.named(facts, leaves):
                of_kernel.setdefault(leaf, set()).update(kinds)

    def _type(self, value: Any, leaf: str, path: tuple[int, ...], constants: Any, leaves: list[str | None]) -> Any:
        if isinstance(value, _Given):
            leaves.append(leaf)
            if value.startswith("tensordesc"):
                leaves.extend([None] * (2 * (value.count(",") + 1)))
            return str(value)
        if isinstance(value, tuple):
            made = [self._type(v, f"{leaf}[{i}]", (*path, i), constants, leaves) for i, v in enumerate(value)]
            return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
        if value is None or isinstance(value, (str, constexpr)):
            constants[path] = value
            return "constexpr"
        leaves.append(None)
        if isinstance(value, bool):
            return "i1"
        if isinstance(value, int):
            return "i32" if -(1 << 31) <= value < 1 << 31 else "i64"
        return "fp32"


def _read(job: dict[str, Any]) -> dict[str, Any]:
    folder = os.path.dirname(job["file"])
    sys.path.insert(0, folder)
    sys.modules["torch"], sys.modules["torch.library"] = _Torch("torch"), _Torch("torch.library")
    launches = _Launches()
    try:
        spec = importlib.util.spec_from_file_location("page", job["file"])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["page"] = module
        spec.loader.exec_module(module)
        scope = {**vars(module), "run": launches.run, "torch": _Torch("torch")}
        scope |= {name: (lambda *_, kind=kind: _Given(kind)) for name, kind in _KINDS.items()}
        scope |= {"table": lambda *_: _Given("*i64"), "address": lambda _: _Given("i64")}
        scope["desc"] = lambda base, block: _Given(f"tensordesc<{str(base)[1:]}[{', '.join(map(str, block))}]>")
        exec(job["run"], scope)
    except Exception as error:  # noqa: BLE001 - a page that is for real runs only
        return {"error": f"{type(error).__name__}: {error}", "triton": triton.__version__}
    finally:
        sys.path.remove(folder)
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(folder):
                del sys.modules[name]
    return {
        name: {kernel: {leaf: sorted(kinds) for leaf, kinds in leaves.items()} for kernel, leaves in found.items()}
        for name, found in (("possible", launches.possible), ("conceivable", launches.conceivable))
    }


if __name__ == "__main__":
    truth_worker.serve(_read)
