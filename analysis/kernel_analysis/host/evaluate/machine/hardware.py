"""What host code is told when it asks which GPU it runs on: the target that kernels are compiled for. No device is
ever looked at."""

from __future__ import annotations

import ast
import re
import sys

from kernel_analysis.host.evaluate.values import Items, Record, RecordClass, Value
from kernel_analysis.record import record
from kernel_analysis.source.tree.forms import last_name

_TARGET = RecordClass("GPUTarget", ("backend", "arch", "warp_size"), ())
_VERSION = RecordClass("version_info", ("major", "minor", "micro", "releaselevel", "serial"), ())
# Devices that are not there when the target is a CUDA or HIP one.
_ABSENT = frozenset({"xpu", "npu", "mlu", "musa", "hpu", "mps", "mtia", "gcu", "ptpu", "sdaa", "txda", "maca"})

# How the GPU is called that is used where nothing else is said.
_CURRENT: tuple[Value, ...] = (None, 0, "cuda", "cuda:0")

# What torch was built for, and likely versions of it.
_BUILT_FOR = {"torch.version.cuda": "12.8", "torch.version.hip": "6.4", "torch.version.xpu": None}
# Where Triton is at home.
_SYSTEM = {"sys.platform": "linux", "os.name": "posix", "platform.system": "Linux"}

# What functions are called everywhere that ask for the kind of GPU.
_KINDS = {"is_cuda": "cuda", "is_nvidia": "cuda", "is_hip": "hip", "is_rocm": "hip", "is_amd": "hip"}
_OTHERS = frozenset(f"is_{name}" for name in _ABSENT | {"cpu", "tpu"})


@record
class MachineAnswer:
    """``row``: the one of ``machine.ROWS`` that says what it rests on."""

    value: Value
    row: str


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

    @property
    def warp_size(self) -> int:
        """As Triton's driver is told by the GPU: AMD's have 64 threads up to gfx9, and 32 since."""
        return 64 if self.backend == "hip" and str(self.arch).startswith("gfx9") else 32

    def lacks(self, path: str) -> bool:
        """Whether torch has no such device module on a machine with this target, ``torch.npu``."""
        parts = path.split(".")
        return len(parts) == 2 and parts[0] == "torch" and parts[1] in _ABSENT - {"xpu", "mps", "mtia"}

    def kind(self, call: ast.Call) -> bool | None:
        """``platform.is_rocm()``, where what it does can't be followed; None for other calls."""
        function = call.func
        name = last_name(function)
        if call.args or call.keywords:
            return None
        return False if name in _OTHERS else _KINDS[name] == self.backend if name in _KINDS else None

    def attribute(self, path: str) -> MachineAnswer | None:
        """The value of an attribute of a module; a text is a likely one."""
        if path in _BUILT_FOR:
            version = _BUILT_FOR[path] if path == f"torch.version.{self.backend}" else None
            return MachineAnswer(version, f"torch.version.<{'the target' if version else 'another'}>")
        if path == "sys.version_info":
            return MachineAnswer(Record(_VERSION, (*sys.version_info[:3], "final", 0)), path)
        return MachineAnswer(_SYSTEM[path], path) if path in ("sys.platform", "os.name") else None

    def call(self, path: str, args: list[Value]) -> MachineAnswer | None:
        """What a call answers."""
        parts = path.split(".")
        if parts[0] == "torch" and parts[-1] == "is_available":
            if parts[1:-1] == ["cuda"]:
                return MachineAnswer(self.backend in ("cuda", "hip"), path)
            if parts[-2] in _ABSENT:
                return MachineAnswer(False, "torch.<other device>.is_available")
            return None
        if path == "torch.cuda.device_count" and not args:
            return MachineAnswer(1, path)
        if path == "platform.system" and not args:
            return MachineAnswer(_SYSTEM[path], path)
        if path == "torch.cuda.get_device_capability" and self.capability:
            # One that is named by number or handed in may be another than the one that kernels are compiled for.
            here = not args or len(args) == 1 and any(type(a) is type(args[0]) and a == args[0] for a in _CURRENT)
            return MachineAnswer(Items("tuple", self.capability), path if here else f"{path}(<another>)")
        if path.startswith("triton.") and parts[-1] == "get_current_target":
            return MachineAnswer(Record(_TARGET, (self.backend, self.arch, self.warp_size)), parts[-1])
        if ".target_info." in path:
            if parts[-1] in ("is_cuda", "is_hip"):
                return MachineAnswer(parts[-1] == f"is_{self.backend}", "target_info")
            if parts[-1] == "cuda_capability_geq" and self.capability and all(isinstance(a, int) for a in args):
                wanted = tuple(a for a in args if isinstance(a, int))
                return MachineAnswer(self.backend == "cuda" and self.capability >= (wanted + (0, 0))[:2], "target_info")
        return None
