"""The union of facts over several signatures or specializations: a YES of one is a YES, an UNKNOWN stays unless it
became a YES."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeVar

from kernel_analysis.facts import NO_ACCESS, Access, Facts, ParameterFacts
from kernel_analysis.ir import Assigned

T = TypeVar("T")
_CONSTANT = 4


def join(many: list[Facts]) -> Facts:
    """The facts over all signatures; ``many`` has at least one, all of the same slice."""
    first, *rest = many
    if not rest:
        # What becomes of the union must not become of the one: it is joined again when there are more.
        return Facts(
            list(first.parameters), first.values, first.calls, first.assembly, first.recursion, first.problems,
            dict(first.helpers), first.reached,
        )  # fmt: skip
    indices = {index for facts in many for index in facts.helpers}
    return Facts(
        parameters=join_parameters([facts.parameters for facts in many]),
        values=_join_values(many),
        calls=_unique(call for facts in many for call in facts.calls),
        assembly=_unique(fact for facts in many for fact in facts.assembly),
        recursion=next((facts.recursion for facts in many if facts.recursion), None),
        problems=_unique(problem for facts in many for problem in facts.problems),
        helpers={
            index: join_parameters([facts.helpers[index] for facts in many if index in facts.helpers])
            for index in sorted(indices)
        },
        reached={
            index: sorted({ordinal for facts in many for ordinal in facts.reached.get(index, ())})
            for index in sorted({index for facts in many for index in facts.reached})
        },
    )


def join_parameters(many: list[list[ParameterFacts]]) -> list[ParameterFacts]:
    """Joined by name, in the order of first appearance."""
    if all(facts is many[0] for facts in many):
        return list(many[0])
    by_name: dict[str, list[ParameterFacts]] = {}
    for facts in many:
        for fact in facts:
            by_name.setdefault(fact.name, []).append(fact)
    return [_join_one(facts) for facts in by_name.values()]


def _join_one(facts: list[ParameterFacts]) -> ParameterFacts:
    if len(facts) == 1:
        return facts[0]
    kind = min((fact.type for fact in facts), key=_rank)
    mixed = any(fact.mixed or _rank(kind) == 0 < _rank(fact.type) < _CONSTANT for fact in facts)
    if all(map(_quiet, facts)):
        quiet = next(fact for fact in facts if fact.type == kind)
        return replace(quiet, mixed=True) if mixed else quiet
    firsts: set[Literal["read", "write"] | None] = {fact.first for fact in facts if fact.read.sites or fact.write.sites}
    writing = [fact for fact in facts if fact.write.sites]
    return ParameterFacts(
        facts[0].name,
        kind,
        _access(fact.read for fact in facts),
        _access(fact.write for fact in facts),
        _access(fact.table_read for fact in facts),
        _access(fact.table_write for fact in facts),
        firsts.pop() if len(firsts) == 1 else None,
        bool(writing) and all(fact.masked_only for fact in writing),
        any(fact.uniform_write for fact in writing),
        next((fact.again for fact in facts if fact.again is not None), None),
        mixed,
    )


def _rank(kind: str) -> int:
    """Of several types of one parameter, the first by this can do all that the others can."""
    if kind.startswith(("*", "tensordesc")):
        return 0
    if not kind or kind == "constexpr":
        return _CONSTANT
    return 3 if kind.startswith("!ttg.memdesc") else 2 if kind.startswith(("fp", "bf")) else 1


def _quiet(fact: ParameterFacts) -> bool:
    """Whether nothing happens to it, so that there is nothing to join."""
    return fact.read is fact.write is fact.table_read is fact.table_write is NO_ACCESS


def _access(many: Iterable[Access]) -> Access:
    accesses = [access for access in many if access.sites or access.unknowns]
    if not accesses:
        return NO_ACCESS
    if all(access == accesses[0] for access in accesses):
        return accesses[0]
    return Access(
        tuple(dict.fromkeys(s for access in accesses for s in access.sites)),
        tuple(dict.fromkeys(u for access in accesses for u in access.unknowns)),
    )


def _join_values(many: list[Facts]) -> list[Assigned]:
    found: dict[tuple[object, str], list[Assigned]] = {}
    for facts in many:
        for value in facts.values:
            known = found.setdefault((value.at, value.name), [])
            if all(value.type != other.type for other in known):
                known.append(value)
    return [
        known[0] if len(known) == 1 else known[0]._replace(type=" | ".join([value.type for value in known]))
        for known in found.values()
    ]


def _unique(items: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(items))
