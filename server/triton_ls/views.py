"""What may be shown on the text of a document while its facts are of an older one (docs/while-typing.md).

Kept for as long as neither is another: it is asked for by every request. May analyse nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from triton_ls import outline
from triton_ls.file_facts import FileFacts, place

_DECORATOR = re.compile(r"^[ \t]*@[^\n#]*\bjit\b", re.MULTILINE)


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
            view = self._views[file] = _with_new(facts.moved_through(edits), facts)
        return view

    def forget(self, file: str) -> None:
        self._views.pop(file, None)

    def clear(self) -> None:
        self._views.clear()


def _with_new(view: FileFacts, known: FileFacts) -> FileFacts:
    """With the functions that the text says are jit functions, where the one before did not: a decorator or a name was
    typed."""
    decorators = [sum(1 for _ in _DECORATOR.finditer(text)) for text in (view.text, known.text)]
    if decorators[0] <= decorators[1] and len(view.kernels) >= len(known.kernels):
        return view
    listed = {entry.qualname for entry in view.kernels}
    said = {entry.qualname for entry in outline.entries(known.file, known.text)}
    # What the text said before, and is not listed, the agent knows better.
    unknown = listed | (said - {entry.qualname for entry in known.kernels})
    new = [entry for entry in outline.entries(view.file, view.text) if entry.qualname not in unknown]
    kernels = sorted([*view.kernels, *new], key=lambda entry: place(entry.name_span))
    return replace(view, kernels=tuple(kernels)) if new else view
