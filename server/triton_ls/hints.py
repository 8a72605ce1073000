"""What is worth a hint in the text itself: shapes and types of what is assigned, pointers that a kernel writes.

Reads facts; may not know LSP. Sober: a hint that says what everybody sees is one too many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from kernel_analysis import paths
from kernel_analysis.report import KernelReport, ValueReport
from kernel_analysis.span import Span
from triton_ls import describe
from triton_ls.file_facts import BEFORE, FileFacts, place

_LONGEST = 48
_OBJECT = re.compile(r"\w+\(")
_AUGMENTED = re.compile(r"\s*[^\w\s=]{1,3}=(?!=)")


@dataclass(frozen=True, slots=True)
class Hint:
    """``label`` belongs right behind ``span``; ``more`` is Markdown for whoever points at it. ``before``: it is of the
    last state that compiled, and its label begins with ``~`` in the place of a colon or a space."""

    span: Span
    label: str
    is_type: bool
    more: str = ""
    before: bool = False


def hints(
    facts: FileFacts,
    first: int,
    last: int,
    types: bool,
    written: bool,
    values: Callable[[KernelReport], list[ValueReport]],
) -> Iterator[Hint]:
    """Those on the lines ``first`` to ``last``, from 1. ``values``: the types in a kernel as they are to be shown."""
    for entry in facts.kernels:
        if entry.span.end_line < first or entry.span.line > last:
            continue
        found: list[Hint] = []
        if (known := facts.known(entry)) is not None:
            report, before = known
            found += _written(facts, report) if written and entry.role == "kernel" else []
            found += _types(facts, report, values(report)) if types else []
            found = [_of_before(hint) for hint in found] if before else found
        if types and (failing := facts.until_it_fails(entry)) is not None:
            # Up to its error each line means what it means, whatever stood there before.
            until, before = failing
            told = {place(value.span) for value in until.report.values}
            found = [hint for hint in found if not hint.is_type or place(hint.span) not in told]
            more = _types(facts, until.report, until.report.values)
            found += map(_of_before, more) if before else more
        yield from (hint for hint in found if first <= hint.span.line <= last)


def _of_before(hint: Hint) -> Hint:
    more = "\n\n".join(filter(None, (hint.more, f"*As it was {BEFORE}.*")))
    label = f"~{hint.label.removeprefix(':')}"
    return replace(hint, label=label, more=more, before=True)


def _written(facts: FileFacts, report: KernelReport) -> Iterator[Hint]:
    for parameter in report.parameters:
        name = paths.owner(parameter.name)
        span = _name_at(facts, parameter.span, name)
        if span is not None and "yes" in (parameter.written, parameter.table_written):
            yield Hint(span, "written", False, describe.writes(report, parameter))


def _types(facts: FileFacts, report: KernelReport, values: Iterable[ValueReport]) -> Iterator[Hint]:
    """Where a name gets a type that it did not have before, once a line."""
    # Nothing is assumed of what somebody chose.
    assumed = describe.assumed_sizes(report) if values is report.values else ""
    before: dict[str, str] = {}
    lines: set[tuple[str, int]] = set()
    for value in sorted(values, key=lambda value: place(value.span)):
        span = _name_at(facts, value.span, value.name)
        if span is None or before.get(value.name) == value.type or (value.name, span.line) in lines:
            continue
        before[value.name] = value.type
        lines.add((value.name, span.line))
        moved_on = value.type.startswith("*") and "[" not in value.type and _is_augmented(facts, span)
        if _is_worth_it(value.type) and not _is_annotated(facts, span) and not moved_on:
            label = f": {value.symbolic or value.type}"
            yield Hint(span, label, True, assumed if "[" in value.type else "")


def _is_worth_it(type_: str) -> bool:
    """Not a constant, whose value stands in the text; not a plain number to count or to address with; not an object,
    whose class is called there."""
    if type_.startswith("constexpr[") or len(type_) > _LONGEST or _OBJECT.match(type_):
        return False
    return "[" in type_ or not all(part.strip().lstrip("u").startswith("int") for part in type_.split("|"))


def _name_at(facts: FileFacts, span: Span, name: str) -> Span | None:
    """Where the name stands, if it is what stands at the start of the span."""
    if span.file != facts.file or span.line > len(facts.lines):
        return None
    line, start = facts.lines[span.line - 1], span.column - 1
    end = start + len(name)
    if line[start:end] != name or line[end : end + 1].isidentifier():
        return None
    return Span(span.file, span.line, span.column, span.line, end + 1)


def _is_augmented(facts: FileFacts, span: Span) -> bool:
    """``x_ptr += row * stride``: still what its parameter was."""
    return _AUGMENTED.match(facts.lines[span.line - 1][span.end_column - 1 :]) is not None


def _is_annotated(facts: FileFacts, span: Span) -> bool:
    return facts.lines[span.line - 1][span.end_column - 1 :].lstrip().startswith((":", "["))
