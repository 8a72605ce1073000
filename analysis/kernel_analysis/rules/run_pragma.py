"""``run-pragma``: a comment that pins a launch of a kernel says something that can't be. Looks at comments only."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.kernels import run_comment
from kernel_analysis.report import Finding
from kernel_analysis.rules.subject import FileSubject, Subject

CODE = "run-pragma"


def check(subject: Subject) -> Iterator[Finding]:
    launches, mistakes = run_comment.read(subject.module, subject.function)
    for pinned in [] if mistakes else launches:
        try:
            pinned.values(dict.fromkeys((p.name for p in subject.function.parameters), 1))
        except run_comment.Mistake as mistake:
            mistakes.append(mistake)
    for mistake in mistakes:
        yield Finding(CODE, "warning", mistake.message, mistake.span)


def check_file(subject: FileSubject) -> list[Finding]:
    """The comments that speak of no kernel."""
    message = "this comment stands above no kernel: write it right above the decorator, without a blank line between"
    return [Finding(CODE, "warning", message, span) for span in run_comment.stray(subject.module)]
