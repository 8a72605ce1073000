"""The device that kernels run on: found with torch, before Triton is imported, because without a GPU Triton must be
told to interpret. Imports torch."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import sys
from typing import Any

from kernel_analysis.launch.launch_model import Device


class Unusable(Exception):
    """Nothing can be run here; ``kind`` for programs, the message for people."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def find(setting: str | None) -> tuple[Device, int, dict[str, Any]]:
    """The device to use, how many processors it has, and what to tell of it. ``setting``: ``None`` for the first GPU or
    else the interpreter, ``interpreter``, or torch's name (``cuda:1``). Sets ``TRITON_INTERPRET``."""
    torch = _torch()
    gpu = None if setting in ("interpreter", "cpu") else _gpu(torch, setting)
    if gpu is None:
        os.environ["TRITON_INTERPRET"] = "1"
    else:
        os.environ.pop("TRITON_INTERPRET", None)
    try:
        import triton
    except Exception as error:
        raise Unusable(
            "no-triton", f"Triton can't be imported by {sys.executable} ({type(error).__name__}: {error})."
        ) from error
    told: dict[str, Any] = {
        "triton": triton.__version__,
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "pair": _pair(triton.__version__),
    }
    if gpu is None:
        try:
            import numpy as _  # noqa: F401 - the interpreter computes with it
        except ImportError as error:
            raise Unusable(
                "no-numpy", f"Triton's interpreter needs numpy: {sys.executable} -m pip install numpy"
            ) from error
        return Device("interpreter", "Triton's interpreter on the CPU", "cuda:90", 0), 4, told
    return *_described(torch, gpu), told


def _torch() -> Any:
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise Unusable("no-torch", f"PyTorch can't be imported by {sys.executable}: {error}") from error
        raise Unusable(
            "no-torch",
            f"Running kernels needs PyTorch, and {sys.executable} has none: {sys.executable} -m pip install torch "
            "(which may bring another version of Triton along)",
        ) from error
    except Exception as error:
        raise Unusable(
            "no-torch", f"PyTorch can't be imported by {sys.executable} ({type(error).__name__}: {error})."
        ) from error
    return torch


def _gpu(torch: Any, setting: str | None) -> Any:
    kinds = [kind for kind in ("cuda", "xpu") if hasattr(torch, kind) and getattr(torch, kind).is_available()]
    if setting is None:
        return torch.device(kinds[0], getattr(torch, kinds[0]).current_device()) if kinds else None
    try:
        device = torch.device(setting)
    except RuntimeError as error:
        raise Unusable("no-device", f"There is no device `{setting}`: write interpreter, cuda or cuda:1.") from error
    if device.type not in kinds:
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        hint = f" (CUDA_VISIBLE_DEVICES is {visible!r})" if visible is not None else ""
        raise Unusable("no-device", f"PyTorch sees no device `{setting}` on this machine{hint}.")
    count = getattr(torch, device.type).device_count()
    index = device.index or 0
    if index >= count:
        raise Unusable("no-device", f"There is no device `{setting}`: PyTorch sees {count} of this kind.")
    return torch.device(device.type, index)


def _described(torch: Any, gpu: Any) -> tuple[Device, int]:
    from triton.runtime import driver

    module = getattr(torch, gpu.type)
    try:
        module.set_device(gpu)
        properties = module.get_device_properties(gpu)
        active: Any = driver.active
        target = active.get_current_target()
    except Exception as error:
        raise Unusable("no-device", f"The device `{gpu}` can't be used ({type(error).__name__}: {error}).") from error
    arch = str(target.arch)
    processors = getattr(properties, "multi_processor_count", 0) or getattr(properties, "max_compute_units", 1)
    return Device(gpu.type, properties.name, f"{target.backend}:{arch}", int(properties.total_memory)), processors


def _pair(triton: str) -> str | None:
    """What to say and do where the installed torch was made for another Triton."""
    try:
        needed = importlib.metadata.requires("torch") or []
        found = next(
            (
                re.search(r"^(?:pytorch-)?triton(?:-rocm|-xpu)?\s*==\s*([\d.]+)", line)
                for line in needed
                if "triton" in line
            ),
            None,
        )
    except importlib.metadata.PackageNotFoundError:
        return None
    if found is None or triton.startswith(found[1]):
        return None
    return (
        f"this PyTorch was made for Triton {found[1]}, and {triton} is installed: where a launch fails or a time "
        f"looks wrong, try the pair that belongs together"
    )
