"""What ``check`` found, as its outputs read it. Plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.wire import Entry
from triton_ls.file_facts import Place, place


@dataclass
class FileResult:
    """``reports`` by the place of the function's name, as in ``Facts``."""

    file: str
    kernels: tuple[Entry, ...] = ()
    findings: list[Finding] = field(default_factory=list[Finding])
    reports: dict[Place, KernelReport] = field(default_factory=dict[Place, KernelReport])


@dataclass(frozen=True)
class CheckResult:
    """``files`` were looked at, most of them without a kernel; ``results`` are in order of the file name."""

    triton: str
    target: str
    files: int
    results: list[FileResult]
    findings: list[Finding]

    def kernels(self) -> Iterator[tuple[Entry, KernelReport | None]]:
        """Every jit function in order of the text, with its report; None for one whose text does not parse."""
        for result in self.results:
            for entry in sorted(result.kernels, key=lambda entry: place(entry.name_span)):
                yield entry, result.reports.get(place(entry.name_span))

    def counts(self) -> Counter[str]:
        return Counter("failed" if report is None else report.status for _, report in self.kernels())
