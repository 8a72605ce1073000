"""``textDocument/hover``: what is known of the name under the cursor."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import cursor
from triton_ls.markdown import plain
from triton_ls.positions import from_position, to_range
from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)


def _hover(ls: TritonServer, params: types.HoverParams) -> types.Hover | None:
    file = ls.file_of(params.text_document.uri)
    facts = None if file is None else ls.session.view(file)
    if facts is None:
        return None
    line, column = from_position(facts.lines, params.position, ls.client.encoding)
    session = ls.session
    answer = cursor.explain(facts, line, column, lambda report: session.resources(facts.file, report), session.shapes)
    if answer is None:
        return None
    kind = types.MarkupKind.Markdown if ls.client.markdown else types.MarkupKind.PlainText
    text = answer.markdown if ls.client.markdown else plain(answer.markdown)
    return types.Hover(
        contents=types.MarkupContent(kind=kind, value=text),
        range=to_range(facts.lines, answer.span, ls.client.encoding),
    )
