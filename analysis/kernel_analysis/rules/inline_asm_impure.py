"""``inline-asm-impure``: assembly that is declared pure and stores to memory, so that the compiler may drop or repeat
the store."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.report import Finding
from kernel_analysis.rules.subject import Subject, call_chain

CODE = "inline-asm-impure"


def check(subject: Subject) -> Iterator[Finding]:
    for assembly in subject.facts.assembly:
        if assembly.pure and assembly.stores is not None:
            span = subject.places.span(assembly.at, assembly.path)
            steps = subject.places.steps(assembly.at, assembly.path)
            message = (
                f"this assembly is declared pure (`is_pure=True`) but `{assembly.stores}` writes memory: "
                "the compiler may drop, repeat or move it; pass `is_pure=False`"
            )
            yield Finding(CODE, "warning", message, subject.own(span, steps), call_chain(steps))
