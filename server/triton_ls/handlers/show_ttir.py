"""``workspace/executeCommand``: ``triton-ls.showTtir`` (document's URI, qualified name) shows and returns a function's
TTIR."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from triton_ls import convert
from triton_ls.agents.process import AgentError
from triton_ls.server import TritonServer

COMMAND = "triton-ls.showTtir"
SCHEME = "triton-ls-ttir"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_show_ttir)


async def _show_ttir(ls: TritonServer, uri: str, qualname: str) -> dict[str, Any]:
    text = await content(ls, uri, qualname)
    if ls.client.virtual_documents:
        shown = virtual_uri(uri, qualname)
    else:
        shown = convert.uri_of(ls.temporary_file(f"{qualname}.ttir.mlir", text))
    if ls.client.show_document:
        ls.spawn(_show(ls, shown))
    return {"uri": shown, "text": text}


def virtual_uri(uri: str, qualname: str) -> str:
    """``triton-ls-ttir:NAME.ttir.mlir?URI`` with the name and the document's URI quoted: the editor shows the part
    before the ``?``."""
    return f"{SCHEME}:/{quote(qualname, safe='')}.ttir.mlir?{quote(uri, safe='')}"


async def content(ls: TritonServer, uri: str, qualname: str) -> str:
    """The TTIR, with a head that says what it was compiled as."""
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    try:
        text, signature = await ls.session.ttir(file, qualname)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    return f"// {qualname}: {signature}\n{text}"


async def _show(ls: TritonServer, uri: str) -> None:
    try:
        await ls.window_show_document_async(types.ShowDocumentParams(uri=uri, take_focus=True))
    except JsonRpcException as error:
        ls.tell(f"The editor did not show {uri}: {error}.")
