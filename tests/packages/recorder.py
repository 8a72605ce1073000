"""Writes down what Triton kernels are launched with, in place of launching them, so that host code runs without a GPU.

Patches Triton and torch in this process only; tells nothing but types and values.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
import triton
from torch.overrides import TorchFunctionMode
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction, mangle_type

from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.slice import TorchDtype, TritonObject

CAPABILITY = (9, 0)
_NAMES = {spelling: name for name, spelling in LANGUAGE.items()}


@dataclass(frozen=True)
class Passed:
    """The type that Triton gives an argument, as in a signature; of a constexpr, and of None, the value."""

    type: Any
    value: Any = None


@dataclass(frozen=True)
class Where:
    """A jit function: ``line`` is its first decorator's."""

    file: str
    name: str
    line: int


Launch = Mapping[str, Passed]


@dataclass
class Recorder:
    """``launches``: by kernel, what each of its launches passed; the same twice is there once."""

    launches: dict[Where, list[Launch]] = field(default_factory=dict[Where, list[Launch]])

    def run(self, function: Any, *args: Any, grid: Any, warmup: bool, **keywords: Any) -> None:
        """In place of ``JITFunction.run``."""
        parameters = {p.name: p for p in function.params}
        bound = function.signature.bind(*args, **{n: v for n, v in keywords.items() if n in parameters})
        bound.apply_defaults()
        launch = {name: passed(parameters[name], value) for name, value in bound.arguments.items()}
        code = function.fn.__code__
        known = self.launches.setdefault(Where(code.co_filename, function.fn.__name__, code.co_firstlineno), [])
        if launch not in known:
            known.append(launch)

    @contextlib.contextmanager
    def recording(self) -> Generator[None]:
        """Records what is launched meanwhile, on a device that is one by name only."""
        properties = SimpleNamespace(multi_processor_count=132, major=9, minor=0, name="GPU", total_memory=80 << 30)
        cuda = {
            "is_available": lambda: True,
            "current_device": lambda: 0,
            "device_count": lambda: 1,
            "device": lambda device: contextlib.nullcontext(),
            "get_device_capability": lambda device=None: CAPABILITY,
            "get_device_properties": lambda device=None: properties,
            "get_device_name": lambda device=None: properties.name,
        }
        active = SimpleNamespace(
            get_current_target=lambda: GPUTarget("cuda", CAPABILITY[0] * 10 + CAPABILITY[1], 32),
            get_current_device=lambda: 0,
            get_active_torch_device=lambda: torch.device("cpu"),
            get_benchmarker=lambda: None,
        )

        def run(function: Any, *args: Any, **keywords: Any) -> None:
            self.run(function, *args, **keywords)

        with contextlib.ExitStack() as stack:
            for name, value in cuda.items():
                stack.enter_context(mock.patch.object(torch.cuda, name, value))
            stack.enter_context(mock.patch.object(torch.version, "cuda", "12.8"))
            stack.enter_context(mock.patch.object(torch.Tensor, "is_cuda", property(lambda tensor: True)))
            stack.enter_context(mock.patch.object(JITFunction, "run", run))
            stack.enter_context(mock.patch.object(Autotuner, "_bench", bench))
            stack.enter_context(mock.patch.object(driver, "_active", active))
            stack.enter_context(OnCpu())
            yield


def bench(tuner: Any, *args: Any, config: Any, **keywords: Any) -> list[float]:
    """In place of ``Autotuner._bench``: launches every config once, as while it is timed."""
    if config.pre_hook:
        config.pre_hook({**tuner.nargs, **keywords, **config.all_kwargs()})
    tuner.fn.run(*args, **{**keywords, **config.all_kwargs()})
    return [1.0, 1.0, 1.0]


class OnCpu(TorchFunctionMode):
    """What is asked for on the device is made on the CPU."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__name__", "") == "cuda":
            return args[0]
        args = tuple(_cpu(value) for value in args)
        return func(*args, **{name: _cpu(value) for name, value in (kwargs or {}).items()})


def _cpu(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type != "cpu":
        return torch.device("cpu")
    return "cpu" if isinstance(value, str) and value.partition(":")[0] in ("cuda", "npu") else value


def passed(parameter: Any, value: Any) -> Passed:
    """What Triton would make of an argument, a value that it specializes on left out: 1 is an ``i32`` here."""
    if parameter.is_constexpr:
        return Passed("constexpr", plain(value))
    written = getattr(parameter, "annotation_type", None)
    if written and not isinstance(value, torch.Tensor):
        return Passed(spelled(written))
    return _typed(value)


def _typed(value: Any) -> Passed:
    if isinstance(value, tuple):
        parts = tuple(_typed(part) for part in value)
        return Passed(tuple(p.type for p in parts), tuple(p.value for p in parts))
    type = mangle_type(value)
    return Passed("constexpr", plain(value)) if type == "constexpr" else Passed(spelled(type))


def spelled(type: str) -> str:
    """A type as our signatures spell it."""
    return {"u1": "i1", "*u1": "*i1"}.get(type.replace("*k", "*"), type.replace("*k", "*"))


def plain(value: Any) -> Any:
    """A compile-time value as our signatures have it."""
    if isinstance(value, triton.language.constexpr):
        value = value.value
    if isinstance(value, triton.language.dtype):
        return TritonObject(f"triton.language.{_NAMES.get(str(value), value)}")
    if isinstance(value, torch.dtype):
        return TorchDtype(str(value).removeprefix("torch."))
    if isinstance(value, (tuple, list)):
        return tuple(plain(part) for part in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return repr(value)
