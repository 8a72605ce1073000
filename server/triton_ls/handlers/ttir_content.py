"""``triton-ls/ttirContent`` {"uri"}: the text of a ``triton-ls-ttir:`` document, for clients that show virtual
documents."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from pygls.exceptions import JsonRpcInvalidParams

from triton_ls.handlers.show_ttir import SCHEME, content
from triton_ls.server import TritonServer

METHOD = "triton-ls/ttirContent"


def register(server: TritonServer) -> None:
    server.feature(METHOD)(_ttir_content)


async def _ttir_content(ls: TritonServer, params: Any) -> dict[str, str]:
    scheme, _, rest = str(params.uri).partition(":")
    name, _, document = rest.partition("?")
    if scheme != SCHEME or not document:
        raise JsonRpcInvalidParams(f"{params.uri} is no {SCHEME}: document.")
    qualname = unquote(name.lstrip("/")).removesuffix(".ttir.mlir")
    return {"text": await content(ls, unquote(document), qualname)}
