"""An error in a function that is defined in a branch which is not taken here: meant for another target, version or
setting, and no error. Evaluates conditions only."""

from __future__ import annotations

from dataclasses import replace

from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.facts import Problem
from kernel_analysis.host.names.guards import untaken
from kernel_analysis.host.names.resolve import Resolver
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.module import Module


def excused(resolver: Resolver, module: Module, function: JitFunction, outcome: Outcome) -> Outcome:
    """What does not compile in a branch that is not taken is meant for another target, version or setting."""
    problems = outcome.facts.problems
    if not any(map(_excusable, problems)):
        return outcome
    likely = untaken(resolver, module, function)
    if likely is None:
        return outcome
    why = f"it is defined in a branch that {likely} here, and could not be compiled"
    problems = [
        replace(p, code="not-analyzed", message=f"{why}: {p.message}", certain=False) if _excusable(p) else p
        for p in problems
    ]
    return replace(outcome, facts=replace(outcome.facts, problems=problems))


def _excusable(problem: Problem) -> bool:
    """A name that is defined nowhere is wrong everywhere."""
    return problem.code == "compile-error" and "undefined" not in problem.kind.topics
