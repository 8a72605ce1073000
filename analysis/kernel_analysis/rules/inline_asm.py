"""``inline-asm``: an inline assembly that the analysis does not understand. Says which instruction; blames nobody."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding
from kernel_analysis.rules.subject import Subject, call_chain

CODE = "inline-asm"


def check(subject: Subject) -> Iterator[Finding]:
    for assembly in subject.facts.assembly:
        if assembly.unknown is None or assembly.pure:
            continue
        span = subject.places.span(assembly.at, assembly.path)
        steps = subject.places.steps(assembly.at, assembly.path)
        message = (
            f"this assembly can't be analysed: {assembly.unknown}; "
            "whether it reads or writes what the pointers that reach it point to is unknown"
        )
        yield Finding(CODE, "information", message, subject.own(span, steps), call_chain(steps))
