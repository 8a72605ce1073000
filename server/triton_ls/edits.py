"""Text that is written into an open document: into the very version that its place was found in, or nowhere.

May not decide what is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from kernel_analysis.span import Span
from kernel_analysis.wire import Insertion
from triton_ls.editor import Editor
from triton_ls.moved_lines import Moves
from triton_ls.session import Session

_TRIES = 3


class Moved(Exception):
    """The place is no more: it was edited meanwhile."""


def now_at(file: str, before: str, now: str, line: int) -> int:
    """Where a line of a text is in a later one. ``Moved`` when it was edited."""
    moved = Moves(file, [before, now]).apply(Span(file, line, 1, line, 1))
    if moved is None:
        raise Moved
    return moved.line


async def insert(
    session: Session, editor: Editor, uri: str, asked: str, lines: Sequence[Insertion], label: str
) -> list[Insertion]:
    """Put the lines into the document, which was ``asked`` when they were made; where they are now. What is typed
    meanwhile moves them along. A ``JsonRpcException`` tells the user why that can't be."""
    file = editor.file(uri)
    for _ in range(_TRIES):
        version = editor.version(uri)
        now = session.text(file)
        if now is None:
            raise JsonRpcException(f"{uri} was closed meanwhile: nothing was written.")
        try:
            placed = [Insertion(now_at(file, asked, now, each.line), each.text) for each in lines]
        except Moved:
            raise JsonRpcException(
                "The lines where this goes were edited meanwhile: nothing was written. Ask for it again."
            ) from None
        edit = _workspace_edit(
            uri, version if editor.client.versioned_edits else None, [_inserted(each) for each in placed]
        )
        answer = await editor.apply(edit, label)
        if answer.applied:
            return placed
        if session.text(file) == now:
            raise JsonRpcException(f"The editor did not write it: {answer.failure_reason or 'it says no reason'}.")
    raise JsonRpcException("The text changes too quickly to write into it: ask again in a moment.")


def _workspace_edit(uri: str, version: int | None, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
    if version is None:
        return types.WorkspaceEdit(changes={uri: edits})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, [*edits])])


def _inserted(lines: Insertion) -> types.TextEdit:
    place = types.Position(lines.line - 1, 0)
    return types.TextEdit(types.Range(place, place), lines.text)
