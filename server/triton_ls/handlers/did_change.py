"""``textDocument/didChange``: pygls has applied the edits; what is running for the old text is of no use any more."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.positions import apply_change
from triton_ls.server import TritonServer
from triton_ls.session import Session

_MOST_PLACES = 20
"""That are edited at once and looked at one by one, which takes as long as so many keys."""


def register(server: TritonServer) -> None:
    server.event(types.TEXT_DOCUMENT_DID_CHANGE)(_did_change)


def _did_change(session: Session, editor: Editor, params: types.DidChangeTextDocumentParams) -> None:
    file = convert.file_of(params.text_document.uri)
    if file is None or (before := session.text(file)) is None:
        return
    text = editor.text(params.text_document.uri)
    if text == before:
        return
    if len(params.content_changes) <= _MOST_PLACES:
        for earlier in params.content_changes[:-1]:  # what is between two places is the same
            before = apply_change(before, earlier, editor.client.encoding)
            session.passed(file, before)
    session.edited(file, text, *lines_of(params.content_changes[-1]))


def lines_of(change: types.TextDocumentContentChangeEvent) -> tuple[int | None, int | None]:
    """The line where something was edited, and the one that the cursor is on then; None where that can't be told."""
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return None, None
    start, end = change.range.start, change.range.end
    cursor = start.line + 1 + change.text.count("\n")
    # Some editors put whole lines in the place of others, whichever letter was typed: nobody is on the next one.
    whole = start.character == end.character == 0 and start.line < end.line and change.text.endswith("\n")
    return start.line + 1, cursor - 1 if whole else cursor
