"""``textDocument/didSave``: no more waiting for a pause in typing."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session


def register(server: TritonServer) -> None:
    server.event(types.TEXT_DOCUMENT_DID_SAVE)(_did_save)


def _did_save(session: Session, editor: Editor, params: types.DidSaveTextDocumentParams) -> None:
    file = convert.file_of(params.text_document.uri)
    if file is not None and session.text(file) is not None:
        session.saved(file)
