"""Facts with places as nodes -> a ``KernelReport`` with spans of the text shown now.

Decides nothing about kernels. Pure: it reads facts, the slice that they belong to and the function as written.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Literal

from kernel_analysis import paths
from kernel_analysis.dataflow.proven.call_conditions import CallConditions
from kernel_analysis.facts import Access, CallFact, Facts, ParameterFacts, Problem, Site, UnknownVerdict, Verdict
from kernel_analysis.ir import HANDED, LIBRARY, At
from kernel_analysis.report import (
    CallReport,
    KernelReport,
    ParameterReport,
    ProblemReport,
    SignatureReport,
    SiteReport,
    Step,
    ValueReport,
)
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

_NAMELESS = {LIBRARY: "Triton's library", HANDED: "a function that it is handed"}

# A helper called with many types: beyond these a hover says nothing more.
_TYPES_SHOWN = 4


def present(
    facts: Facts,
    slice_: Slice,
    function: JitFunction,
    role: Literal["kernel", "helper"],
    signatures: list[SignatureReport],
    tried: Mapping[str, Any],
    editor: bool = True,
    symbolic: Mapping[tuple[At, str], str] | None = None,
) -> KernelReport:
    """``tried``: the types that compiling was tried with. ``editor``: with what only editors show, the types of values
    and the calls; ``symbolic``: those types with names for sizes that are assumed. The report of ``function``, which is
    ``slice_.functions[0]``; findings are the rules' business and left empty."""
    places = SpanPlaces(slice_, function)
    report = KernelReport(
        key=slice_.hash,
        file=function.file,
        name=function.name,
        qualname=function.qualname,
        role=role,
        status="failed",
        span=function.span,
        name_span=function.name_span,
        signatures=signatures,
        parameters=_parameters(facts, places, function, bool(signatures), tried),
        values=_values(facts, places, symbolic or {}) if editor else [],
        calls=[_call(call, places, slice_) for call in facts.calls if call.at.function == 0 and editor],
        problems=[_problem(problem, places) for problem in facts.problems],
        recursion=_recursion(facts, places, slice_),
        launch_options=dict(signatures[0].launch_options) if signatures else {},
        guessed={**slice_.guessed, **(signatures[0].bound if signatures else {})},
    )
    report.status = _status(report)
    return report


class SpanPlaces:
    """Turns ``At`` into spans: code without a place of its own (Triton's library) falls to the call that leads there,
    then to the name after ``def``."""

    def __init__(self, slice_: Slice, function: JitFunction) -> None:
        self._slice = slice_
        self._function = function
        self._ordinals: dict[int, int] | None = None
        self._conditions: CallConditions | None = None

    def condition(self, at: At, path: tuple[At, ...]) -> str | None:
        """Under which constexpr values the function comes to a place, in it or through calls."""
        if self._conditions is None:
            constexprs = [parameter.name for parameter in self._function.parameters if parameter.constexpr]
            self._conditions = CallConditions(self._slice, constexprs)
        return self._conditions.of(at, path)

    def span(self, at: At, path: tuple[At, ...] = ()) -> Span:
        for place in (at, *reversed(path)):
            found = self._slice.span(place) if place.function >= 0 else None
            if found is not None:
                return found
        return self._function.name_span

    def steps(self, at: At, path: tuple[At, ...]) -> tuple[Step, ...]:
        """Each call of ``path`` with the name of the function that it calls: the one that the next place lies in."""
        inside = [place.function for place in (*path, at)][1:]
        functions = self._slice.functions
        return tuple(
            Step(self.span(call), functions[callee].name if callee >= 0 else _NAMELESS[callee])
            for call, callee in zip(path, inside, strict=True)
        )

    def target(self, at: At, name: str) -> Span:
        """Where ``name`` stands in the assignment ``at`` of the function itself; the assignment when it is not found
        there."""
        nodes = self._slice.functions[0].nodes
        if self._ordinals is None:
            self._ordinals = {id(node): ordinal for ordinal, node in enumerate(nodes)}
        for node in descend(_head(nodes[at.node])):
            if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
                return self.span(At(0, self._ordinals[id(node)]))
        return self.span(at)


def _head(node: ast.AST) -> ast.AST:
    """A statement without the statements inside it, which assign for themselves."""
    if isinstance(node, ast.For | ast.AsyncFor):
        return node.target
    return node if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.expr) else ast.Pass()


def _status(report: KernelReport) -> Literal["analyzed", "partial", "failed"]:
    if not report.signatures:
        return "failed"
    undecided = any("unknown" in (p.read, p.written, p.table_read, p.table_written) for p in report.parameters)
    return "partial" if undecided or report.problems else "analyzed"


def _parameters(
    facts: Facts, places: SpanPlaces, function: JitFunction, lowered: bool, types: Mapping[str, Any]
) -> list[ParameterReport]:
    """Those with facts, in the order of the function's head. A constexpr has no address, so nothing goes through it."""
    by_owner: dict[str, list[ParameterFacts]] = {}
    for known in facts.parameters:
        by_owner.setdefault(paths.owner(known.name), []).append(known)
    reports: list[ParameterReport] = []
    for parameter in function.parameters:
        name = parameter.name
        if name in by_owner:
            reports += [_parameter(element, places, parameter.span) for element in by_owner[name]]
            continue
        type_ = _type_text(types.get(name, "constexpr" if parameter.constexpr else "unknown"))
        said: Verdict = "no" if lowered or parameter.constexpr else "unknown"
        report = ParameterReport(name, type_, parameter.span, said, said, said, said)
        if said == "unknown":
            why = (
                facts.problems[0]
                if facts.problems
                else Problem("not-analyzed", "the function was not compiled", At(0, 0))
            )
            report.reason, report.reason_span = why.message, places.span(why.at, why.chain)
        reports.append(report)
    return reports


def _type_text(type_: Any) -> str:
    return type_ if isinstance(type_, str) else "(" + ", ".join(map(_type_text, type_)) + ")"


def _parameter(facts: ParameterFacts, places: SpanPlaces, span: Span) -> ParameterReport:
    accesses = (facts.write, facts.read, facts.table_write, facts.table_read)
    unknown = next((access.unknowns[0] for access in accesses if access.verdict == "unknown"), None)
    return ParameterReport(
        name=facts.name,
        type=facts.type,
        span=span,
        read=facts.read.verdict,
        written=facts.write.verdict,
        reason=unknown.reason if unknown else None,
        reason_span=_reason_span(unknown, places) if unknown else None,
        read_sites=_sites(facts.read, places),
        write_sites=_sites(facts.write, places),
        table_read=facts.table_read.verdict,
        table_written=facts.table_write.verdict,
        table_read_sites=_sites(facts.table_read, places),
        table_write_sites=_sites(facts.table_write, places),
        first=facts.first,
        masked_only=facts.masked_only,
        uniform_write=facts.uniform_write,
    )


def _reason_span(unknown: UnknownVerdict, places: SpanPlaces) -> Span:
    return places.span(unknown.at, unknown.path)


def _sites(access: Access, places: SpanPlaces) -> list[SiteReport]:
    return [_site(site, places) for site in access.sites]


def _site(site: Site, places: SpanPlaces) -> SiteReport:
    return SiteReport(
        places.span(site.at, site.path),
        site.op,
        site.masked,
        places.steps(site.at, site.path),
        places.condition(site.at, site.path),
    )


def _values(facts: Facts, places: SpanPlaces, symbolic: Mapping[tuple[At, str], str]) -> list[ValueReport]:
    types: dict[tuple[At, str], list[str]] = {}
    for value in facts.values:
        if value.at.function == 0:
            seen = types.setdefault((value.at, value.name), [])
            if value.type not in seen:
                seen.append(value.type)
    return [
        ValueReport(name, _either(seen), places.target(at, name), symbolic.get((at, name)))
        for (at, name), seen in types.items()
    ]


def _either(types: list[str]) -> str:
    shown = types[:_TYPES_SHOWN]
    return " | ".join(shown) + (" | …" if len(types) > len(shown) else "")


def _call(call: CallFact, places: SpanPlaces, slice_: Slice) -> CallReport:
    callee = slice_.functions[call.callee]
    whole = places.span(At(call.callee, 0))
    column = whole.column + len("def ")
    name_span = Span(whole.file, whole.line, column, whole.line, column + len(callee.name))
    return CallReport(places.span(call.at), callee.name, name_span, call.parameters)


def _problem(problem: Problem, places: SpanPlaces) -> ProblemReport:
    span = places.span(problem.at, problem.chain)
    steps = places.steps(problem.at, problem.chain)
    return ProblemReport(problem.code, problem.message, span, problem.hint, steps, problem.needed)


def _recursion(facts: Facts, places: SpanPlaces, slice_: Slice) -> dict[str, object] | None:
    if facts.recursion is None:
        return None
    names = [slice_.functions[index].name for index in facts.recursion.cycle]
    return {"cycle": names, "line": places.span(facts.recursion.calls[0]).line}
