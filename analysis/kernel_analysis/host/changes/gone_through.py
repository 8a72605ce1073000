"""What a loop calls each of the things that stand in what it goes through: ``for module in (config, other):``.

Syntax only; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernel_analysis.host.changes.uses import Occurrence

_DISPLAYS = (ast.Tuple, ast.List, ast.Set)


def each(at: Occurrence) -> str | None:
    """The name that a loop, or a comprehension, has for what stands there, in a display that nothing else has."""
    display, loop = (*at.chain[1:3], None, None)[:2]
    if not isinstance(display, _DISPLAYS) or not isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension)):
        return None
    return loop.target.id if loop.iter is display and isinstance(loop.target, ast.Name) else None
