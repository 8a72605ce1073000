"""What a kernel touches, as plain data, why that can't be said, and the path on which it is found. Computes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kernel_analysis.ir import NOWHERE, At
from kernel_analysis.launch.bounds.integers import Condition
from kernel_analysis.launch.bounds.linear_forms import Number
from kernel_analysis.record import record

AXES = {"x": 0, "y": 1, "z": 2}
"""The grid's dimensions, as the Ir calls them."""


class TooHard(Exception):
    """The kernel can't be followed; the message says why, in plain words."""


class TooLong(Exception):
    """Following it takes too long; a launch with smaller blocks, which are often unrolled, may not."""


@record
class Touch:
    """A stretch of a buffer that one operation may touch, in bytes from its start, the end exclusive. ``cause``: of one
    without a bound, what it depends on."""

    base: str
    low: Number
    high: Number
    op: str
    at: At
    cause: str = ""


@dataclass(slots=True)
class Touched:
    """``flops``: those of every ``tl.dot``, None where loops go round differently often. ``axes``: the dimensions of
    the grid that are asked for. ``steps``: operations that one program executes, roughly; ``work``: the elements that
    they make. ``extents``: for a scalar parameter, the number of block elements that it is compared with and nothing
    else; ``tiles``: the programs that such an extent takes along each dimension."""

    touches: list[Touch] = field(default_factory=list[Touch])
    flops: float | None = 0.0
    axes: set[int] = field(default_factory=set[int])
    steps: float = 0.0
    work: float = 0.0
    extents: dict[str, int] = field(default_factory=dict[str, int])
    tiles: dict[int, int] = field(default_factory=dict[int, int])


@record
class Path:
    """What holds where the evaluation is. ``often``: how many times it comes here; ``exact``: whether that is known.
    ``quiet``: it is only to see what a loop changes, and records nothing."""

    holds: Condition = ()
    often: float = 1.0
    exact: bool = True
    quiet: bool = False
    at: At = NOWHERE

    def under(self, condition: Condition) -> Path:
        return replace(self, holds=self.holds + condition)

    def silently(self) -> Path:
        return replace(self, quiet=True)
