"""``check --format text``: one line a finding, ``file:line:column: severity code message``, and a summary."""

from __future__ import annotations

from triton_ls import describe
from triton_ls.cli.check_cache import SECONDS
from triton_ls.cli.places import shown_line
from triton_ls.cli.result import CheckResult


def text(result: CheckResult, *, hints: bool, verbose: bool) -> str:
    """Hints are about plain outputs being written, as they should: only shown when asked for."""
    shown = [finding for finding in result.findings if hints or finding.severity != "hint"]
    lines: list[str] = []
    for finding in describe.said_once(shown):
        span = finding.span
        message = finding.message.replace("\n", "\n    ")
        lines.append(f"{shown_line(span)}:{span.column}: {finding.severity} {finding.code} {message}")
    if verbose:
        for entry, report in result.kernels():
            said = "failed: its text does not parse" if report is None else describe.summary(report)
            lines.append(f"{shown_line(entry.name_span)}: {entry.role} {entry.qualname}: {said}")
    return "\n".join([*lines, summary(result, len(shown))])


def summary(result: CheckResult, findings: int) -> str:
    """The last line: how much was found and looked at. ``findings``: those that were shown."""
    counts = result.counts()
    problems = f"{findings} finding{'' if findings == 1 else 's'}" if findings else "No findings"
    return (
        f"{problems}. {counts.total()} jit function{'' if counts.total() == 1 else 's'} in {result.files} "
        f"file{'' if result.files == 1 else 's'}: {counts['analyzed']} analyzed, {counts['partial']} partial, "
        f"{counts['failed']} failed, in {SECONDS} s (Triton {result.triton}, {result.target})."
    )
