"""``textDocument/didOpen``: analyse it, at once and before others."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_did_open)


def _did_open(ls: TritonServer, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    file = ls.file_of(document.uri)
    if file is not None and (document.language_id == "python" or file.endswith(".py")):
        ls.opened(document.uri, file)
        ls.session.opened(file, document.text)
