"""What is known about one file, tied to the text that it was computed from.

``FileFacts`` is immutable: handlers keep one and answer from it. ``moved_through`` gives what of it may be shown after
edits: what was not edited, as it is; what is left of the rest as ``Earlier``, which whoever shows it marks. May not
know LSP, settings or processes.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kernel_analysis.report import Finding, KernelReport, ParameterReport
from kernel_analysis.span import Span
from kernel_analysis.wire import Entry, Index
from triton_ls.moved_lines import Moves
from triton_ls.text import first_decorator, split_lines

T = TypeVar("T", Entry, KernelReport)
Known = TypeVar("Known")
Place = tuple[int, int]
BEFORE = "before the last edits"
"""How what is remembered is marked where there is room for words."""
REMARK = f"\n({BEFORE})"

_EDITED = "edited"
_revisions = itertools.count(1)


def words_of(finding: Finding) -> tuple[str, bool]:
    """What a finding says, and whether it is of the text before the last edits."""
    words, remark, _ = finding.message.partition(REMARK)
    return words, bool(remark)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was known of a function before it was edited, as far as it stands on lines that are the same now;
    ``edited``: the lines that are not."""

    report: KernelReport
    edited: frozenset[int] = frozenset()


@dataclass(frozen=True)
class FileFacts:
    """``reports`` by the place of the function's name; an entry of ``kernels`` without one is not analysed (yet).
    ``before``, by qualified name: of functions that are not analysed (yet) or do not compile. ``awaited``, by qualified
    name: findings of functions that were edited since, on lines that were not; ``failing``: what their last compile
    found out until it failed, on such lines, too, or what types there were before the first of several signatures was
    compiled. ``changes``: how often anything had been edited when the analysis was
    asked for; ``earlier``, by qualified name: of whom the report is of before the last of these. (What an agent finds
    out about a text that is the same corrects what it said, and makes nothing old.)"""

    file: str
    text: str
    kernels: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()
    reports: Mapping[Place, KernelReport] = field(default_factory=dict[Place, KernelReport])
    before: Mapping[str, Earlier] = field(default_factory=dict[str, Earlier])
    awaited: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict[str, "tuple[Finding, ...]"])
    failing: Mapping[str, Earlier] = field(default_factory=dict[str, Earlier])
    depends: frozenset[str] = frozenset()
    changes: int = 0
    earlier: frozenset[str] = frozenset()
    complete: bool = False
    revision: int = field(default_factory=lambda: next(_revisions))

    @property
    def lines(self) -> tuple[str, ...]:
        return split_lines(self.text)

    def known(self, entry: Entry) -> tuple[KernelReport, bool] | None:
        """What there is to show of a function, and whether that is of its last state that compiled."""
        before, now = self.before.get(entry.qualname), self.reports.get(place(entry.name_span))
        if before is not None:
            return before.report, True
        return None if now is None else (now, False)

    def until_it_fails(self, entry: Entry) -> tuple[Earlier, bool] | None:
        """What the last compile of a function found out until it failed, where it is not ``known`` already, and whether
        that is of before the last edits."""
        now, failing = self.reports.get(place(entry.name_span)), self.failing.get(entry.qualname)
        if now is None or (failing is not None and not now.values):
            return None if failing is None or not failing.report.values else (failing, True)
        remembered = entry.qualname in self.before
        return (Earlier(now), False) if remembered and now.values and not now.signatures else None

    def kernels_calling(self, helper: Entry) -> list[Entry]:
        """The kernels of the file that come to the helper, through other helpers, too."""
        calls = {e.name: {call.callee for call in known[0].calls} for e in self.kernels if (known := self.known(e))}
        reach = {helper.name}
        while more := {name for name, called in calls.items() if called & reach} - reach:
            reach |= more
        return [entry for entry in self.kernels if entry.role == "kernel" and entry.name in reach]

    def indexed(self, index: Index, texts: Sequence[str], changes: int) -> FileFacts:
        """The facts at the start of a new analysis: what the last one found out about functions with the same key
        still holds."""
        # Its keys say whose helpers are others now.
        moved = self.moved_through(texts, through_calls=False)
        kernels = _as_before(index, moved)
        keys = {place(entry.name_span): entry.key for entry in kernels if not entry.stale}
        once = {name for name, count in Counter(entry.qualname for entry in kernels).items() if count == 1}
        other = [report for at, report in moved.reports.items() if keys.get(at) != report.key]
        # What they rest on is another, though their own lines are the same: a helper, a constant.
        awaited = {**{report.qualname: tuple(report.findings) for report in other}, **moved.awaited}
        before = {**{r.qualname: Earlier(r) for r in other if r.signatures}, **moved.before}
        failing = {**{r.qualname: Earlier(r) for r in other if not r.signatures}, **moved.failing}
        reports = {at: report for at, report in moved.reports.items() if keys.get(at) == report.key}
        kept = {report.qualname for report in reports.values()}
        return FileFacts(
            file=self.file,
            text=moved.text,
            kernels=kernels,
            findings=index.findings,
            reports=reports,
            before=_of(once, before),
            awaited=_of(once, awaited),
            failing=_of(once, failing),
            depends=self.depends,
            changes=changes,
            earlier=frozenset(kept if changes != self.changes else kept & self.earlier),
        )

    def reported(self, report: KernelReport) -> FileFacts:
        at, name = place(report.name_span), report.qualname
        reports, before = dict(self.reports), dict(self.before)
        awaited = {other: found for other, found in self.awaited.items() if other != name}
        failing = {other: was for other, was in self.failing.items() if other != name}
        last = before[name].report if name in before else reports.get(at) if name in self.earlier else None
        if sum(entry.qualname == name for entry in self.kernels) > 1:
            last = None  # which of them it was is not to be told by the name
        same = last is not None and last.key == report.key
        if last is not None and same and _of_callers(last) and not _of_callers(report) and self._lost_callers:
            # What is guessed without its callers is less than what was known with them.
            reports.pop(at, None)
            before[name] = Earlier(last)
        else:
            reports[at] = report
            if report.signatures:
                before.pop(name, None)
            elif last is not None and same and last.signatures:
                before[name] = Earlier(last)
        earlier = self.earlier - {name}
        about = {"reports": reports, "before": before, "awaited": awaited, "failing": failing, "earlier": earlier}
        return replace(self, **about, revision=next(_revisions))

    def told_early(self, report: KernelReport) -> FileFacts:
        """With what the first of several signatures says of a function: no types, so those of before stay."""
        before = self.before.get(report.qualname) or self.failing.get(report.qualname)
        facts = self.reported(report)
        if before is None or report.qualname in facts.before:
            return facts
        return replace(facts, failing={**facts.failing, report.qualname: before}, revision=next(_revisions))

    def all_findings(self) -> list[Finding]:
        """Of the file and its functions, those from before the last edits marked as such."""
        earlier = [finding for was in self.before.values() for finding in was.report.findings]
        earlier += [finding for found in self.awaited.values() for finding in found]
        now = [*self.findings, *(finding for report in self.reports.values() for finding in report.findings)]
        return now + [replace(finding, message=finding.message + REMARK) for finding in earlier]

    def _resting_on(self, edited: Set[Place]) -> frozenset[Place]:
        """The functions that call one of these, through others, too; and these."""
        reach = frozenset(edited)
        while more := {at for at, report in self.reports.items() if _callees(report) & reach} - reach:
            reach |= more
        return reach

    @property
    def _lost_callers(self) -> bool:
        """Whether something that may call helpers does not parse or compile at present."""
        failed = any(report.role == "kernel" and not report.signatures for report in self.reports.values())
        return failed or any(entry.stale for entry in self.kernels)

    def moved_through(self, texts: Sequence[str], through_calls: bool = True) -> FileFacts:
        """What may be shown on the last of ``texts``, each the one before it (first: this one) after one more edit.
        ``through_calls``: a function is no more what it was than the helpers that it calls are."""
        if not texts:
            return self
        moves = Moves(self.file, [self.text, *texts])
        lines = split_lines(texts[-1])

        def whole(was: T) -> T | None:
            """A function, moved, where each of its lines is what it was, its decorators' among them."""
            moved = moves.apply(was)
            if moved is None or moves.is_continued(was.span):
                return None
            same = _decorators(self.lines, was) == _decorators(lines, moved)
            return moved if same else None

        def listed(entry: Entry) -> Entry | None:
            """One that is there, and that something still makes a jit function, if it was a decorator."""
            now = kept[place(entry.name_span)] or _edited_entry(moves, entry)
            undone = now is not None and _decorators(self.lines, entry) and not _decorators(lines, now)
            return None if undone else now

        kept = {place(entry.name_span): whole(entry) for entry in self.kernels}
        entries = [now for entry in self.kernels if (now := listed(entry)) is not None]
        edited = {at for at, entry in kept.items() if entry is None}
        names = Counter(entry.qualname for entry in self.kernels)
        reports: dict[Place, KernelReport] = {}
        before = {name: _rest(moves, was) for name, was in self.before.items()}
        awaited = {name: tuple(moves.all_of(found)) for name, found in self.awaited.items()}
        failing = {name: _rest(moves, was) for name, was in self.failing.items()}
        same = {at: moved for at, report in self.reports.items() if (moved := whole(report)) is not None}
        # A helper that has no report yet may have been edited, too.
        others = self._resting_on(edited | self.reports.keys() - same.keys()) if through_calls else frozenset[Place]()
        for at, report in self.reports.items():
            if at in same and at not in others:
                reports[place(same[at].name_span)] = same[at]
                continue
            awaited[report.qualname] = tuple(moves.all_of(report.findings))
            if names[report.qualname] == 1:
                (before if report.signatures else failing)[report.qualname] = _rest(moves, Earlier(report))
        there = {entry.qualname for entry in entries}
        return FileFacts(
            file=self.file,
            text=texts[-1],
            kernels=tuple(_apart(entries)),
            findings=tuple(moves.all_of(self.findings)),
            reports=reports,
            before=_of(there, before),
            awaited=_of(there, awaited),
            failing=_of(there, failing),
            depends=self.depends,
            changes=self.changes,
            earlier=self.earlier,
        )


def _of(names: Set[str], known: Mapping[str, Known]) -> dict[str, Known]:
    return {name: what for name, what in known.items() if name in names}


def place(span: Span) -> Place:
    return span.line, span.column


def _as_before(index: Index, known: FileFacts) -> tuple[Entry, ...]:
    """The functions of the index. Where the text does not parse, who calls whom is not to be seen, nor, for an agent
    that never saw it parse, what is in the broken part: then they are what they were."""
    broken = any(finding.code == "syntax-error" for finding in index.findings)
    if not broken and not any(entry.stale for entry in index.kernels):
        return index.kernels
    roles = {entry.qualname: entry.role for entry in known.kernels}
    listed = {entry.qualname for entry in index.kernels}
    missing = [replace(entry, stale=True) for entry in known.kernels if entry.qualname not in listed]
    kept = [replace(entry, role=roles.get(entry.qualname, entry.role)) for entry in index.kernels]
    return tuple(sorted([*kept, *missing], key=lambda entry: place(entry.span)))


def _callees(report: KernelReport) -> set[Place]:
    """The helpers of its file that it calls."""
    return {place(call.callee_span) for call in report.calls if call.callee_span.file == report.file}


def _of_callers(report: KernelReport) -> bool:
    """Whether it is a helper's, with the types that kernels that compiled pass."""
    kinds = {kind for signature in report.signatures for kind, _, _ in signature.evidence.values()}
    return report.role == "helper" and kinds == {"call"}


def _decorators(lines: Sequence[str], function: Entry | KernelReport) -> list[str]:
    """The lines between the first decorator and the ``def``, which are not in its span."""
    line = function.name_span.line
    return [each.rstrip("\r\n") for each in lines[first_decorator(lines, line) - 1 : line - 1]]


def _edited_entry(moves: Moves, entry: Entry) -> Entry | None:
    name_span = moves.definition(entry.name, entry.name_span)
    if name_span is None:
        return None
    around = moves.around(entry.span)
    first = max(around.line, name_span.line - (entry.name_span.line - entry.span.line))
    # Its key stood for what it was.
    return replace(entry, key=_EDITED, span=replace(around, line=first), name_span=name_span)


def _apart(entries: Sequence[Entry]) -> Iterator[Entry]:
    """In the order of the text. One edit may be of several functions: none of them reaches into the next that is not
    within it."""
    in_order = sorted(entries, key=lambda entry: place(entry.name_span))
    for number, entry in enumerate(in_order):
        if entry.key == _EDITED:
            level, rest = entry.name_span.column, range(number + 1, len(in_order))
            behind = next((in_order[n].span.line for n in rest if in_order[n].name_span.column <= level), math.inf)
            last = max(entry.name_span.line, min(entry.span.end_line, behind - 1))
            entry = replace(entry, span=replace(entry.span, end_line=int(last)))
        yield entry


def _rest(moves: Moves, was: Earlier) -> Earlier:
    """What of it stands on lines that are the same."""
    report = was.report
    name_span = moves.definition(report.name, report.name_span) or report.name_span
    parameters = [kept for one in report.parameters if (kept := _parameter(moves, one)) is not None]
    lost = report.status == "analyzed" and len(parameters) < len(report.parameters)
    rest = replace(
        report,
        # What those that are gone read and write is not known: that nothing is touched, is not, either.
        status="partial" if lost else report.status,
        span=moves.around(report.span),
        name_span=name_span,
        parameters=parameters,
        values=moves.all_of(report.values),
        calls=moves.all_of(report.calls),
        problems=[],
        recursion=None,
        findings=[f for f in moves.all_of(report.findings) if f.severity != "error"],
    )
    return Earlier(rest, moves.edited(was.edited))


def _parameter(moves: Moves, one: ParameterReport) -> ParameterReport | None:
    """None where its own line was edited, or all lines that a yes comes from."""
    moved = replace(
        one,
        reason_span=None,
        read_sites=moves.all_of(one.read_sites),
        write_sites=moves.all_of(one.write_sites),
        table_read_sites=moves.all_of(one.table_read_sites),
        table_write_sites=moves.all_of(one.table_write_sites),
    )
    sites: Iterable[tuple[str, object]] = (
        (moved.read, moved.read_sites),
        (moved.written, moved.write_sites),
        (moved.table_read, moved.table_read_sites),
        (moved.table_written, moved.table_write_sites),
    )
    if any(verdict == "yes" and not left for verdict, left in sites):
        return None
    span = moves.apply(one.span)
    return None if span is None else replace(moved, span=span)
