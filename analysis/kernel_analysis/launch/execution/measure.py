"""Times, bandwidth and what a compiled kernel takes of the device. Imports torch and Triton; needs a GPU."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import Any

import torch
import triton.testing

from kernel_analysis.run_wire import Resources, Time

_WARM_UP_MS = 25
_REPEAT_MS = 100
_COPIED = 512 << 20


@contextlib.contextmanager
def alone(device: str) -> Generator[None, None, None]:
    """Other runs on this machine wait: two that are timed at once would both look slow. The lock goes with the
    process."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    name = f"triton-ls-{os.getuid()}-{device.replace(':', '-')}.lock"
    # The directory is everybody's: whatever else has that name is neither waited for nor written to.
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(os.path.join(tempfile.gettempdir(), name), flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def time_of(launch: Callable[[], Any], share: int = 1) -> Time:
    """Milliseconds: median and the 20th and 80th percentile of 100 ms of launches, the L2 cache flushed before each.
    ``share``: among how many launches the time for measuring is divided, a fifth of it being left to each."""
    part = max(0.2, 4 / max(4, share))
    found: Any = triton.testing.do_bench(
        launch, warmup=round(_WARM_UP_MS * part), rep=round(_REPEAT_MS * part), quantiles=[0.5, 0.2, 0.8]
    )
    median, low, high = found
    return {"median": float(median), "low": float(low), "high": float(high)}


@lru_cache(maxsize=4)
def copy_bandwidth(device: str) -> float:
    """GB/s of torch's own copy of a buffer larger than any cache, reading and writing counted."""
    free = getattr(torch, device).mem_get_info()[0] if hasattr(getattr(torch, device), "mem_get_info") else _COPIED * 4
    size = min(_COPIED, int(free) // 4)
    source = torch.empty(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    median = time_of(lambda: target.copy_(source))["median"]
    return 2 * size / median / 1e6


def resources(compiled: Any, kind: str) -> Resources | None:
    """Registers, spills, shared memory and warps of a compiled kernel; on NVIDIA also its occupancy."""
    if compiled is None:
        return None
    metadata = compiled.metadata
    if hasattr(compiled, "_init_handles"):
        compiled._init_handles()
    out: Resources = {
        "registers": compiled.n_regs, "spills": compiled.n_spills, "shared_bytes": metadata.shared,
        "warps": metadata.num_warps, "stages": getattr(metadata, "num_stages", None),
    }  # fmt: skip
    if kind == "cuda" and torch.version.hip is None and compiled.n_regs:
        out["occupancy"] = _occupancy(compiled.n_regs, metadata.shared, metadata.num_warps)
    return out


def _occupancy(registers: int, shared: int, warps: int) -> float | None:
    """The share of a multiprocessor's warps that can be resident at once; registers are given out 256 to a warp."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    per_block = warps * -(-registers * 32 // 256) * 256
    limits = [
        properties.regs_per_multiprocessor // per_block,
        properties.max_threads_per_multi_processor // (32 * warps),
        32,
    ]
    if shared:
        limits.append(properties.shared_memory_per_multiprocessor // (shared + 1024))
    return min(limits) * warps * 32 / properties.max_threads_per_multi_processor
