"""How much of other people's kernels is understood: a table for the packages in the directories named. By hand:
``make corpus``.

Cold, one process, no cache. Prints Markdown; every function that was not analyzed is listed with its reason.
"""

from __future__ import annotations

import ast
import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kernel_analysis.attempt.compile import Work
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.dataflow.presentation import present
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler
from kernel_analysis.report import KernelReport
from kernel_analysis.signature.infer import infer
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

RECORDED = ast.Call | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return


@dataclass
class Package:
    name: str
    kernels: int = 0
    status: dict[str, int] = field(default_factory=dict[str, int])
    errors: list[str] = field(default_factory=list[str])
    reasons: list[str] = field(default_factory=list[str])
    reached: int = 0
    statements: int = 0
    compiles: list[int] = field(default_factory=list[int])
    seconds: float = 0.0


def entries(project: Project, files: list[str]) -> Iterator[tuple[JitFunction, Slice]]:
    """The jit functions that no other one in these files calls, which is what a kernel is."""
    cuts: list[tuple[JitFunction, Slice]] = []
    called: set[tuple[str, int]] = set()
    for file in files:
        for function in project.module(file).functions:
            slice_ = cut(project, function)
            cuts.append((function, slice_))
            called |= {(helper.file, helper.node.lineno) for helper in slice_.functions[1:]}
    for function, slice_ in cuts:
        if (function.file, function.node.lineno) not in called:
            yield function, slice_


def coverage(outcome: Outcome, slice_: Slice) -> tuple[int, int]:
    """The calls, assignments and returns of a kernel and its helpers: those compiled, and all."""
    reached = total = 0
    for index, function in enumerate(slice_.functions):
        ordinals = set(outcome.facts.reached.get(index, ()))
        # A call as the iterator of a loop is no statement of its own: the front end takes it apart.
        iterators = {node.iter for node in function.nodes if isinstance(node, ast.For)}
        for ordinal, node in enumerate(function.nodes):
            if isinstance(node, RECORDED) and node not in iterators and function.kind == "jit":
                total += 1
                reached += ordinal in ordinals
    return reached, total


def measure(directory: Path, compiler: Compiler) -> Package:
    package = Package(directory.name)
    files = sorted(str(path) for path in directory.rglob("*.py") if b"jit" in path.read_bytes())
    project = Project([str(directory)], [str(directory), *filter(os.path.isdir, sys.path)], patient=True)
    started = time.perf_counter()
    for function, slice_ in entries(project, files):
        work = Work(compiler, slice_)
        outcome = work.outcome(infer(project, function, slice_))
        report = present(outcome.facts, slice_, function, "kernel", outcome.signatures, outcome.tried)
        package.kernels += 1
        package.status[report.status] = package.status.get(report.status, 0) + 1
        package.compiles.append(work.compiles)
        if outcome.signatures:
            reached, total = coverage(outcome, slice_)
            package.reached += reached
            package.statements += total
        tell(package, report, Path(function.file).relative_to(directory))
    package.seconds = time.perf_counter() - started
    return package


def tell(package: Package, report: KernelReport, file: Path) -> None:
    where = f"`{file}:{report.span.line}` `{report.name}`"
    for problem in report.problems:
        text = f"{where}: {problem.message.splitlines()[0]}"
        (package.errors if problem.code == "compile-error" else package.reasons).append(f"{report.status} {text}")
    if report.status != "analyzed" and not report.problems:
        reason = next((p.reason for p in report.parameters if p.reason), "")
        package.reasons.append(f"{report.status} {where}: {reason}")


def main() -> None:
    compiler = Compiler("cuda:90")
    packages = [measure(Path(argument).resolve(), compiler) for argument in sys.argv[1:]]
    print(f"\nTriton {compiler.triton_version}, {compiler.target}\n")
    print("| package | kernels | analyzed | partial | failed | statements | errors | compiles | 95% | s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for p in packages:
        counts = " | ".join(str(p.status.get(status, 0)) for status in ("analyzed", "partial", "failed"))
        share = f"{100 * p.reached / max(p.statements, 1):.1f}%"
        mean = f"{statistics.mean(p.compiles or [0]):.1f}"
        most = sorted(p.compiles or [0])[int(0.95 * (len(p.compiles) - 1))]
        print(f"| {p.name} | {p.kernels} | {counts} | {share} | {len(p.errors)} | {mean} | {most} | {p.seconds:.1f} |")
    print(
        "\nstatements: calls, assignments and returns that some signature compiled, of kernels that compiled at all; "
        "errors: `compile-error`, right or wrong; compiles: of a kernel, the mean and the 95th percentile."
    )
    for p in packages:
        print(f"\n## {p.name}: what was not analyzed, and errors\n")
        for line in [*p.errors, *p.reasons]:
            print(f"- {line}")


if __name__ == "__main__":
    main()
