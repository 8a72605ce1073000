"""A place that hands a module on to what may set its names. Plain data."""

from __future__ import annotations

from kernel_analysis.record import record


@record
class HandedSet:
    """``name``: which of the module's names may be set; None: any. ``contents``: only what it holds may be changed.
    ``heir``: of this class alone, which stands in that file, or of one that it derives from."""

    file: str
    line: int
    name: str | None
    contents: bool = False
    heir: tuple[str, str] | None = None
