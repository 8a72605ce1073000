"""``textDocument/inlayHint``: shapes and types of what is assigned, marks at written parameters, what the last run of a
kernel came to."""

from __future__ import annotations

import sys

from lsprotocol import types

from triton_ls.hints import hints
from triton_ls.positions import to_position
from triton_ls.server import TritonServer
from triton_ls.snapshot import Snapshot


def register(server: TritonServer) -> None:
    server.query(types.TEXT_DOCUMENT_INLAY_HINT)(_inlay_hint)


def _inlay_hint(shown: Snapshot, params: types.InlayHintParams) -> list[types.InlayHint]:
    facts, encoding, wanted = shown.facts, shown.client.encoding, shown.settings.inlay_hints
    first, last = params.range.start.line + 1, params.range.end.line + 1
    runs = [
        types.InlayHint(
            # Behind the line of the `def`; whatever is beyond the end of the line is its end.
            position=to_position(facts.lines, entry.name_span.line, sys.maxsize, encoding),
            label=summary,
            padding_left=True,
        )
        for entry in facts.kernels
        if params.range.start.line < entry.name_span.line <= params.range.end.line + 1
        and (summary := shown.last_run(entry)) is not None
    ]
    return runs + [
        types.InlayHint(
            position=to_position(facts.lines, hint.span.end_line, hint.span.end_column, encoding),
            label=hint.label,
            kind=types.InlayHintKind.Type if hint.is_type else types.InlayHintKind.Parameter,
            tooltip=types.MarkupContent(types.MarkupKind.Markdown, hint.more) if hint.more else None,
            padding_left=not hint.is_type and not hint.before,
        )
        for hint in hints(facts, first, last, wanted.types, wanted.written, shown.values)
    ]
