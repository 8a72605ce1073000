"""``workspace/executeCommand``: ``triton-ls.showIr`` (document's URI, qualified name, stage) shows and returns a
function as the compiler has it at that stage."""

from __future__ import annotations

from typing import Any

from triton_ls import convert
from triton_ls.ir_document import Subject, content
from triton_ls.server import TritonServer

COMMAND = "triton-ls.showIr"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_show_ir)


async def _show_ir(ls: TritonServer, uri: str, qualname: str, *stage: str) -> dict[str, Any]:
    # pygls knows no arguments with defaults.
    subject = Subject(uri, qualname, stage[0] if stage else "ttir")
    text = (await content(ls, subject)).text
    if ls.client.virtual_documents:
        shown = subject.virtual_uri
    else:
        shown = convert.uri_of(ls.temporary_file(subject.file_name, text))
    ls.show(shown)
    return {"uri": shown, "text": text}
