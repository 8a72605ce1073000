"""``textDocument/didChange``: pygls has applied the edits; what is running for the old text is of no use any more."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(_did_change)


def _did_change(ls: TritonServer, params: types.DidChangeTextDocumentParams) -> None:
    file = ls.file_of(params.text_document.uri)
    if file is None or (before := ls.session.text(file)) is None:
        return
    text = ls.workspace.get_text_document(params.text_document.uri).source
    if text == before:
        return
    last = params.content_changes[-1]
    line = last.range.start.line + 1 if isinstance(last, types.TextDocumentContentChangePartial) else None
    ls.edited(file, text, line, None if line is None else line + last.text.count("\n"))
