"""A custom op as plain data: what ``op_choice`` decides and ``write`` writes."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernel_analysis.record import record


class OpRefused(Exception):
    """No custom op can be written; the message says why, and what to do, for the author."""


@record
class OpInput:
    """A parameter of the op. ``type`` and ``default`` as Python writes them. ``mutated``: the kernel writes it, or may;
    ``made``: the code around the launch makes it anew."""

    name: str
    type: str
    default: str | None = None
    mutated: bool = False
    made: bool = False

    @property
    def tensor(self) -> bool:
        return self.type.startswith("torch.Tensor")


@dataclass(slots=True)
class CustomOp:
    """``statements``: what comes before the launch; ``grid`` and ``arguments`` of the launch, as Python writes them.
    ``preparing``: the statements that make the outputs anew. ``unsure``: parameters that count as written because the
    analysis does not know."""

    kernel: str
    inputs: list[OpInput] = field(default_factory=list[OpInput])
    statements: list[str] = field(default_factory=list[str])
    preparing: list[str] = field(default_factory=list[str])
    grid: str = ""
    arguments: list[str] = field(default_factory=list[str])
    unsure: list[str] = field(default_factory=list[str])
