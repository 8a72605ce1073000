"""What to launch with where nothing says it: shapes, scalars and fills, by name, type and size of the machine.

Every choice is safe, because buffers are made as large as the addresses demand; here it is about being sensible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernel_analysis.launch.launch_model import Device
from kernel_analysis.signature.evidence.name_table import IGNORED, suggests, whole_number

INDICES = (0, 15)
"""What integers in memory are between: as indices they stay small, and buffers with them."""

_SMALL = (80, 48, 32, 16, 8)
_LARGE = (4096, 2048, 1024, 512, 256, 128, 64, 32)
_FLAT_LARGE = tuple(1 << bits for bits in (25, 24, 22, 20, 18, 16, 14, 12))


def scales(device: Device) -> int:
    """How many sizes there are to try."""
    return len(_SMALL if device.interpreted else _LARGE)


class Sizes:
    """Extents for one machine. ``scale`` 0 is the first choice, each further one is smaller."""

    def __init__(self, device: Device, scale: int) -> None:
        self.large = not device.interpreted
        self.extent = (_LARGE if self.large else _SMALL)[scale]
        self.last = scale + 1 == scales(device)
        self.flat = _FLAT_LARGE[scale] if self.large else self.extent * 12 + 40
        self.rows = self.extent if self.large else 8

    def shape(self, name: str, rank: int) -> tuple[int, ...]:
        """The shape of a tensor that the launching function is given."""
        if rank <= 1:
            return (self.flat,)
        if rank == 2:
            return (self.extent, self.extent)
        few, middle = (4, 16) if self.large else (2, 2)
        if rank == 3:
            return (few, max(8, self.extent // 4), self.extent)
        return (*([1] * (rank - 4)), few, middle, max(16, self.extent // 4), 64)

    def scalar(self, name: str, type: str) -> Any:
        """The value of a parameter that is no tensor. ``type``: Triton's (``i32``) or an annotation."""
        if type in ("i1", "bool"):
            return True
        if type.startswith(("fp", "bf", "float")):
            return 1e-6 if suggests(name, "epsilon") else 0.1 if suggests(name, "probability") else 0.5
        if type == "str":
            return None
        numbers = {
            "ignored label": IGNORED, "seed": 42, "start": 0, "few": 2, "window": 3, "stride": 1, "elements": self.flat,
            "head size": 64 if self.large else 32, "heads": 8 if self.large else 2, "rows": self.rows,
        }  # fmt: skip
        return numbers.get(whole_number(name) or "", self.extent)

    def strides(self, names: Sequence[str]) -> dict[str, int]:
        """Strides as of tensors that lie one row after the other: parameters that belong together by their names."""
        groups: dict[str, list[str]] = {}
        for name in names:
            lower = name.lower()
            if "stride" in lower and lower != "stride":
                groups.setdefault(name[:-1] if "stride_" in lower else lower.split("_")[0], []).append(name)
        out: dict[str, int] = {}
        for group in groups.values():
            step = 1 if len(group) > 1 else self.extent
            for name in reversed(group):
                out[name] = step
                step *= self.extent if step == 1 else 8
        return out


def fill(type: str, read: str, written: str) -> tuple[str, float, float]:
    """How to fill a buffer: ``randn``, ``randint``, ``zeros`` or ``poison``, and between which numbers."""
    if read == "no":
        return "poison", 0, 0
    if type.startswith(("fp", "bf")):
        return "randn", 0, 1
    if type == "i1":
        return "randint", 0, 1
    if written != "no":
        return "zeros", 0, 0  # counters and locks begin at zero
    return "randint", *INDICES
