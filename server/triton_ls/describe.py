"""What a hover and ``explain`` say about a function, a parameter, a call, a variable, in Markdown.

Reads reports only. May not know LSP or where the text is shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from kernel_analysis.facts import Verdict
from kernel_analysis.report import CallReport, KernelReport, ParameterReport, SiteReport, ValueReport
from triton_ls.reports import Entry

_MANY = 6


def plain(markdown: str) -> str:
    """The same without Markdown's marks, for a terminal and for clients that show plain text."""
    text = re.sub(r"^```.*\n?", "", markdown, flags=re.MULTILINE)
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text)
    return re.sub(r"`([^`\n]+)`", r"\1", text).rstrip("\n")


def kernel(report: KernelReport) -> str:
    """A function as a whole: its verdicts, its signature, what is in the way."""
    parts = [_code(f"({report.role}) {report.qualname}({', '.join(p.name for p in report.parameters)})")]
    parts.append("\n".join(f"- {line}" for line in _verdicts(report.parameters)))
    if report.recursion is not None:
        cycle = " → ".join(f"`{name}`" for name in report.recursion["cycle"])
        parts.append(f"**Recursive**: {cycle}, at line {report.recursion['line']}.")
    parts.extend(
        f"**{problem.code}** at {_where(problem.span.file, problem.span.line, report.file)}: {problem.message}"
        + (f" {problem.hint}" if problem.hint else "")
        for problem in report.problems
    )
    if report.signatures:
        parts.append(_signatures(report))
    return _join(parts)


def pending(entry: Entry) -> str:
    """A function of which nothing is known (yet)."""
    why = "Its text does not parse at present." if entry.stale else "Not analyzed yet."
    return _join([_code(f"({entry.role}) {entry.qualname}"), why])


def parameter(report: KernelReport, shown: ParameterReport) -> str:
    parts = [_code(f"(parameter) {shown.name}: {_type(report, shown)}")]
    lines = [
        f"- {_access('written', shown.written, shown.write_sites, report.file)}"
        + (" — every write is masked" if shown.written == "yes" and shown.masked_only else ""),
        f"- {_access('read', shown.read, shown.read_sites, report.file)}",
    ]
    if not _is_address(shown):
        lines = []
    tables: list[tuple[str, Verdict, list[SiteReport]]] = [
        ("written", shown.table_written, shown.table_write_sites),
        ("read", shown.table_read, shown.table_read_sites),
    ]
    for verb, verdict, sites in tables:
        if verdict != "no":
            lines.append(f"- through the pointers loaded from it: {_access(verb, verdict, sites, report.file)}")
    if shown.first is not None and shown.read == shown.written == "yes":
        lines.append(f"- first {'read' if shown.first == 'read' else 'written'}")
    if shown.uniform_write:
        lines.append("- every program writes at an address that does not depend on `program_id`")
    if shown.reason is not None:
        where = ""
        if shown.reason_span is not None:
            where = f" ({_where(shown.reason_span.file, shown.reason_span.line, report.file)})"
        lines.append(f"- unknown because {shown.reason}{where}")
    parts.append("\n".join(lines))
    parts.append(_evidence(report, shown))
    return _join(parts)


def call(shown: CallReport, here: str) -> str:
    """A call of a helper: what it does through each of its parameters."""
    head = _code(f"(helper) {shown.callee}({', '.join(name for name, _, _ in shown.parameters)})")
    groups = [
        f"- **{verb}**: {_names(names)}"
        for verb, names in (
            ("writes", [name for name, _, written in shown.parameters if written == "yes"]),
            ("reads", [name for name, read, _ in shown.parameters if read == "yes"]),
            ("unknown", [name for name, read, written in shown.parameters if "unknown" in (read, written)]),
        )
        if names
    ]
    defined = f"Defined at {_where(shown.callee_span.file, shown.callee_span.line, here)}."
    return _join([head, "\n".join(groups) or "Reads and writes no memory through its parameters.", defined])


def value(shown: ValueReport) -> str:
    return _code(f"{shown.name}: {shown.type}")


def summary(report: KernelReport) -> str:
    """One line: ``writes out; reads x, y; unknown z``, or why there is nothing to say."""
    if report.status == "failed":
        return f"{report.status}: {report.problems[0].message}" if report.problems else report.status
    return "; ".join(plain(line) for line in _verdicts(report.parameters))


def written(parameters: Iterable[ParameterReport]) -> list[str]:
    return [p.name for p in parameters if "yes" in (p.written, p.table_written)]


def read(parameters: Iterable[ParameterReport]) -> list[str]:
    return [p.name for p in parameters if "yes" in (p.read, p.table_read)]


def unknown(parameters: Iterable[ParameterReport]) -> list[str]:
    return [p.name for p in parameters if "unknown" in (p.read, p.written, p.table_read, p.table_written)]


def _verdicts(parameters: Sequence[ParameterReport]) -> list[str]:
    groups = (
        ("writes", [p.name for p in parameters if p.written == "yes"]),
        ("writes through the table", [p.name for p in parameters if p.table_written == "yes"]),
        ("reads", [p.name for p in parameters if p.read == "yes"]),
        ("reads through the table", [p.name for p in parameters if p.table_read == "yes"]),
        ("unknown", unknown(parameters)),
    )
    return [f"**{verb}** {_names(names)}" for verb, names in groups if names] or ["touches no memory"]


def _access(verb: str, verdict: Verdict, sites: Sequence[SiteReport], here: str) -> str:
    if verdict == "no":
        return f"not {verb}"
    if verdict == "unknown":
        return f"**{verb}**: unknown"
    shown = [_site(site, here) for site in sites[:_MANY]]
    more = f" and {len(sites) - _MANY} more" if len(sites) > _MANY else ""
    return f"**{verb}**: {'; '.join(shown)}{more}"


def _site(site: SiteReport, here: str) -> str:
    where = f"{_where(site.span.file, site.span.line, here)} (`{site.op}`)"
    steps = [f"`{step.function}` called at {_where(step.span.file, step.span.line, here)}" for step in site.path]
    when = f", when `{site.condition}`" if site.condition else ""
    return f"{where} in {', from there '.join(steps)}{when}" if steps else where + when


def _evidence(report: KernelReport, shown: ParameterReport) -> str:
    """Which type or value was compiled with, and why."""
    lines: list[str] = []
    name = shown.name.partition("[")[0]
    for signature in report.signatures:
        kind, detail, certain = signature.evidence.get(name, ("", "", True))
        if not kind:
            continue
        what = f"`{signature.constants[name]!r}`" if name in signature.constants else f"`{signature.types.get(name)}`"
        line = f"Compiled with {what}: {detail or kind}{'' if certain else ' (assumed)'}."
        if line not in lines:
            lines.append(line)
    return "  \n".join(lines)


def _signatures(report: KernelReport) -> str:
    first = report.signatures[0]
    types = ", ".join(
        f"{name}={first.constants[name]!r}" if name in first.constants else f"{name}: {kind}"
        for name, kind in first.types.items()
    )
    assumed = [name for name, (_, _, certain) in first.evidence.items() if not certain]
    count = len(report.signatures)
    return f"Compiled {'as' if count == 1 else f'under {count} signatures, first as'} `{types}`." + (
        f" Assumed: {_names(assumed)}." if assumed else ""
    )


def _type(report: KernelReport, shown: ParameterReport) -> str:
    values = [s.constants[shown.name] for s in report.signatures if shown.name in s.constants]
    if shown.type == "constexpr" and values:
        distinct = list(dict.fromkeys(repr(v) for v in values))
        return f"constexpr = {' | '.join(distinct)}"
    return shown.type


def _is_address(shown: ParameterReport) -> bool:
    """Numbers and constexpr values that are used as numbers only have nothing to read or write."""
    return (
        shown.type.startswith(("*", "tensordesc"))
        or {shown.read, shown.written} != {"no"}
        or {shown.table_read, shown.table_written} != {"no"}
    )


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _where(file: str, line: int, here: str) -> str:
    return f"line {line}" if file == here else f"{os.path.basename(file)}:{line}"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _join(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part)
