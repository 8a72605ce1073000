"""What the first signature of a function says, to be shown while the others are still compiled: only what they can't
take back.

Pure: facts in, facts out. A YES stays; a NO is said where no other branch could make it a YES.
"""

from __future__ import annotations

from dataclasses import replace

from kernel_analysis.dataflow import Compile, Proof
from kernel_analysis.facts import Access, Facts, ParameterFacts, UnknownVerdict

WAITING = "other values of the `tl.constexpr` parameters are still being compiled"


def early(first: Facts, proof: Proof, compiles: list[Compile]) -> Facts:
    """The facts of one signature as far as they hold for all."""
    # What has one type there may have another as well.
    helpers = {i: list(h) for i, h in first.helpers.items()}
    found = replace(first, parameters=list(first.parameters), helpers=helpers, values=[])
    proof.withhold(found, compiles)
    before = {fact.name: fact for fact in first.parameters}
    found.parameters = [_holding(now, before.get(now.name, now)) for now in found.parameters]
    return found


def _holding(now: ParameterFacts, before: ParameterFacts) -> ParameterFacts:
    """Nothing is said of all writes, or of what comes first, before all are known."""
    return replace(
        now,
        read=_waiting(now.read, before.read),
        write=_waiting(now.write, before.write),
        table_read=_waiting(now.table_read, before.table_read),
        table_write=_waiting(now.table_write, before.table_write),
        first=None,
        masked_only=False,
        uniform_write=False,
    )


def _waiting(now: Access, before: Access) -> Access:
    """What is unknown for want of the other signatures says so."""
    notes = (u if u in before.unknowns else UnknownVerdict(WAITING, u.at, u.path) for u in now.unknowns)
    return Access(now.sites, tuple(dict.fromkeys(notes)))
