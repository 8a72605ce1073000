"""A driver of Triton's for no device, in the child process of a test: kernels are bound, specialised and compiled as
for a GPU, and launched into nothing. Triton's own binder, autotuner and compiler say what they say."""

from __future__ import annotations

import operator
from typing import Any

import torch
import triton.runtime.driver
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase


class _Launcher:
    """What Triton's own launcher asks of a grid."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self.source = source

    def __call__(self, x: Any, y: Any, z: Any, *_: Any) -> None:
        for axis in (x, y, z):
            operator.index(axis)


class _Utils:
    def load_binary(self, *_: Any) -> tuple[int, int, int, int, int]:
        return 1, 1, 0, 0, 1024

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32}

    def unload_module(self, module: int) -> None:
        pass


class Dry(DriverBase):
    def __init__(self) -> None:
        self.utils = _Utils()
        self.launcher_cls = _Launcher

    @classmethod
    def is_active(cls) -> Any:
        return True

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", 90, 32)

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_active_torch_device(self) -> Any:
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return torch

    def get_benchmarker(self) -> Any:
        def once(call: Any, quantiles: Any) -> list[float]:
            call()
            return [1.0, 1.0, 1.0]

        return once

    def get_empty_cache_for_benchmark(self) -> None:
        return None

    def clear_cache(self, cache: Any) -> None:
        pass


def install() -> None:
    """Make it Triton's driver."""
    triton.runtime.driver.set_active(Dry())
