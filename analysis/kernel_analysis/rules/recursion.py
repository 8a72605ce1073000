"""``recursion``: a jit function that reaches itself at run time, which Triton can't compile. One finding a cycle,
whoever leads into it."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding, Related
from kernel_analysis.rules.subject import Subject, call_chain
from kernel_analysis.span import Span

CODE = "recursion"


def check(subject: Subject) -> Iterator[Finding]:
    recursion = subject.facts.recursion
    if recursion is None:
        for problem in subject.report.problems:
            if problem.code == CODE:
                span = subject.own(problem.span, problem.chain)
                yield Finding(CODE, "error", problem.message, span, call_chain(problem.chain))
        return
    names = [subject.slice.functions[index].name for index in recursion.cycle]
    calls = [subject.places.span(call) for call in recursion.calls]
    # Every function that leads into the cycle finds it, each entering elsewhere: start at the call that stands first in
    # the text, so that all say the same and only one is shown.
    start = min(range(len(calls)), key=lambda i: _order(calls[i], subject.report.file))
    names, calls = names[start:] + names[:start], calls[start:] + calls[:start]
    if len(names) == 1:
        what = f"`{names[0]}` calls itself"
    else:
        what = " -> ".join(f"`{name}`" for name in [*names, names[0]]) + " is a cycle of calls"
    message = (
        f"{what}; Triton inlines every call, so this has no end. "
        "Write it as a loop, or let a `tl.constexpr` argument that gets smaller with each call end it at compile time"
    )
    callees = [*names[1:], names[0]]
    related = tuple(
        Related(span, f"`{name}` calls `{to}`") for span, name, to in zip(calls, names, callees, strict=True)
    )
    yield Finding(CODE, "error", message, subject.own(calls[0]), related)


def _order(span: Span, file: str) -> tuple[bool, str, int, int]:
    return span.file != file, span.file, span.line, span.column
