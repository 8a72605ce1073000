"""A place that sets what has a name that is not in sight. Plain data."""

from __future__ import annotations

from typing import Final

from kernel_analysis.record import record
from kernel_analysis.source.text_search.mentions import ANY_MODULE

BY_PATH: Final = "path"
"""Among its owners: a path says which module it is, of all that there are, whether the file has it or not."""


@record
class ComputedSite:
    """A place that sets names that are not in sight; ``worded``: they are words of the file. ``names``: all that it may
    set, where each is known. ``owners``: of what: ``ANY_MODULE``, the path of a package, or that of a function's file
    with the function's name. ``imports``: what it runs may import anything."""

    line: int
    worded: bool = False
    owners: frozenset[str] = frozenset((ANY_MODULE,))
    names: frozenset[str] | None = None
    imports: bool = False
