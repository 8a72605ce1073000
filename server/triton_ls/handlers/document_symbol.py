"""``textDocument/documentSymbol``: the jit functions, a function within another below it."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls import describe
from triton_ls.file_facts import FileFacts
from triton_ls.server import TritonServer
from triton_ls.snapshot import Snapshot


def register(server: TritonServer) -> None:
    server.query(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_document_symbol)


def _document_symbol(
    shown: Snapshot, params: types.DocumentSymbolParams
) -> Sequence[types.DocumentSymbol] | Sequence[types.SymbolInformation]:
    if shown.client.symbol_tree:
        return _tree(shown, shown.facts.kernels)
    return [
        types.SymbolInformation(
            name=entry.qualname,
            kind=types.SymbolKind.Function,
            location=types.Location(uri=shown.uri, range=shown.range(entry.span)),
        )
        for entry in shown.facts.kernels
    ]


def _tree(shown: Snapshot, entries: Sequence[Entry]) -> list[types.DocumentSymbol]:
    outer = [e for e in entries if not any(_within(e.span, other.span) for other in entries)]
    return [
        types.DocumentSymbol(
            name=entry.name,
            detail=_detail(shown.facts, entry),
            kind=types.SymbolKind.Function,
            range=shown.range(entry.span),
            selection_range=shown.range(entry.name_span),
            children=_tree(shown, [e for e in entries if _within(e.span, entry.span)]),
        )
        for entry in outer
    ]


def _detail(facts: FileFacts, entry: Entry) -> str:
    known = facts.known(entry)
    return entry.role if known is None else f"{entry.role}: {'~ ' if known[1] else ''}{describe.summary(known[0])}"


def _within(inner: Span, outer: Span) -> bool:
    lines = (inner.line, inner.end_line), (outer.line, outer.end_line)
    return lines[0] != lines[1] and outer.line <= inner.line and inner.end_line <= outer.end_line
