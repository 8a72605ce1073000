"""``textDocument/diagnostic``: what is known now; the client is told to ask again when there is more."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert
from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=convert.SOURCE
    )
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(_diagnostic)


def _diagnostic(ls: TritonServer, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    file = ls.file_of(params.text_document.uri)
    facts = None if file is None else ls.session.view(file)
    if facts is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    found = ls.calmly(facts)
    result_id = f"{facts.revision}-{len(found)}"
    if params.previous_result_id == result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    items = convert.diagnostics(found, facts, ls.client, ls.lines)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result_id)
