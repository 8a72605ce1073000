"""``compile-error``: what the Triton compiler refuses whatever the types are, in its words, at the innermost place in
this file."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding, Related
from kernel_analysis.rules import non_constexpr_global
from kernel_analysis.rules.subject import Subject, call_chain

CODE = "compile-error"


def check(subject: Subject) -> Iterator[Finding]:
    elsewhere = {(f.span.line, f.span.column) for f in non_constexpr_global.check(subject)}
    for problem in subject.report.problems:
        span = subject.own(problem.span, problem.chain)
        if problem.code != CODE or (span.line, span.column) in elsewhere:
            continue
        message = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
        related = call_chain(problem.chain)
        if span != problem.span:
            related = (*related, Related(problem.span, "the error is here"))
        yield Finding(CODE, "error", message, span, related)
