"""``not-analyzed``: what could not be found out, and why. Never silent, never an accusation: information."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding, ParameterReport, Related
from kernel_analysis.rules.subject import Subject, call_chain
from kernel_analysis.span import Span

CODE = "not-analyzed"


def check(subject: Subject) -> Iterator[Finding]:
    for problem in subject.report.problems:
        if problem.code == CODE:
            message = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
            span = subject.own(problem.span, problem.chain)
            yield Finding(CODE, "information", f"{subject.noun}: {message}", span, call_chain(problem.chain))
    # Of a function that was not lowered everything is unknown, and the problem above says why.
    if subject.report.status != "failed":
        yield from _unknowns(subject)


def _unknowns(subject: Subject) -> Iterator[Finding]:
    """One finding for each reason and place, naming all parameters that it leaves open."""
    open_: dict[tuple[str, Span], list[ParameterReport]] = {}
    for parameter in subject.report.parameters:
        if parameter.reason is not None:
            place = parameter.reason_span or parameter.span
            open_.setdefault((parameter.reason, place), []).append(parameter)
    assembly = {
        subject.places.span(a.at, a.path) for a in subject.facts.assembly if a.unknown is not None and not a.pure
    }
    for (reason, place), parameters in open_.items():
        # `inline-asm` says it there already.
        if place in assembly:
            continue
        names = ", ".join(f"`{parameter.name}`" for parameter in parameters)
        message = f"{subject.noun}: whether {names} {_verbs(parameters)} is unknown: {reason}"
        here = subject.own(place)
        related = () if here == place else (Related(place, "the reason is here"),)
        yield Finding(CODE, "information", message, here, related)


def _verbs(parameters: list[ParameterReport]) -> str:
    be = "is" if len(parameters) == 1 else "are"
    written = any("unknown" in (p.written, p.table_written) for p in parameters)
    read = any("unknown" in (p.read, p.table_read) for p in parameters)
    return f"{be} read or written" if written and read else f"{be} written" if written else f"{be} read"
