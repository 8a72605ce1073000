"""What may be shown on the text of a document while its facts are of an older one (docs/while-typing.md).

Kept for as long as neither is another: it is asked for by every request. May analyse nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from triton_ls import outline
from triton_ls.file_facts import FileFacts


class DocumentViews:
    """One a document."""

    def __init__(self) -> None:
        self._views: dict[str, FileFacts] = {}

    def of(self, file: str, text: str, facts: FileFacts | None, edits: Sequence[str]) -> FileFacts:
        """``facts``: the last; ``edits``: the texts from theirs to this one."""
        if facts is not None and facts.text == text:
            return facts
        view = self._views.get(file)
        if facts is None:
            if view is None or view.text != text:
                view = self._views[file] = FileFacts(file, text, outline.entries(file, text))
        elif view is None or view.text != text or view.revision < facts.revision:
            view = self._views[file] = facts.moved_through(edits)
        return view

    def forget(self, file: str) -> None:
        self._views.pop(file, None)

    def clear(self) -> None:
        self._views.clear()
