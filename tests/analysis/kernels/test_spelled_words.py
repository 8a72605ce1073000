"""Which files spell a name is told by the index of their words, before any text is searched: with the same answer."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from analysis.small_projects import write
from kernel_analysis.kernels.files.text_index import TextIndex
from kernel_analysis.kernels.files.workspace import Workspace

_BEFORE = ("", ".", "'", '"', ". ", ".\n", "1", "é", "_", "x", "1.", "\\", "{", "..")
_AFTER = ("", "(", "1", "é", "_", "x", " ", "'", ".", "\u0301", "·")
_NAMES = ("name", "_name", "näme", "n", "ﬁle", "file", "a.b", "1x", "")


def test_words_leave_out_no_file_that_spells_a_name(folder: Path) -> None:
    contexts = list(itertools.product(_BEFORE, _NAMES, _AFTER))
    files = {f"work__f{n}": f"import m\nx{before}{name}{after}\n" for n, (before, name, after) in enumerate(contexts)}
    project = write(folder, **files)
    workspace = Workspace(project, TextIndex(None))
    workspace.advance()
    everywhere = {str(folder / f"{file.replace('__', '/')}.py") for file in files}
    assert all(map(workspace.has_read, everywhere))
    for name in _NAMES:
        spelled = re.compile(rf"""[.'"]\s*{re.escape(name)}\b""")
        expected = {file for file in everywhere if spelled.search(project.text(file))}
        assert workspace._spelling(name, everywhere) == expected, name
        assert expected or name in ("a.b", "1x", "ﬁle"), name
