"""``check --format table``: one row a kernel: where, its name, what it reads and writes, how far the analysis came."""

from __future__ import annotations

from triton_ls import describe
from triton_ls.cli import output_text
from triton_ls.cli.result import CheckResult, shown_path

_HEAD = ("FILE:LINE", "KERNEL", "READS", "WRITES", "UNKNOWN", "STATUS")
_WIDEST = 60


def text(result: CheckResult) -> str:
    rows: list[tuple[str, ...]] = [_HEAD]
    for entry, report in result.kernels():
        where = f"{shown_path(entry.name_span.file)}:{entry.name_span.line}"
        parameters = [] if report is None else report.parameters
        groups = [_list(names(parameters)) for names in (describe.read, describe.written, describe.unknown)]
        status = "failed" if report is None else report.status
        rows.append((where, entry.qualname, groups[0], groups[1], groups[2], status))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", output_text.text(result, hints=False, verbose=False)])


def _list(names: list[str]) -> str:
    """As many names as fit; the last thing said is how many do not."""
    if not names:
        return "-"
    text = ", ".join(names)
    count = len(names)
    while len(text) > _WIDEST and count > 1:
        count -= 1
        text = f"{', '.join(names[:count])} +{len(names) - count}"
    return text
