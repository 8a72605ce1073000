"""What a helper does, from the kernels that call it: their types are the true ones, while a helper alone has only
guesses.

Pure: outcomes in, an outcome out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.dataflow import join
from kernel_analysis.facts import Access, AsmFact, CallFact, Facts, ParameterFacts, Site, UnknownVerdict
from kernel_analysis.ir import HANDED, Assigned, At
from kernel_analysis.report import SignatureReport
from kernel_analysis.source.slice import Slice, SliceFunction

HelperIdentity: TypeAlias = tuple[str, str, str, int, int]


def identity(function: SliceFunction) -> HelperIdentity:
    """The same function in another slice. Strings of one file may hold functions that read alike and mean others."""
    return function.file, function.qualname, function.digest, function.node.lineno, function.node.col_offset


def outcome_of_helper(slice_: Slice, callers: list[tuple[str, Slice, Outcome]]) -> Outcome | None:
    """Joined over ``callers`` (name, slice, outcome of each kernel); None when no caller that compiled reaches it."""
    found: list[Facts] = []
    signatures: list[SignatureReport] = []
    for name, kernel, outcome in callers:
        own = identity(slice_.functions[0])
        # A function that makes classes makes a method more than once.
        for index in [i for i, f in enumerate(kernel.functions) if i and identity(f) == own]:
            if index not in outcome.facts.helpers:
                continue
            facts = _Move(kernel, slice_, index).facts(outcome.facts)
            found.append(facts)
            types = {parameter.name: parameter.type for parameter in facts.parameters}
            evidence: dict[str, tuple[str, str, bool]] = dict.fromkeys(types, ("call", f"called by `{name}`", True))
            signatures.append(SignatureReport(types, {}, evidence, compile_ms=0.0, analysis_ms=0.0, cached=True))
    if not found:
        return None
    distinct: dict[str, SignatureReport] = {}
    for signature in signatures:
        distinct.setdefault(repr(signature.types), signature)
    return Outcome(join(found), list(distinct.values()), signatures[0].types)


class _Move:
    """Facts about function ``index`` of slice ``source`` as facts about function 0 of ``target``: places keep their
    nodes, functions get their new index."""

    def __init__(self, source: Slice, target: Slice, index: int) -> None:
        targets = {identity(function): position for position, function in enumerate(target.functions)}
        # What the helper reaches by itself is in its own slice; what it is handed is not.
        self._functions = [targets.get(identity(function), HANDED) for function in source.functions]
        self._index = index

    def facts(self, facts: Facts) -> Facts:
        return Facts(
            parameters=[self._parameter(parameter) for parameter in facts.helpers[self._index]],
            values=[
                Assigned(value.name, self._at(value.at), value.type)
                for value in facts.values
                if value.at.function == self._index
            ],
            calls=[
                CallFact(self._at(call.at), self._functions[call.callee], call.parameters)
                for call in facts.calls
                if call.at.function == self._index and self._functions[call.callee] >= 0
            ],
            assembly=[
                AsmFact(self._at(asm.at), (), asm.pure, asm.unknown, asm.stores, asm.foreign)
                for asm in facts.assembly
                if asm.at.function == self._index
            ],
        )

    def _at(self, at: At) -> At:
        return at if at.function < 0 else At(self._functions[at.function], at.node)

    def _parameter(self, facts: ParameterFacts) -> ParameterFacts:
        return replace(
            facts,
            read=self._access(facts.read),
            write=self._access(facts.write),
            table_read=self._access(facts.table_read),
            table_write=self._access(facts.table_write),
        )

    def _access(self, access: Access) -> Access:
        return Access(
            tuple([Site(s.op, self._at(s.at), self._path(s.path), s.masked) for s in access.sites]),
            tuple([UnknownVerdict(u.reason, self._at(u.at), self._path(u.path)) for u in access.unknowns]),
        )

    def _path(self, path: tuple[At, ...]) -> tuple[At, ...]:
        return tuple(self._at(call) for call in path)
