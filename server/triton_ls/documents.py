"""The open documents: pygls' workspace with lines counted as the protocol counts them.

May not know facts or settings.
"""

from __future__ import annotations

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from triton_ls.positions import apply_change


class EditorDocument(TextDocument):
    """pygls splits lines at form feeds and moves positions beyond a line's end one character to the left; this does
    neither."""

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        encoding = self.position_codec.encoding or types.PositionEncodingKind.Utf16
        self._source = apply_change(self.source, change, encoding)


class Documents(Workspace):
    """A workspace of such documents."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return EditorDocument(
            doc_uri, source=source, version=version, language_id=language_id, position_codec=self.position_codec
        )
