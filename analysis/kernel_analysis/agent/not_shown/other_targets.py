"""An error in a function that is defined in a branch which is not taken here, or in a file that the installed Triton
can't import: meant for another target, version, setting or compiler, and no error. Nor is one in a kernel that code of
the workspace rewrites before it is compiled, or about what the workspace itself gives Triton. Evaluates conditions
only."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from kernel_analysis.agent.not_shown import come_to
from kernel_analysis.attempt.fault.parameter_dependence import Behind
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.facts import Problem
from kernel_analysis.host.changes.replaced import given_to_triton, interpreted, triton_instead
from kernel_analysis.host.changes.text import rewritten
from kernel_analysis.host.names.guards import untaken
from kernel_analysis.host.names.imports.foreign import NAMED, OWN, UNSEEN, missing_backend
from kernel_analysis.host.names.resolve import Resolver
from kernel_analysis.kernels.project import Project
from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.syntax import descend

_ACCUSING = ("error", "warning")
_OF_HOST: Final = {
    "launch-arguments",
    "autotune-argument",
    "heuristics-argument",
    "decorator-order",
    "do-not-specialize",
}
"""The rules that say what the installed Triton makes of host code."""
_BUILTINS: Final = frozenset(dir(builtins))
_INTERPRETED: Final = "it may be for Triton's interpreter alone, and could not be compiled"


def excused(project: Project, module: Module, function: JitFunction, slice_: Slice, outcome: Outcome) -> Outcome:
    """What does not compile in a branch that is not taken, for another compiler, or before it is rewritten, is no
    error."""
    resolver = project.resolver
    problems = outcome.facts.problems
    if any(map(_excusable, problems)) and (why := _why(resolver, module, function)) is not None:
        return _said(outcome, [p for p in problems if _excusable(p)], why)
    wrong = [p for p in problems if p.code == "compile-error"]
    if foreign := [p for p in wrong if "no-backend" in p.kind.topics]:
        return _said(outcome, foreign, "it takes what the installed Triton does not have: it is for another compiler")
    of = resolver, module, function.name, function.node.decorator_list
    if wrong and (taking := rewritten.of_kernel(*of)) is not None:
        return _said(outcome, wrong, f"as it stands it could not be compiled ({taking})")
    for problem in wrong:
        if (why := given_to_triton.given(resolver, module, problem.kind, _asked(slice_, problem))) is not None:
            outcome = _said(outcome, [problem], f"Triton may be another where the file runs ({why})")
    return outcome


def not_launched(
    project: Project, function: JitFunction, slice_: Slice, outcome: Outcome, read_from: set[str]
) -> Outcome:
    """What does not compile as a launch has it that nothing shows to be come to is no error. ``read_from``: the files
    that this was found out from go in."""
    wrong = [p for p in outcome.facts.problems if p.code == "compile-error"]
    if not wrong:
        return outcome
    with project.resolver.reading() as read:
        launched = come_to.launched(project, function)
        by_interpreter = _may_be_interpreted(project, function)
        to_fail = come_to.only_to_fail(project, function)
    read_from |= read
    if to_fail:
        return _said(outcome, wrong, come_to.ONLY_TO_FAIL)
    if by_interpreter:
        return _said(outcome, [p for p in wrong if _excusable(p) or _may_be_python(p)], _INTERPRETED)
    wrong = [p for p in wrong if _excusable(p)]
    if all(launched):
        return outcome
    # What no launch has a part in is wrong whoever launches it.
    behind = Behind(slice_).parameters_behind
    passed = [p for p in wrong if behind(p.at, p.chain, False)]
    return _said(outcome, passed, come_to.NOT_LAUNCHED)


def _may_be_interpreted(project: Project, function: JitFunction) -> bool:
    """Whether the files that launch a function have Triton's interpreter run it, or nobody is seen to launch it and its
    own file speaks of that."""
    files = {launch.file for launch in project.launches_of(function)}
    project.resolver.read({*files, function.file})
    if not files:
        return interpreted.speaks_of_it(project.load(function.file))
    return all(interpreted.is_set_for(project.resolver, file) for file in files)


def _asked(slice_: Slice, problem: Problem) -> set[str]:
    """The attributes that are asked for where the problem is."""
    node = slice_.functions[problem.at.function].nodes[problem.at.node] if problem.at.function >= 0 else None
    return {inner.attr for inner in descend(node) if isinstance(inner, ast.Attribute)} if node is not None else set()


def _said(outcome: Outcome, excused: list[Problem], why: str) -> Outcome:
    problems = [
        replace(p, code="not-analyzed", message=f"{why}: {p.message}", certain=False) if p in excused else p
        for p in outcome.facts.problems
    ]
    return replace(outcome, facts=replace(outcome.facts, problems=problems))


def _why(resolver: Resolver, module: Module, function: JitFunction) -> str | None:
    likely = untaken(resolver, module, function)
    if likely is not None:
        return f"it is defined in a branch that {likely} here, and could not be compiled"
    if (another := another_compiler(resolver, module)) is not None:
        return f"{another}, and could not be compiled"
    return None if come_to.defined(resolver, module, function) else f"{come_to.NOT_SHOWN}, and could not be compiled"


def of_host(resolver: Resolver, module: Module, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What the host code does wrong by the installed Triton is said of nobody where that is for another compiler, or
    where nothing shows that it is come to."""
    found = come_to.of_file(resolver, module, findings)
    if not any(finding.severity in _ACCUSING and finding.code in _OF_HOST for finding in found):
        return found
    if (why := another_compiler(resolver, module)) is None:
        return found
    return tuple(
        replace(finding, severity="information", message=f"{finding.message}; {why}", fixes=())
        if finding.severity in _ACCUSING and finding.code in _OF_HOST
        else finding
        for finding in found
    )


def of_report(resolver: Resolver, module: Module, report: KernelReport) -> set[str]:
    """The same of what is said of a function; the files that it was read from."""
    with resolver.reading() as read:
        report.findings = list(come_to.of_file(resolver, module, report.findings))
    return read


def another_compiler(resolver: Resolver, module: Module) -> str | None:
    """Why a file may be for another compiler than the installed Triton."""
    missing = missing_backend(resolver, module)
    if missing is not None:
        return _for_another(missing)
    where = triton_instead.instead(resolver, module)
    return f"another Triton may be in the place of the installed one, by {where}" if where is not None else None


def _for_another(missing: str) -> str:
    if missing == OWN:
        return "`triton` is the workspace's own here, not the installed one: it is for another compiler"
    if missing.startswith(UNSEEN):
        package = missing.removeprefix(UNSEEN)
        return f"its Triton is what `{package}` has, which is not in sight and may be another than the installed one"
    if missing.startswith(NAMED):
        return f"its file is {NAMED}`{missing.removeprefix(NAMED)}`: it is for another compiler"
    return f"importing its file takes `{missing}`, which the installed Triton does not have: it is for another compiler"


def _may_be_python(problem: Problem) -> bool:
    """Whether a name is missing that Python's own functions have: `breakpoint`."""
    return problem.kind.undefined in _BUILTINS


def _excusable(problem: Problem) -> bool:
    """A name that is defined nowhere is wrong everywhere."""
    return problem.code == "compile-error" and "undefined" not in problem.kind.topics
