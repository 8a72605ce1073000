"""``textDocument/diagnostic``: what is known now; the client is told to ask again when there is more."""

from __future__ import annotations

import hashlib

from lsprotocol import types

from triton_ls import convert
from triton_ls.display import Display
from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=convert.SOURCE
    )
    display = server.display

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    def _(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return _diagnostic(display, params)


def _diagnostic(display: Display, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    file = convert.file_of(params.text_document.uri)
    shown = None if file is None else display.snapshot(file)
    if shown is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    items = convert.diagnostics(display.findings_now(shown), shown.facts, shown.client, shown.lines)
    # Of all that is said: what waits for the cursor to leave its line changes that, too, without new facts.
    result_id = hashlib.sha256(repr(items).encode()).hexdigest()
    if params.previous_result_id == result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result_id)
