"""What was said of a file's functions, where nobody keeps that of each: an error in a helper is found by every kernel
that calls it, and one of them says it."""

from __future__ import annotations

from collections.abc import Iterable

from kernel_analysis.report import Finding


class ToldOnce:
    def __init__(self) -> None:
        self._told: set[tuple[object, ...]] = set()

    def new(self, findings: Iterable[Finding]) -> list[Finding]:
        """Those that were not said."""
        found: list[Finding] = []
        for finding in findings:
            identity = (finding.code, finding.span, finding.message)
            if identity not in self._told:
                self._told.add(identity)
                found.append(finding)
        return found
