"""What a loop calls each of what it goes through: ``for module in (config, other):``, ``for k in found[1:]:``.

Syntax only; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernel_analysis.host.changes.uses import Occurrence

_DISPLAYS = (ast.Tuple, ast.List, ast.Set)


def each(at: Occurrence) -> str | None:
    """The name that a loop, or a comprehension, has for what stands there: for that, in a display that nothing else
    has, or for each of what it, or a part of it, holds."""
    place = 0
    while place + 1 < len(at.chain) and isinstance(at.chain[place + 1], ast.Subscript):
        place += 1
    if not place and isinstance(at.chain[1:2] and at.chain[1], _DISPLAYS):
        place = 1
    loop = at.chain[place + 1] if place + 1 < len(at.chain) else None
    if not isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension)) or loop.iter is not at.chain[place]:
        return None
    return loop.target.id if isinstance(loop.target, ast.Name) else None
