"""What the facts of a file say about the place where a cursor stands. May not know LSP."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from kernel_analysis import paths
from kernel_analysis.report import KernelReport, ValueReport
from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls import describe
from triton_ls.file_facts import BEFORE, FileFacts, place
from triton_ls.names import Name, name_at
from triton_ls.reports import Compiled
from triton_ls.text import contains

_BEFORE = f"*As it was {BEFORE}.*"


@dataclass(frozen=True, slots=True)
class Explained:
    """Markdown for the stretch of text ``span``."""

    markdown: str
    span: Span


class Shown(Protocol):
    """What is asked of a ``Snapshot`` here."""

    @property
    def facts(self) -> FileFacts: ...
    def resources(self, report: KernelReport) -> Compiled | None: ...
    def choice(self, entry: Entry) -> str | None: ...
    def values(self, report: KernelReport) -> list[ValueReport]: ...


def explain(known: Shown, line: int, column: int) -> Explained | None:
    """The answer for a place, or None when nothing is known of it."""
    facts = known.facts
    entry = innermost(facts.kernels, line, column)
    if entry is None:
        # Outside of kernels only launches and mentions of them are of interest; a line is enough to see those.
        name = name_at(facts.lines, line, column, line, line)
        return None if name is None or name.argument else _function(known, name, None)
    if contains(entry.name_span, line, column):
        return _with_choice(_named(known, entry, entry.name_span), known.choice(entry))
    name = name_at(facts.lines, line, column, entry.span.line, entry.span.end_line)
    shown = facts.known(entry)
    if name is not None and (answer := _until_it_fails(facts, entry, name)) is not None:
        return answer
    if name is None or shown is None:
        return None if name is None else _function(known, name, None)
    if _is_edited(facts, entry, line):
        # Of the line as it is now there is what its failed compile said, if it has ended.
        now = facts.reports.get(place(entry.name_span))
        answer = None if now is None else _in_body(facts, entry, now, name, now.values)
        return answer or _function(known, name, now)
    report, before = shown
    answer = _in_body(facts, entry, report, name, known.values(report))
    if answer is not None and before:
        answer = Explained(f"{answer.markdown}\n\n{_BEFORE}", answer.span)
    return answer or _function(known, name, report)


def _until_it_fails(facts: FileFacts, entry: Entry, name: Name) -> Explained | None:
    """A value above the error of a function that did not compile."""
    failing = facts.until_it_fails(entry)
    if failing is None or name.attribute or name.argument or name.line in failing[0].edited:
        return None
    now, is_before = failing[0].report, failing[1]
    if name.line > max(value.span.line for value in now.values):
        return None
    if name.text in {paths.owner(parameter.name) for parameter in now.parameters}:
        return None  # whether it is written is known of before
    values, _ = _assignments(facts, entry, now.values, name)
    if not values:
        return None
    said = describe.value(now, values[-1])
    return Explained(f"{said}\n\n{_BEFORE}" if is_before else said, _span(facts, name))


def _with_choice(answer: Explained, choice: str | None) -> Explained:
    return answer if choice is None else replace(answer, markdown=f"{answer.markdown}\n\n{describe.choice(choice)}")


def _is_edited(facts: FileFacts, entry: Entry, line: int) -> bool:
    """What is remembered of a function says nothing about a line that is another now."""
    before = facts.before.get(entry.qualname)
    return before is not None and line in before.edited


def innermost(entries: Iterable[Entry], line: int, column: int) -> Entry | None:
    inside = [entry for entry in entries if contains(entry.span, line, column)]
    return max(inside, key=lambda entry: entry.span.line, default=None)


def _in_body(
    facts: FileFacts, entry: Entry, report: KernelReport, name: Name, values: list[ValueReport]
) -> Explained | None:
    span = _span(facts, name)
    for parameter in report.parameters:
        if contains(parameter.span, name.line, name.column) and paths.owner(parameter.name) == name.text:
            return Explained(describe.parameter(report, parameter), span)
    calls = [
        call
        for call in report.calls
        if call.callee.rpartition(".")[2] == name.text and contains(call.span, name.line, name.column)
    ]
    if calls:
        inner = max(calls, key=lambda call: (call.span.line, call.span.column))
        return Explained(describe.call(inner, report.file), span)
    if name.attribute or name.argument:
        return None
    before, after = _assignments(facts, entry, values, name)
    parameters = [p for p in report.parameters if paths.owner(p.name) == name.text]
    if parameters and not before:
        return Explained("\n\n".join(describe.parameter(report, parameter) for parameter in parameters), span)
    if before or after:
        # In a loop a name may be assigned further down only.
        return Explained(describe.value(report, before[-1] if before else after[0]), span)
    return None


def _assignments(
    facts: FileFacts, entry: Entry, values: Iterable[ValueReport], name: Name
) -> tuple[list[ValueReport], list[ValueReport]]:
    """The assignments of the name that have happened where it stands, and those that come later, in order of the text.

    In ``x = x + 1`` the second ``x`` is what it was before.
    """
    before: list[ValueReport] = []
    after: list[ValueReport] = []
    for value in sorted((v for v in values if v.name == name.text), key=lambda v: place(v.span)):
        target = name_at(facts.lines, *place(value.span), entry.span.line, entry.span.end_line)
        itself = place(value.span) == (name.line, name.column)
        done = itself or (target is not None and target.statement < name.statement)
        (before if done else after).append(value)
    return before, after


def _function(known: Shown, name: Name, inside: KernelReport | None) -> Explained | None:
    """A mention of a jit function of the same file: a launch, a call that nothing more is known of."""
    if name.argument:
        return None
    facts = known.facts
    entries = [entry for entry in facts.kernels if entry.name == name.text]
    entries = [entry for entry in entries if entry.qualname == entry.name] or entries
    if len(entries) != 1 or (inside is not None and entries[0].qualname == inside.qualname and name.attribute):
        return None
    return _named(known, entries[0], _span(facts, name))


def _named(known: Shown, entry: Entry, span: Span) -> Explained:
    facts = known.facts
    report, before = facts.reports.get(place(entry.name_span)), facts.before.get(entry.qualname)
    shown = describe.pending(entry) if report is None else describe.kernel(report, known.resources(report))
    if before is not None:
        shown += f"\n\n*{BEFORE.capitalize()}*: {describe.summary(before.report)}."
    return Explained(shown, span)


def _span(facts: FileFacts, name: Name) -> Span:
    return Span(facts.file, name.line, name.column, name.line, name.end_column)
