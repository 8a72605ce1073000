"""What is wrong at a place of host code that nothing shows to be come to is no error: it may stand there for another
machine, version or package, or work where it is. Evaluates conditions only."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from kernel_analysis.host.names.resolve import Resolver
from kernel_analysis.host.tensors import placing
from kernel_analysis.host.tensors.come_to import reached
from kernel_analysis.host.tensors.come_to.let_through import lets_through
from kernel_analysis.host.tensors.come_to.shown import shown
from kernel_analysis.kernels.project import Project
from kernel_analysis.report import Finding
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

NOT_SHOWN: Final = "nothing shows that what it is defined under holds in any run"
ONLY_TO_FAIL: Final = "it could not be compiled, as whoever launches it expects"
NOT_LAUNCHED: Final = "it could not be compiled as it is launched, and nothing shows that any run comes to that launch"
_NOT_COME_TO: Final = "nothing shows that any run comes to it"
_TAKEN: Final = "what is around it may be there to take what is raised"
_ACCUSING: Final = ("error", "warning")
_OF_TEXT: Final = frozenset({"syntax-error", "pragma", "run-pragma", "mutated-parameter", "unused-parameter"})
"""What is so whether it is come to or not."""


def defined(resolver: Resolver, module: Module, function: JitFunction) -> bool:
    """Whether some run defines the function."""
    at = placing.place_of_statement(resolver, module, function.node)
    return at is None or shown(at)


def launched(project: Project, function: JitFunction) -> list[bool]:
    """Of each launch in sight whether some run comes to it."""
    return [_is_launched(project, launch) for launch in project.launches_of(function)]


def only_to_fail(project: Project, function: JitFunction) -> bool:
    """Whether there are launches in sight, and whoever wrote them expects each to fail."""
    launches = project.launches_of(function)
    places = (placing.place(project.resolver, project.load(launch.file), launch.call) for launch in launches)
    return bool(launches) and all(at is not None and reached.expects_failure(at, tries=False) for at in places)


def _is_launched(project: Project, launch: Launch) -> bool:
    at = placing.place(project.resolver, project.load(launch.file), launch.call)
    return (at is None or shown(at)) and (launch.via is None or _is_launched(project, launch.via))


def of_file(resolver: Resolver, module: Module, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What is said of places of a file, less sure where nothing shows that they are come to."""
    known: dict[tuple[int, int], str | None] = {}

    def why(span: Span) -> str | None:
        key = span.line, span.column
        if key not in known:
            known[key] = None if span.file != module.file else _why_milder(resolver, module, span)
        return known[key]

    return tuple(
        one if not _accuses(one) or (said := why(one.span)) is None else _milder(one, said) for one in findings
    )


def _accuses(finding: Finding) -> bool:
    return finding.severity in _ACCUSING and finding.code not in _OF_TEXT


def _milder(finding: Finding, why: str) -> Finding:
    return replace(finding, severity="information", message=f"{finding.message}; {why}")


def _why_milder(resolver: Resolver, module: Module, span: Span) -> str | None:
    spot = ast.Constant(None, lineno=span.line, col_offset=span.column - 1)
    at = placing.place(resolver, module, spot)
    if at is None:
        return None
    device = next((n for n in at.path if isinstance(n, ast.FunctionDef) and id(n) in module.jit), None)
    if device is not None:
        at = placing.place_of_statement(resolver, module, device)
    else:
        inside = [n for n in descend(at.path[-1]) if isinstance(n, ast.expr) and _starts(module, n, span)]
        whole = [n for n in inside if module.span(n) == span] or inside[-1:]
        at = placing.place(resolver, module, whole[0]) if whole else at
    if at is None:
        return None
    if not shown(at) or reached.expects_failure(at):
        return _NOT_COME_TO
    return None if device is not None or lets_through(at) else _TAKEN


def _starts(module: Module, node: ast.expr, span: Span) -> bool:
    own = module.span(node)
    return (own.line, own.column) == (span.line, span.column)
