"""What compiling one jit function came to: the unit that the cache holds. Plain data with places as ``At``, so it
survives edits around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernel_analysis.attempt.fault.blame import Blame
from kernel_analysis.facts import Facts, Problem
from kernel_analysis.ir import At
from kernel_analysis.lowering.message_kinds import but_numbers
from kernel_analysis.report import SignatureReport
from kernel_analysis.signature.signature_model import Signature


@dataclass(slots=True)
class Outcome:
    """``signatures``: those that compiled; none: the function was not lowered and ``facts.problems`` says why.
    ``tried``: the types of the first signature, compiled or not. ``failed``: where none compiled, the one under which
    ``facts.values`` were seen."""

    facts: Facts = field(default_factory=Facts)
    signatures: list[SignatureReport] = field(default_factory=list[SignatureReport])
    tried: dict[str, Any] = field(default_factory=dict[str, Any])
    failed: SignatureReport | None = None


def unknown(reason: str) -> Outcome:
    """Nothing was found out, for this reason."""
    return Outcome(Facts(problems=[Problem("not-analyzed", reason, At(0, 0))]))


def placed(outcome: Outcome, signature: Signature) -> Outcome:
    """The outcome with evidence that says where the launches are now: what is remembered holds wherever they stand."""
    moved = {
        name: ((e.kind, e.detail, e.certain), (e.kind, f"{e.detail} at {e.place}", e.certain))
        for name, e in signature.evidence.items()
        if e.place is not None
    }
    if not moved:
        return outcome
    reports: list[SignatureReport] = []
    for report in outcome.signatures:
        changed = {name: after for name, (before, after) in moved.items() if report.evidence.get(name) == before}
        reports.append(replace(report, evidence={**report.evidence, **changed}))
    return replace(outcome, signatures=reports)


GIVEN_UP = Problem("not-analyzed", "compiling took too long", At(0, 0))


def stopped(left: int) -> Problem:
    """That there was no time for so many signatures more."""
    message = f"compiling took too long: {left} more combinations of constexpr values were not compiled"
    return Problem("not-analyzed", message, At(0, 0))


def problems_of(
    failures: Sequence[tuple[Signature, Problem]], facts: Facts, lowered: bool, blame: Blame,
    is_passed: Callable[[Problem, Signature], bool],
) -> list[Problem]:  # fmt: skip
    """What to tell of them, once of several configs; what a guess may have caused, if nothing else got there."""
    if not failures:
        return []
    unknown = any(
        access.verdict == "unknown"
        for parameter in facts.parameters
        for access in (parameter.read, parameter.write, parameter.table_read, parameter.table_write)
    )
    found: dict[tuple[str, str, At], Problem] = {}
    passed = [(signature, problem) for signature, problem in failures if is_passed(problem, signature)]
    for signature, problem in passed or (failures if not lowered else ()):
        excused = not passed or lowered and blame.chosen(problem, signature)
        if not lowered or unknown or not excused and blame.is_certain(problem, signature):
            shown = blame.fair(problem, signature, excused)
            found.setdefault((shown.code, but_numbers(problem), shown.at), shown)
    return list(found.values())
