"""Buffers to launch with: poisoned or filled, guard zones around them, compared before and after. Imports torch."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from kernel_analysis.launch.launch_model import LaunchArgument
from kernel_analysis.run_wire import Output
from kernel_analysis.source.dtypes import TORCH

_POISON = (0xA5, 0x5B)
_GUARD = 0xC3


class UnknownType(Exception):
    """torch has no such type."""


def dtype(type_: str) -> torch.dtype:
    """torch's type for Triton's."""
    found = getattr(torch, TORCH.get(type_, ""), None)
    if found is None:
        raise UnknownType(f"PyTorch has no tensors of {type_}.")
    return found


class Buffer:
    """The memory of one argument. ``view`` is what the kernel is given."""

    def __init__(self, argument: LaunchArgument, device: str, guard: int) -> None:
        self.argument, self.guard = argument, guard
        self.type = torch.int64 if argument.kind == "table" else dtype(argument.type)
        self.bytes = argument.size * self.type.itemsize
        self.whole = torch.empty(self.bytes + 2 * guard, dtype=torch.uint8, device=device)
        self.payload = self.whole[guard : guard + self.bytes]
        self.values = self.payload.view(self.type)
        self.view = self.values[argument.before :]
        self._before: torch.Tensor | None = None
        self._changed: torch.Tensor | None = None

    def fill(self, round_: int, seed: int) -> None:
        """New content: another in each round."""
        argument = self.argument
        self.whole[: self.guard].fill_(_GUARD)
        self.whole[self.guard + self.bytes :].fill_(_GUARD)
        generator = torch.Generator(device=self.whole.device).manual_seed(seed)
        if argument.fill == "poison":
            self.payload.fill_(_POISON[round_ % 2] if self.type is not torch.bool else round_ % 2)
        elif argument.fill == "randn":
            made = torch.randn(self.values.shape, generator=generator, device=self.whole.device)
            self.values.copy_(made.to(self.type))
        elif argument.fill == "randint":
            low, high = int(argument.low), int(argument.high)
            made = torch.randint(low, high + 1, self.values.shape, generator=generator, device=self.whole.device)
            self.values.copy_(made.to(self.type))
        elif argument.fill == "rand":
            made = torch.rand(self.values.shape, generator=generator, device=self.whole.device)
            self.values.copy_(made.to(self.type))
        elif argument.fill == "arange":
            self.values.copy_(torch.arange(self.values.numel(), device=self.whole.device).to(self.type))
        elif argument.fill == "full":
            self.values.copy_(torch.full(self.values.shape, argument.low, device=self.whole.device).to(self.type))
        elif argument.fill == "ones":
            self.values.copy_(torch.ones(self.values.shape, device=self.whole.device).to(self.type))
        else:
            self.payload.zero_()

    def remember(self) -> None:
        """What is in it now, to be compared later."""
        self._before = self.whole.clone()

    def compare(self) -> None:
        """With what was remembered."""
        assert self._before is not None
        self._changed = self.whole != self._before
        self._before = None

    def changed(self) -> torch.Tensor:
        """By element of the buffer, whether it changed."""
        assert self._changed is not None
        inside = self._changed[self.guard : self.guard + self.bytes]
        return inside.view(-1, self.type.itemsize).any(dim=1)

    @property
    def written(self) -> bool:
        assert self._changed is not None
        return bool(self._changed[self.guard : self.guard + self.bytes].any())

    def outside(self) -> int | None:
        """The first element outside of the buffer that changed, counted from the kernel's pointer."""
        assert self._changed is not None
        if not bool(self._changed[: self.guard].any()) and not bool(self._changed[self.guard + self.bytes :].any()):
            return None
        places = self._changed.nonzero().flatten()
        places = places[(places < self.guard) | (places >= self.guard + self.bytes)]
        return (int(places[0]) - self.guard) // self.type.itemsize - self.argument.before

    def forget(self) -> None:
        self._changed = None


def all_of(arguments: list[LaunchArgument]) -> Iterator[LaunchArgument]:
    """Those that have memory, elements of tuples and targets of tables included."""
    for argument in arguments:
        if argument.kind in ("tensor", "descriptor", "table"):
            yield argument
        if argument.target is not None:
            yield argument.target
        yield from all_of(argument.items)


def statistics(buffer: Buffer, only: torch.Tensor | None) -> Output:
    """What is in a buffer, or in those elements of it that were written."""
    values = buffer.values if only is None else buffer.values[only]
    out: Output = {
        "name": buffer.argument.name, "type": buffer.argument.type, "elements": int(values.numel()),
        "written": int(values.numel()), "size": int(buffer.values.numel()),
    }  # fmt: skip
    if not values.numel():
        return out
    numbers = values.to(torch.float64) if values.numel() < 1 << 26 or not values.is_floating_point() else values.float()
    finite = numbers[torch.isfinite(numbers)]
    out["nan"], out["inf"] = int(torch.isnan(numbers).sum()), int(torch.isinf(numbers).sum())
    if finite.numel():
        out["min"], out["max"], out["mean"] = (float(f) for f in (finite.min(), finite.max(), finite.mean()))
    first = values[:8].to(torch.float64) if values.is_floating_point() else values[:8].to(torch.int64)
    out["first"] = [str(v) if v != v or v in (float("inf"), float("-inf")) else v for v in first.tolist()]
    return out
