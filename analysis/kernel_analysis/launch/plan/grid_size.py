"""The grid of a launch: pinned, followed, or by what the masks leave work for. Pure."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from kernel_analysis.launch.bounds.touched import Touched
from kernel_analysis.launch.choices import Sizes
from kernel_analysis.launch.plan.known_arguments import Given
from kernel_analysis.launch.plan.machine_limits import MOST_PROGRAMS

Grid: TypeAlias = "tuple[int, int, int]"
_MOST = (1 << 20, 65535, 65535)
"""Programs that are chosen along each dimension."""


def known(given: Given, values: dict[str, Any]) -> Grid | None:
    """As the author gives it, under these values of the parameters."""
    pinned = given.pin.grid(values) if given.pin is not None else None
    if pinned is not None or given.arrived is None:
        return pinned
    grid = given.arrived.grid({**given.arrived.keywords, **values})
    if grid is None or math.prod(grid) > MOST_PROGRAMS:
        return None
    one, two, three = (*grid, 1, 1, 1)[:3]
    return one, two, three


def by_use(touched: Touched, sizes: Sizes) -> tuple[Grid, bool]:
    """As many programs as the masks leave work for; a few where nothing says how many, and whether that is so."""
    out: list[int] = []
    for axis in range(3):
        default = 1 if axis not in touched.axes else sizes.rows if axis == 0 else 8 if sizes.large else 2
        out.append(max(1, min(touched.tiles.get(axis, default), _MOST[axis])))
    return (out[0], out[1], out[2]), any(axis not in touched.tiles for axis in touched.axes)
