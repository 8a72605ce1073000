"""What a hover and ``explain`` say about a function, a parameter, a call, a variable, in Markdown.

Reads reports only; what a report quotes goes through ``markdown``. May not know LSP or where the text is shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kernel_analysis import paths
from kernel_analysis.facts import Verdict
from kernel_analysis.report import (
    CallReport,
    Finding,
    KernelReport,
    ParameterReport,
    SignatureReport,
    SiteReport,
    ValueReport,
)
from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls.config_table import most_shared
from triton_ls.file_facts import REMARK, words_of
from triton_ls.markdown import block, code, plain, table, text
from triton_ls.reports import Compiled

_MANY = 6
_PLAIN = ("tt.load", "tt.store")


def kernel(report: KernelReport, known: Compiled | None = None) -> str:
    """A function as a whole: its verdicts, its signature, what is in the way, what it takes of the GPU if that is
    known."""
    parts = [block(f"({report.role}) {report.qualname}({', '.join(p.name for p in report.parameters)})")]
    parts.append("\n".join(f"- {line}" for line in _verdicts(report)))
    if report.recursion is not None:
        cycle = " → ".join(map(code, report.recursion["cycle"]))
        parts.append(f"**Recursive**: {cycle}, at line {report.recursion['line']}.")
    parts.extend(
        f"**{problem.code}** at {_where(problem.span.file, problem.span.line, report.file)}: {text(problem.message)}"
        + (f" {text(problem.hint)}" if problem.hint else "")
        for problem in report.problems
    )
    if report.signatures:
        parts.append(_signatures(report))
    if report.specializes:
        parts.append(_compiled_again(report.specializes, report.variants))
    if known is not None:
        parts.append(resources(known))
    return _join(parts)


_AGAIN = {
    "value": "each value of {}",
    "one": "a value of 1 for {}",
    "sixteen": "a value or address that 16 divides, or not, for {}",
    "type": "another dtype or width of {}",
    "none": "None in place of {}, or the other way round",
}


def _compiled_again(specializes: Mapping[str, Sequence[str]], variants: int) -> str:
    """What a launch may change so that Triton compiles the kernel again, and how often those in sight do."""
    each = [text.format(_names(specializes[what])) for what, text in _AGAIN.items() if what in specializes]
    seen = f" The launches in sight make at least {variants} variants." if variants > 1 else ""
    return f"Compiled again for {'; '.join(each)}.{seen}"


def choice(shown: str) -> str:
    """What somebody chose to see the shapes in a kernel for."""
    return f"Shapes are shown for {code(shown)}, which was chosen."


def pending(entry: Entry) -> str:
    """A function of which nothing is known (yet)."""
    why = "Its text does not parse at present." if entry.stale else "Not analyzed yet."
    return _join([block(f"({entry.role}) {entry.qualname}"), why])


def parameter(report: KernelReport, shown: ParameterReport) -> str:
    parts = [block(f"(parameter) {shown.name}: {_type(report, shown)}")]
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
    if shown.uniform_write and report.role == "kernel":
        # A helper's callers may add what its text does not.
        lines.append("- every program writes at an address that does not depend on `program_id`")
    if shown.reason is not None:
        where = ""
        if shown.reason_span is not None:
            where = f" ({_where(shown.reason_span.file, shown.reason_span.line, report.file)})"
        lines.append(f"- unknown because {text(shown.reason)}{where}")
    parts.append("\n".join(lines))
    parts.append(_evidence(report, shown))
    return _join(parts)


def writes(report: KernelReport, shown: ParameterReport) -> str:
    """Where a parameter is written."""
    own = _access("written", shown.written, shown.write_sites, report.file) if shown.written == "yes" else ""
    table = shown.table_written == "yes"
    far = _access("written", shown.table_written, shown.table_write_sites, report.file) if table else ""
    return _join([f"{code(shown.name)} is {own}." if own else "", f"What it points to is {far}." if far else ""])


def resources(known: Compiled) -> str:
    """What the finished kernel takes of the GPU, and as what it was compiled."""
    found, target = known.stage.resources, known.about.target
    options = ", ".join(f"{name}={value}" for name, value in known.stage.options.items())
    spills = found["spills"]
    scalar = f" and {found['scalar_registers']} scalar ones" if "scalar_registers" in found else ""
    lines = [
        f"- **{found['registers']} registers** a thread{scalar}, {spills or 'none'} spilled"
        + (f" ({found['stack_bytes']} bytes of stack)" if found.get("stack_bytes") else ""),
        f"- **{found['shared_bytes']:,} bytes of shared memory**",
    ]
    most = most_shared(target)
    if most is not None and found["shared_bytes"] > most:
        lines[1] += f": more than the {most:,} that {target} gives one program, so it can't be launched there"
    return "\n".join([*lines, f"- for {target} with {options}, pointers to aligned memory"])


def call(shown: CallReport, here: str) -> str:
    """A call of a helper: what it does through each of its parameters."""
    head = block(f"(helper) {shown.callee}({', '.join(name for name, _, _ in shown.parameters)})")
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


def value(report: KernelReport, shown: ValueReport) -> str:
    if shown.symbolic is None:
        return block(f"{shown.name}: {shown.type}")
    return _join([block(f"{shown.name}: {shown.symbolic}"), f"{code(shown.type)}. {assumed_sizes(report)}"])


def summary(report: KernelReport) -> str:
    """One line: ``writes out; reads x, y; unknown z``, or why there is nothing to say."""
    if report.status == "failed":
        return f"{report.status}: {report.problems[0].message}" if report.problems else report.status
    return "; ".join(plain(line) for line in _verdicts(report))


def written(parameters: Iterable[ParameterReport]) -> list[str]:
    return [p.name for p in parameters if "yes" in (p.written, p.table_written)]


def read(parameters: Iterable[ParameterReport]) -> list[str]:
    return [p.name for p in parameters if "yes" in (p.read, p.table_read)]


def unknown(parameters: Iterable[ParameterReport]) -> list[str]:
    return [p.name for p in parameters if "unknown" in (p.read, p.written, p.table_read, p.table_written)]


def _verdicts(report: KernelReport) -> list[str]:
    parameters, analyzed = report.parameters, report.status == "analyzed"
    nothing = "touches no memory through its parameters" if analyzed else "what memory it touches is not known"
    groups = (
        ("writes", [p.name for p in parameters if p.written == "yes"]),
        ("writes through the table", [p.name for p in parameters if p.table_written == "yes"]),
        ("reads", [p.name for p in parameters if p.read == "yes"]),
        ("reads through the table", [p.name for p in parameters if p.table_read == "yes"]),
        ("unknown", unknown(parameters)),
    )
    return [f"**{verb}** {_names(names)}" for verb, names in groups if names] or [nothing]


def _access(verb: str, verdict: Verdict, sites: Sequence[SiteReport], here: str) -> str:
    if verdict == "no":
        return f"not {verb}"
    if verdict == "unknown":
        return f"**{verb}**: unknown"
    groups: dict[tuple[str, str, str], list[SiteReport]] = {}
    for site in sites:
        through = " → ".join(code(step.function) for step in site.path)
        when = f", when {code(site.condition)}" if site.condition else ""
        groups.setdefault((through, "" if site.op in _PLAIN else site.op, when), []).append(site)
    shown = [_group(together, *how, here) for how, together in list(groups.items())[:_MANY]]
    more = f"; and in {len(groups) - _MANY} more ways" if len(groups) > _MANY else ""
    return f"**{verb}** {'; '.join(shown)}{more}"


def _group(sites: Sequence[SiteReport], through: str, op: str, when: str, here: str) -> str:
    """Sites that are reached through the same calls and do the same."""
    where = _lines([site.span for site in sites], here)
    if op:
        where += f" ({code(op)})"
    if through:
        where += f" through {through}, called {_lines([site.path[0].span for site in sites], here)}"
    return where + when


def _lines(spans: Sequence[Span], here: str) -> str:
    """``at lines 3, 5 and 8 of helpers.py``."""
    files: dict[str, list[int]] = {}
    for span in spans:
        files.setdefault(span.file, []).append(span.line)
    return " and ".join(_numbered(sorted(set(lines)), file, here) for file, lines in files.items())


def _numbered(lines: Sequence[int], file: str, here: str) -> str:
    shown = [str(line) for line in lines[:_MANY]]
    if len(lines) > _MANY:
        shown.append(f"{len(lines) - _MANY} more")
    last = shown.pop()
    where = f"at lines {', '.join(shown)} and {last}" if shown else f"at line {last}"
    return where if file == here else f"{where} of {text(os.path.basename(file))}"


def _evidence(report: KernelReport, shown: ParameterReport) -> str:
    """Which type or value was compiled with, and why."""
    lines: list[str] = []
    name = paths.owner(shown.name)
    for signature in report.signatures:
        kind, detail, certain = signature.evidence.get(name, ("", "", True))
        if not kind:
            continue
        what = repr(signature.constants[name]) if name in signature.constants else str(signature.types.get(name))
        line = f"Compiled with {code(what)}: {text(detail or kind)}{'' if certain else ' (assumed)'}."
        if line not in lines:
            lines.append(line)
    return "  \n".join(lines)


def _signatures(report: KernelReport) -> str:
    first = report.signatures[0]
    count = len(report.signatures)
    how = f"Compiled {'with' if count == 1 else f'under {count} signatures, first with'}:\n\n{_table(first)}\n\n"
    how += f"That is {first.operations:,} operations of TTIR." if first.operations else ""
    launch = [code(f"{name}={value}") for name, value in first.launch_options.items()]
    if first.target is not None:
        launch.append(f"for {code(first.target)}, which its layouts or operations are made for")
    if launch:
        how += f" Launched with {', '.join(launch)}."
    for name, (value, why) in report.guessed.items():
        how += f"  \n{code(f'{name} = {value!r}')} is assumed: {text(why)}."
    others = [_difference(first, other) for other in report.signatures[1 : 1 + _MANY]]
    if others := [other for other in others if other]:
        how += f"  \nThen with {'; with '.join(others)}{'; …' if count > 1 + _MANY else ''}."
    if any("no" in (parameter.read, parameter.written) for parameter in report.parameters if _is_address(parameter)):
        whose = "whoever calls it" if report.role == "helper" else "whatever else a launch passes"
        how += f"  \nWhat is not read or not written is not with any parameters of these kinds, {whose}."
    return how


def assumed_sizes(report: KernelReport) -> str:
    """The constants behind the shapes that are shown, as far as nobody passes them."""
    first = report.signatures[0] if report.signatures else None
    if first is None:
        return ""
    assumed = [
        f"{name} = {first.constants[name]!r}"
        for name, (_, _, certain) in first.evidence.items()
        if not certain and isinstance(first.constants.get(name), int)
    ]
    assumed += [f"{name} = {value!r}" for name, (value, _) in report.guessed.items() if isinstance(value, int)]
    return f"With {_names(assumed)}, which {'is' if len(assumed) == 1 else 'are'} assumed." if assumed else ""


def _table(signature: SignatureReport) -> str:
    """What each parameter was compiled with: those of one kind in a row, what is only assumed in rows of its own."""
    rows: dict[tuple[bool, str], list[str]] = {}
    for name, kind in signature.types.items():
        assumed = not signature.evidence.get(name, ("", "", True))[2]
        value = f"{name} = {signature.constants[name]!r}" if name in signature.constants else name
        shown = "constexpr" if name in signature.constants else str(kind)
        rows.setdefault((assumed, shown), []).append(value)
    first_certain = sorted(rows.items(), key=lambda row: row[0][0])
    return table((code(kind) + ", assumed" * assumed, _names(names)) for (assumed, kind), names in first_certain)


def _difference(first: SignatureReport, other: SignatureReport) -> str:
    """What is not the same as in the first."""
    constants = [code(f"{n}={v!r}") for n, v in other.constants.items() if (n, v) not in first.constants.items()]
    types = [code(f"{n}: {t}") for n, t in other.types.items() if n not in other.constants and first.types.get(n) != t]
    return ", ".join([*constants, *types])


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
    return ", ".join(map(code, names))


def _where(file: str, line: int, here: str) -> str:
    return f"line {line}" if file == here else f"{text(os.path.basename(file))}:{line}"


def _join(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def said_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, each without the advice that one before it in the same file has given."""
    told: set[tuple[str, str]] = set()
    for finding in findings:
        words, remark = words_of(finding)
        first, *advice = words.split("\n")
        fresh = [line for line in advice if (finding.span.file, line) not in told]
        told.update((finding.span.file, line) for line in advice)
        kept = "\n".join([first, *fresh]) + (REMARK if remark else "")
        yield finding if len(fresh) == len(advice) else replace(finding, message=kept)
