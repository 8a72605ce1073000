"""``check --format json``: the stable form, documented in docs/check-json.md. Change it only by adding."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from kernel_analysis.facts import Verdict
from kernel_analysis.report import Finding, KernelReport, ParameterReport, ProblemReport, SiteReport
from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls.cli.check_cache import SECONDS
from triton_ls.cli.places import placed
from triton_ls.cli.result import CheckResult

SCHEMA = 1


def text(result: CheckResult) -> str:
    """One line a kernel and one a diagnostic."""
    lines: list[str] = []
    for name, value in document(result).items():
        if isinstance(value, list) and value:
            items = ",\n".join(f"  {json.dumps(item)}" for item in cast("list[Any]", value))
            said = f"[\n{items}\n ]"
        else:
            said = json.dumps(value)
        lines.append(f" {json.dumps(name)}: {said}")
    before, _, after = ",\n".join(lines).rpartition(json.dumps(SECONDS))
    return f"{{\n{before}{SECONDS}{after}\n}}"


def again(text: str) -> str:
    """The same answer where nothing was compiled for it."""
    return text.replace('"cached": false', '"cached": true')  # a quote inside of a string has a backslash


def document(result: CheckResult) -> dict[str, Any]:
    counts = result.counts()
    return {
        "schema": SCHEMA,
        "triton": result.triton,
        "target": result.target,
        "kernels": [_unparsed(entry) if report is None else _kernel(report) for entry, report in result.kernels()],
        "diagnostics": [_diagnostic(finding) for finding in result.findings],
        "summary": {
            "files": result.files,
            "kernels": counts.total(),
            "analyzed": counts["analyzed"],
            "partial": counts["partial"],
            "failed": counts["failed"],
            "seconds": SECONDS,
        },
    }


def _kernel(report: KernelReport) -> dict[str, Any]:
    return {
        **_head(report),
        "status": report.status,
        "problems": [_problem(problem) for problem in report.problems],
        "signatures": [
            {
                "types": signature.types,
                "constants": signature.constants,
                "launch_options": signature.launch_options,
                "target": signature.target,
                "compile_ms": signature.compile_ms,
                "analysis_ms": signature.analysis_ms,
                "cached": signature.cached,
            }
            for signature in report.signatures
        ],
        "guessed": {name: {"value": value, "why": why} for name, (value, why) in report.guessed.items()},
        "parameters": [_parameter(parameter) for parameter in report.parameters],
        "recursion": _recursion(report),
    }


def _recursion(report: KernelReport) -> dict[str, Any] | None:
    if report.recursion is None:
        return None
    line = report.recursion["line"]
    return {**report.recursion, **_line(Span(report.file, line, 1, line, 1))}


def _unparsed(entry: Entry) -> dict[str, Any]:
    message = "The text of this function does not parse."
    problem = {"code": "not-analyzed", "message": message, **_place(entry.name_span)}
    return {
        **_head(entry),
        "status": "failed",
        "problems": [problem],
        "signatures": [],
        "guessed": {},
        "parameters": [],
        "recursion": None,
    }


def _head(function: KernelReport | Entry) -> dict[str, Any]:
    return {
        "file": function.name_span.file,
        "name": function.name,
        "qualname": function.qualname,
        **_line(function.name_span),
        "role": function.role,
    }


def _parameter(parameter: ParameterReport) -> dict[str, Any]:
    """A write through a pointer that was loaded from a parameter is a write through the parameter."""
    return {
        "name": parameter.name,
        "type": parameter.type,
        "read": _either(parameter.read, parameter.table_read),
        "written": _either(parameter.written, parameter.table_written),
        "reason": parameter.reason,
        "table_read": parameter.table_read,
        "table_written": parameter.table_written,
        "read_sites": _sites(parameter.read_sites, False) + _sites(parameter.table_read_sites, True),
        "write_sites": _sites(parameter.write_sites, False) + _sites(parameter.table_write_sites, True),
    }


def _either(one: Verdict, other: Verdict) -> Verdict:
    verdicts = (one, other)
    return "yes" if "yes" in verdicts else "unknown" if "unknown" in verdicts else "no"


def _sites(sites: Sequence[SiteReport], through_table: bool) -> list[dict[str, Any]]:
    return [
        {
            **_place(site.span),
            "op": site.op,
            "through_table": through_table,
            "condition": site.condition,
            "path": [{**_place(step.span), "function": step.function} for step in site.path],
        }
        for site in sites
    ]


def _problem(problem: ProblemReport) -> dict[str, Any]:
    return {"code": problem.code, "message": problem.message, **_place(problem.span)}


def _diagnostic(finding: Finding) -> dict[str, Any]:
    return {
        **_place(finding.span),
        "end_line": placed(finding.span).end_line,
        "end_column": finding.span.end_column,
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
    }


def _place(span: Span) -> dict[str, Any]:
    return {"file": span.file, **_line(span), "column": span.column}


def _line(span: Span) -> dict[str, Any]:
    """In a notebook the line counts from the beginning of its cell."""
    cell, line, _ = placed(span)
    return {"line": line} if cell is None else {"cell": cell, "line": line}
