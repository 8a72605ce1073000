"""``check --format github``: workflow commands, which GitHub shows at the lines of a pull request.

What comes from a user's files is escaped: none of it may begin a command of its own.
"""

from __future__ import annotations

from kernel_analysis.report import Finding, Severity
from triton_ls.cli import output_text
from triton_ls.cli.places import placed, shown_path
from triton_ls.cli.result import CheckResult

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}


def text(result: CheckResult, *, hints: bool) -> str:
    """A command a finding; the last line is the summary, for whoever reads the log."""
    shown = [finding for finding in result.findings if hints or finding.severity != "hint"]
    return "\n".join([*map(_command, shown), output_text.summary(result, len(shown))])


def _command(finding: Finding) -> str:
    span, message = finding.span, finding.message
    cell, line, end_line = placed(span)
    place = {"file": shown_path(span.file), "line": line, "endLine": end_line}
    if cell is not None:  # the lines of the notebook's JSON are nothing that anybody knows
        place |= {"line": 1, "endLine": 1}
        message = f"cell {cell}:{line}:{span.column}: {message}"
    elif line == end_line:  # across lines GitHub takes no columns
        place |= {"col": span.column, "endColumn": span.end_column}
    said = ",".join(f"{name}={_property(str(value))}" for name, value in {**place, "title": finding.code}.items())
    return f"::{_LEVELS[finding.severity]} {said}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
