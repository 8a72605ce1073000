"""What one ``analyze`` request asks for. Plain data; nothing is looked at here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernel_analysis.record import record
from kernel_analysis.rules import Level


@dataclass(slots=True)
class TimeBudget:
    """``seconds``: how long compiling may take beyond ``share`` for each function; ``reason``: what to say of what is
    left over then."""

    seconds: float
    share: float
    reason: str

    def spend(self, seconds: float) -> None:
        """A function took so long."""
        self.seconds -= max(0.0, seconds - self.share)


@record
class Request:
    """The parameters of ``analyze``."""

    file: str
    generation: int
    first_line: int | None
    skip: Mapping[str, str]
    levels: Mapping[str, Level]
    budget: TimeBudget | None = None
