"""``check --format sarif``: SARIF 2.1.0, which code scanning, editors and dashboards read."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from kernel_analysis.codes import SAYS
from kernel_analysis.report import Finding, Severity
from kernel_analysis.span import Span
from triton_ls import __version__
from triton_ls.cli.places import placed
from triton_ls.cli.result import CheckResult

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
_ROOT = "SRCROOT"


def text(result: CheckResult, *, hints: bool) -> str:
    """One run. Files below the current directory are relative to it, as code scanning wants them."""
    return json.dumps(document(result, hints=hints), indent=1)


def document(result: CheckResult, *, hints: bool) -> dict[str, Any]:
    rules = sorted(SAYS)
    shown = [finding for finding in result.findings if hints or finding.severity != "hint"]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "triton-ls",
                        "semanticVersion": __version__,
                        "rules": [{"id": code, "shortDescription": {"text": SAYS[code]}} for code in rules],
                    },
                    "extensions": [{"name": "triton", "version": result.triton}],
                },
                "originalUriBaseIds": {_ROOT: {"uri": _uri(os.getcwd()) + "/"}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, rules) for finding in shown],
            }
        ],
    }


def _result(finding: Finding, rules: list[str]) -> dict[str, Any]:
    related = [
        {"id": number, **_location(one.span), "message": {"text": _said(one.span, one.message)}}
        for number, one in enumerate(finding.related, 1)
    ]
    return {
        "ruleId": finding.code,
        "ruleIndex": rules.index(finding.code),
        "level": _LEVELS[finding.severity],
        "message": {"text": _said(finding.span, finding.message)},
        "locations": [_location(finding.span)],
        **({"relatedLocations": related} if related else {}),
    }


def _location(span: Span) -> dict[str, Any]:
    relative = os.path.relpath(span.file)
    inside = not relative.startswith(os.pardir)
    artifact = {"uri": _quoted(relative), "uriBaseId": _ROOT} if inside else {"uri": _uri(span.file)}
    cell, line, end_line = placed(span)
    if cell is not None:  # lines are of a file there, and a notebook's are its JSON's
        physical = {"artifactLocation": artifact, "region": {"startLine": 1}}
        return {"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": f"cell {cell}:{line}"}]}
    region = {
        "startLine": line,
        "startColumn": span.column,
        "endLine": end_line,
        "endColumn": span.end_column,
    }
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _said(span: Span, message: str) -> str:
    cell, line, _ = placed(span)
    return message if cell is None else f"cell {cell}:{line}:{span.column}: {message}"


def _uri(path: str) -> str:
    return "file://" + _quoted(path)


def _quoted(path: str) -> str:
    """A name may hold bytes that are no text."""
    return quote(os.fsencode(path.replace(os.sep, "/")))
