"""``textDocument/hover``: what is known of the name under the cursor."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import cursor
from triton_ls.markdown import plain
from triton_ls.server import TritonServer
from triton_ls.snapshot import Snapshot


def register(server: TritonServer) -> None:
    server.query(types.TEXT_DOCUMENT_HOVER)(_hover)


def _hover(shown: Snapshot, params: types.HoverParams) -> types.Hover | None:
    answer = cursor.explain(shown, *shown.place(params.position))
    if answer is None:
        return None
    kind = types.MarkupKind.Markdown if shown.client.markdown else types.MarkupKind.PlainText
    text = answer.markdown if shown.client.markdown else plain(answer.markdown)
    return types.Hover(contents=types.MarkupContent(kind=kind, value=text), range=shown.range(answer.span))
