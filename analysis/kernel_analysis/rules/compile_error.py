"""``compile-error``: what the Triton compiler refuses whatever the types are, in its words, at the innermost place in
this file."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding, Related
from kernel_analysis.rules.subject import Subject, call_chain

CODE = "compile-error"


def check(subject: Subject) -> Iterator[Finding]:
    for problem in subject.report.problems:
        if problem.code != CODE:
            continue
        span = subject.own(problem.span, problem.chain)
        message = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
        related = call_chain(problem.chain)
        if span != problem.span:
            related = (*related, Related(problem.span, "the error is here"))
        yield Finding(CODE, "error", message, span, related)
