"""What a machine should be given: how much memory, time and code one launch may take. Estimates only; runs nothing."""

from __future__ import annotations

import math
from typing import Any

from kernel_analysis.ir import Ir
from kernel_analysis.launch.bounds import weight
from kernel_analysis.launch.bounds.touched import Touched
from kernel_analysis.launch.launch_model import Device

MOST_PROGRAMS = (1 << 31) - 1
_MOST_BYTES_INTERPRETED = 256 << 20
_MOST_BYTES = 2 << 30
_MOST_WORK = 60_000  # operations of the interpreter, each tens of microseconds
_MOST_CODE = 20_000  # numbers that one thread computes in one pass over the code: compiling takes seconds
_MOST_VALUE = 1024  # of them, those of one block
_MOST_SECONDS = 0.25  # of one launch on a GPU, by a rough estimate
_PROCESSORS_RATE = 2e10  # numbers per second of each processor


class TooBig(Exception):
    """This launch is more than the machine should be given; a smaller one may do."""


class Limits:
    """Of one machine. ``pinned``: whether the author wants just this launch; ``last``: whether none is smaller. Every
    check raises TooBig."""

    def __init__(self, device: Device, processors: int, *, pinned: bool, last: bool) -> None:
        self._device, self._processors, self._pinned = device, processors, pinned
        self._free = not pinned and not last and not device.interpreted  # a smaller launch can be chosen instead

    def check_code(self, ir: Ir, options: dict[str, Any]) -> None:
        """Blocks that are much too large for the threads take minutes to be compiled."""
        warps = options.get("num_warps")
        threads = 32 * (warps if type(warps) is int and meant("num_warps", warps) else 4)
        if self._free and (weight.code(ir) / threads > _MOST_CODE or weight.largest(ir) / threads > _MOST_VALUE):
            raise TooBig("its blocks are too large")

    def check_memory(self, size: int) -> None:
        """The bytes of all buffers."""
        limit = _MOST_BYTES_INTERPRETED if self._device.interpreted else min(_MOST_BYTES, self._device.memory // 4)
        if size > limit:
            raise TooBig(f"the buffers for it would take {size / 1e9:.3g} GB")

    def check_work(self, touched: Touched, grid: tuple[int, int, int]) -> None:
        """The operations, one by one in the interpreter."""
        if self._device.interpreted and touched.steps * math.prod(grid) > _MOST_WORK and not self._pinned:
            raise TooBig("it takes too long in the interpreter")

    def check_time(self, touched: Touched, grid: tuple[int, int, int], warps: int) -> None:
        """What a launch takes on a GPU, roughly: one program alone, or all of them on all processors."""
        alone = touched.steps * 20e-9 + touched.work / (warps * 32) * 1.2e-9
        together = math.prod(grid) * touched.work / (_PROCESSORS_RATE * self._processors)
        if max(alone, together) > _MOST_SECONDS and self._free:
            raise TooBig("a launch takes too long")


def meant(option: str, value: int) -> bool:
    """Whether a value for a compiler option that the code around a launch gives can be meant."""
    return value in (1, 2, 4, 8, 16, 32) if option == "num_warps" else 0 < value <= 256
