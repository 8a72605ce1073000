"""``syntax-error``: text that Python can't parse, so that the functions in it have no facts at present. About a file,
not a function."""

from __future__ import annotations

from kernel_analysis.report import Finding
from kernel_analysis.rules.subject import FileSubject

CODE = "syntax-error"


def check_file(subject: FileSubject) -> list[Finding]:
    return [
        Finding(CODE, "warning" if problem.elsewhere else "error", problem.message, problem.span)
        for problem in subject.module.problems
    ]
