"""``textDocument/didSave``: no more waiting for a pause in typing."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_did_save)


def _did_save(ls: TritonServer, params: types.DidSaveTextDocumentParams) -> None:
    file = ls.file_of(params.text_document.uri)
    if file is not None and ls.session.text(file) is not None:
        ls.session.saved(file)
