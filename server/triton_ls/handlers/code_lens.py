"""``textDocument/codeLens``: "Run kernel" above every kernel."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.handlers.run import COMMAND
from triton_ls.positions import to_range
from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions())(_code_lens)


def _code_lens(ls: TritonServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    uri = params.text_document.uri
    file = ls.file_of(uri)
    facts = None if file is None else ls.session.view(file)
    if file is None or facts is None or not ls.client.trusted:
        return None
    return [
        types.CodeLens(
            range=to_range(facts.lines, entry.name_span, ls.client.encoding),
            command=types.Command(title="Run kernel", command=COMMAND, arguments=[uri, entry.qualname]),
        )
        for entry in facts.kernels
        if entry.role == "kernel"
    ]
