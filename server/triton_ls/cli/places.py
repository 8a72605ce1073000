"""Where something stands, as the outputs of ``check`` say it: in a file by line, in a notebook by cell and its line."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kernel_analysis.files import NOTEBOOK, Unreadable, read_file
from kernel_analysis.span import Span
from triton_ls.cli.terminal import one_line

if TYPE_CHECKING:
    from kernel_analysis.source.parsing.notebook import Notebook


class Placed(NamedTuple):
    """``cell``: of a notebook, counted from 1 among all its cells; the lines are then the cell's own."""

    cell: int | None
    line: int
    end_line: int


def placed(span: Span) -> Placed:
    found = notebook_of(span.file)
    if found is None:
        return Placed(None, span.line, span.end_line)
    cell, line = found.place(span.line)
    return Placed(cell, line, line + span.end_line - span.line)


def notebook_of(file: str) -> Notebook | None:
    """The notebook that the file is, if it is one that can be read; what is wrong with it is said elsewhere."""
    return _notebook(file) if file.endswith(NOTEBOOK) else None


@lru_cache(maxsize=8)
def _notebook(file: str) -> Notebook | None:
    from kernel_analysis.source.parsing.notebook import read_notebook

    try:
        return read_notebook(read_file(file))
    except Unreadable:
        return None


def shown_path(file: str) -> str:
    """Relative where that is shorter to read: below the current directory. On one line, whatever the name is."""
    relative = os.path.relpath(file)
    return one_line(file if relative.startswith(os.pardir) else relative)


def shown_line(span: Span) -> str:
    """``kernels.py:12``, ``notes.ipynb:cell 3:12``."""
    cell, line, _ = placed(span)
    return f"{shown_path(span.file)}:{'' if cell is None else f'cell {cell}:'}{line}"
