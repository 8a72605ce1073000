"""``textDocument/didOpen``: analyse it, at once and before others."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session


def register(server: TritonServer) -> None:
    server.event(types.TEXT_DOCUMENT_DID_OPEN)(_did_open)


def _did_open(session: Session, editor: Editor, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    file = convert.file_of(document.uri)
    if file is not None and (document.language_id == "python" or file.endswith(".py")):
        editor.opened(document.uri, file)
        session.opened(file, document.text)
