"""What host code is told when it asks which GPU it runs on: the target that kernels are compiled for. No device is
ever looked at."""

from __future__ import annotations

import ast
import re

from kernel_analysis.host.evaluate.values import Items, Record, RecordClass, Value

_TARGET = RecordClass("GPUTarget", ("backend", "arch", "warp_size"), ())
# Devices that are not there when the target is a CUDA or HIP one.
_ABSENT = frozenset({"xpu", "npu", "mlu", "musa", "hpu", "mps", "mtia", "gcu", "ptpu", "sdaa", "txda", "maca"})

# What functions are called everywhere that ask for the kind of GPU.
_KINDS = {"is_cuda": "cuda", "is_nvidia": "cuda", "is_hip": "hip", "is_rocm": "hip", "is_amd": "hip"}
_OTHERS = frozenset(f"is_{name}" for name in _ABSENT | {"cpu", "tpu"})


class Hardware:
    """``target``: ``cuda:90``, ``hip:gfx942``. Each answer is ``None`` for "not a question about hardware"."""

    def __init__(self, target: str) -> None:
        self.backend, _, arch = target.partition(":")
        self.arch: int | str = int(arch) if arch.isdigit() else arch

    @property
    def capability(self) -> tuple[int, int] | None:
        """What ``torch.cuda.get_device_capability()`` answers."""
        if isinstance(self.arch, int):
            return divmod(self.arch, 10)
        match = re.fullmatch(r"gfx(\d+)(\d)\w", self.arch)
        return (int(match[1]), int(match[2])) if match else None

    def lacks(self, path: str) -> bool:
        """Whether torch has no such device module on a machine with this target, ``torch.npu``."""
        parts = path.split(".")
        return len(parts) == 2 and parts[0] == "torch" and parts[1] in _ABSENT - {"xpu", "mps", "mtia"}

    def kind(self, call: ast.Call) -> bool | None:
        """``platform.is_rocm()``, where what it does can't be followed; None for other calls."""
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if call.args or call.keywords:
            return None
        return False if name in _OTHERS else _KINDS[name] == self.backend if name in _KINDS else None

    def attribute(self, path: str) -> tuple[Value] | None:
        """The value of an attribute of torch, in a tuple because it may be ``None``."""
        if path == "torch.version.hip":
            return ("6.4" if self.backend == "hip" else None,)
        if path == "torch.version.cuda":
            return ("12.8" if self.backend == "cuda" else None,)
        return (None,) if path == "torch.version.xpu" else None

    def call(self, path: str, args: list[Value]) -> tuple[Value] | None:
        """What a call answers."""
        parts = path.split(".")
        if parts[0] == "torch" and parts[-1] == "is_available":
            if parts[1:-1] == ["cuda"]:
                return (self.backend in ("cuda", "hip"),)
            if parts[-2] in _ABSENT:
                return (False,)
            return None
        if path == "torch.cuda.get_device_capability" and self.capability:
            return (Items("tuple", self.capability),)
        if path.startswith("triton.") and parts[-1] == "get_current_target":
            return (Record(_TARGET, (self.backend, self.arch, 64 if self.backend == "hip" else 32)),)
        if ".target_info." in path:
            if parts[-1] in ("is_cuda", "is_hip"):
                return (parts[-1] == f"is_{self.backend}",)
            if parts[-1] == "cuda_capability_geq" and self.capability and all(isinstance(a, int) for a in args):
                wanted = tuple(a for a in args if isinstance(a, int))
                return (self.backend == "cuda" and self.capability >= (wanted + (0, 0))[:2],)
        return None
