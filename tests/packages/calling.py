"""Calls public functions of a package with made-up arguments, forward and backward. Used by the ``calls_*`` only."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import torch

DTYPES = (torch.float32, torch.bfloat16, torch.float16)


class Maker:
    """Makes arguments in the caller's dtype."""

    def __init__(self, dtype: torch.dtype) -> None:
        self.dtype = dtype

    def leaf(self, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        """A tensor that wants a gradient."""
        return torch.randn(shape).to(dtype or self.dtype).requires_grad_()

    def plain(self, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        return torch.rand(shape).to(dtype or self.dtype)

    def ids(self, *shape: int, below: int = 32, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        return torch.randint(0, below, shape, dtype=dtype)


def backward(result: Any) -> None:
    """The gradients of all that has one."""
    outputs = [result] if isinstance(result, torch.Tensor) else result
    tensors = [t for t in outputs if isinstance(t, torch.Tensor) and t.requires_grad and t.grad_fn is not None]
    torch.autograd.backward(tensors, [torch.full_like(t, 0.5) for t in tensors])


def attempt(calls: Iterable[Callable[[Maker], None]]) -> list[str]:
    """Make every call in every dtype; what failed, and why."""
    failed: list[str] = []
    for call in calls:
        for dtype in DTYPES:
            torch.manual_seed(0)
            try:
                call(Maker(dtype))
            except Exception as error:  # noqa: BLE001 - whatever a package raises is told, and the next call is made
                frame = traceback.extract_tb(error.__traceback__)[-1]
                name = call.func.__name__ if isinstance(call, functools.partial) else call.__name__
                text = str(error).partition("\n")[0]
                failed.append(f"{name} {dtype}: {type(error).__name__}: {text} ({frame.filename}:{frame.lineno})")
                break
    return failed
