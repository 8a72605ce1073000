"""Findings and spans as LSP has them, for one client. Pure functions of facts; may not look anything up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from urllib.parse import quote

from lsprotocol import types
from pygls.uris import from_fs_path

from kernel_analysis.report import Edit, Finding, Fix
from kernel_analysis.span import Span
from triton_ls import describe
from triton_ls.client import Client
from triton_ls.file_facts import FileFacts, words_of
from triton_ls.positions import to_range
from triton_ls.uris import path_of

Lines = Callable[[str], tuple[str, ...]]
"""The lines of any file, to convert columns with; the editor's text where it has the file open."""

SOURCE = "triton-ls"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def file_of(uri: str) -> str | None:
    """The path of a document; None for one that is no file (not yet saved, a notebook cell)."""
    path = path_of(uri)
    return None if path is None else os.path.normpath(path)


def uri_of(file: str) -> str:
    try:
        return from_fs_path(file) or f"file://{file}"
    except UnicodeEncodeError:  # bytes in a name that are no text
        return f"file://{quote(os.fsencode(file))}"


def findings(facts: FileFacts, labelled: bool) -> list[Finding]:
    """Those of a file to show, in the order of the text; the same finding under two functions counts once, and so does
    the same advice.
    ``labelled``: written parameters have a label, beside which a hint that says the same is one mark too many."""
    shown = (f for f in facts.all_findings() if not labelled or (f.code, f.severity) != ("mutated-parameter", "hint"))
    distinct: dict[tuple[str, Span, str], Finding] = {}
    for finding in sorted(shown, key=_rank):
        distinct.setdefault((finding.code, finding.span, words_of(finding)[0]), finding)
    in_order = sorted(distinct.values(), key=lambda f: (f.span.line, f.span.column, f.code, f.message))
    return list(describe.said_once(in_order))


def _rank(finding: Finding) -> tuple[bool, list[tuple[str, int, int]]]:
    """Of those that say the same first what is so now, then whichever stands first, not whichever was found first."""
    return words_of(finding)[1], [(n.span.file, n.span.line, n.span.column) for n in finding.related]


def diagnostics(found: Iterable[Finding], facts: FileFacts, client: Client, lines: Lines) -> list[types.Diagnostic]:
    """Findings of a file, as they stand in the text of its facts."""
    return [diagnostic(finding, facts, client, lines) for finding in found]


def diagnostic(finding: Finding, facts: FileFacts, client: Client, lines: Lines) -> types.Diagnostic:
    message = finding.message
    related = None
    if finding.related and client.related_information:
        related = [
            types.DiagnosticRelatedInformation(
                location=types.Location(
                    uri=uri_of(note.span.file), range=to_range(lines(note.span.file), note.span, client.encoding)
                ),
                message=note.message,
            )
            for note in finding.related
        ]
    elif finding.related:
        # The places are half of what the finding says: a client that can't show them apart gets them in the text.
        notes = (f"{_where(note.span, facts.file)}: {note.message}" for note in finding.related)
        message = "\n".join([message, *notes])
    return types.Diagnostic(
        range=to_range(facts.lines, finding.span, client.encoding),
        message=message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source=SOURCE,
        related_information=related,
    )


def text_edits(fix: Fix, client: Client, lines: Lines) -> types.WorkspaceEdit:
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in fix.edits:
        changes.setdefault(uri_of(edit.span.file), []).append(_text_edit(edit, client, lines))
    return types.WorkspaceEdit(changes=changes)


def _text_edit(edit: Edit, client: Client, lines: Lines) -> types.TextEdit:
    return types.TextEdit(range=to_range(lines(edit.span.file), edit.span, client.encoding), new_text=edit.text)


def _where(span: Span, here: str) -> str:
    return f"line {span.line}" if span.file == here else f"{os.path.basename(span.file)}:{span.line}"
