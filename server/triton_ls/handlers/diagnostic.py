"""``textDocument/diagnostic``: what is known now; the client is told to ask again when there is more."""

from __future__ import annotations

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
    found = display.findings_now(shown)
    result_id = f"{shown.facts.revision}-{len(found)}"
    if params.previous_result_id == result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    items = convert.diagnostics(found, shown.facts, shown.client, shown.lines)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result_id)
