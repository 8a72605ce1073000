"""``textDocument/codeLens``: "Run kernel" above every kernel and its decorators."""

from __future__ import annotations

from lsprotocol import types

from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls.file_facts import FileFacts
from triton_ls.handlers.run import COMMAND
from triton_ls.server import TritonServer
from triton_ls.snapshot import Snapshot
from triton_ls.text import first_decorator


def register(server: TritonServer) -> None:
    server.query(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions())(_code_lens)


def _code_lens(shown: Snapshot, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    if not shown.client.trusted:
        return None
    return [
        types.CodeLens(
            range=shown.range(_above(shown.facts, entry)),
            command=types.Command(title="Run kernel", command=COMMAND, arguments=[shown.uri, entry.qualname]),
        )
        for entry in shown.facts.kernels
        if entry.role == "kernel"
    ]


def _above(facts: FileFacts, entry: Entry) -> Span:
    """The first line of its decorators."""
    line = first_decorator(facts.lines, entry.name_span.line)
    return Span(facts.file, line, 1, line, 1)
