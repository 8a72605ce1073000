"""``check --format table``: one row a kernel: where, its name, what it reads and writes, how far the analysis came."""

from __future__ import annotations

from triton_ls import describe
from triton_ls.cli import output_text
from triton_ls.cli.places import shown_line
from triton_ls.cli.result import CheckResult

_HEAD = ("FILE:LINE", "KERNEL", "READS", "WRITES", "UNKNOWN", "STATUS")
_WIDEST = (60, 40, 30, 24, 18, 12, 8)
"""Of a list of names, the first that the terminal has room for."""
_LEAST = 12


def text(result: CheckResult, width: int = 0) -> str:
    """``width``: of the terminal; 0: as wide as it gets."""
    rows: list[tuple[str, ...]] = []
    for widest in _WIDEST:
        rows = _rows(result, widest)
        if not width or _total(rows) <= width:
            break
    else:
        rows = _narrowed(rows, width)
    widths = _widths(rows)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", output_text.text(result, hints=False, verbose=False)])


def _rows(result: CheckResult, widest: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [_HEAD]
    for entry, report in result.kernels():
        where = shown_line(entry.name_span)
        parameters = [] if report is None else report.parameters
        groups = [_list(names(parameters), widest) for names in (describe.read, describe.written, describe.unknown)]
        status = "failed" if report is None else report.status
        rows.append((where, entry.qualname, groups[0], groups[1], groups[2], status))
    return rows


def _widths(rows: list[tuple[str, ...]]) -> list[int]:
    return [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]


def _total(rows: list[tuple[str, ...]]) -> int:
    return sum(_widths(rows)) + 2 * (len(_HEAD) - 1)


def _narrowed(rows: list[tuple[str, ...]], width: int) -> list[tuple[str, ...]]:
    """With the ends of the places and the beginnings of the names, which tell most."""
    over = _total(rows) - width
    place, name, *_ = _widths(rows)
    for_place = max(_LEAST, place - over)
    for_name = max(_LEAST, name - max(0, over - (place - for_place)))
    return [
        (where if len(where) <= for_place else f"…{where[1 - for_place :]}", _cut(kernel, for_name), *rest)
        for where, kernel, *rest in rows
    ]


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _list(names: list[str], widest: int) -> str:
    """As many names as fit; the last thing said is how many do not."""
    if not names:
        return "-"
    text = ", ".join(names)
    count = len(names)
    while len(text) > widest and count > 1:
        count -= 1
        text = f"{', '.join(names[:count])} +{len(names) - count}"
    return text
