"""``pragma``: a comment that says what a kernel's parameters are says something that can't be. Looks at comments
only."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding
from kernel_analysis.rules.subject import FileSubject, Subject
from kernel_analysis.signature.evidence import pinned
from kernel_analysis.source.comments import pragma_comment

CODE = "pragma"


def check(subject: Subject) -> Iterator[Finding]:
    said = pragma_comment.items(subject.module, subject.function)
    if said:
        _, mistakes = pinned.read(subject.function, said, subject.report.role == "helper")
        for mistake in mistakes:
            yield Finding(CODE, "warning", mistake.message, mistake.span)


def check_file(subject: FileSubject) -> list[Finding]:
    """The comments that speak of no kernel."""
    message = "this comment stands above no kernel: write it right above the decorator, without a blank line between"
    return [Finding(CODE, "warning", message, span) for span in pragma_comment.stray(subject.module)]
