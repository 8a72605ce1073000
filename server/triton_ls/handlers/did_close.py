"""``textDocument/didClose``: the file on disk counts again, its diagnostics go."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_did_close)


def _did_close(ls: TritonServer, params: types.DidCloseTextDocumentParams) -> None:
    file = ls.file_of(params.text_document.uri)
    if file is not None and ls.session.text(file) is not None:
        ls.session.closed(file)
        ls.closed(file)
