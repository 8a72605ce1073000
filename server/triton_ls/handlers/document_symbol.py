"""``textDocument/documentSymbol``: the jit functions, a function within another below it."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls import describe
from triton_ls.facts import Facts
from triton_ls.positions import to_range
from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_document_symbol)


def _document_symbol(
    ls: TritonServer, params: types.DocumentSymbolParams
) -> Sequence[types.DocumentSymbol] | Sequence[types.SymbolInformation] | None:
    file = ls.file_of(params.text_document.uri)
    facts = None if file is None else ls.session.view(file)
    if facts is None:
        return None
    if ls.client.symbol_tree:
        return _tree(ls, facts, facts.kernels)
    return [
        types.SymbolInformation(
            name=entry.qualname,
            kind=types.SymbolKind.Function,
            location=types.Location(
                uri=params.text_document.uri, range=to_range(facts.lines, entry.span, ls.client.encoding)
            ),
        )
        for entry in facts.kernels
    ]


def _tree(ls: TritonServer, facts: Facts, entries: Sequence[Entry]) -> list[types.DocumentSymbol]:
    outer = [e for e in entries if not any(_within(e.span, other.span) for other in entries)]
    return [
        types.DocumentSymbol(
            name=entry.name,
            detail=_detail(facts, entry),
            kind=types.SymbolKind.Function,
            range=to_range(facts.lines, entry.span, ls.client.encoding),
            selection_range=to_range(facts.lines, entry.name_span, ls.client.encoding),
            children=_tree(ls, facts, [e for e in entries if _within(e.span, entry.span)]),
        )
        for entry in outer
    ]


def _detail(facts: Facts, entry: Entry) -> str:
    known = facts.known(entry)
    return entry.role if known is None else f"{entry.role}: {'~ ' if known[1] else ''}{describe.summary(known[0])}"


def _within(inner: Span, outer: Span) -> bool:
    return inner != outer and outer.line <= inner.line and inner.end_line <= outer.end_line
