"""Jupyter notebooks as Python text: the cells that hold Python one below the other, a line for each of theirs.

What only IPython understands is replaced such that every other character keeps its place. Reads nothing but the bytes
that it is given, and runs nothing.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, cast

from kernel_analysis.files import LARGEST, Unreadable
from kernel_analysis.source.parsing.parse import lines_of
from kernel_analysis.source.parsing.pieces import scan

_PYTHON = frozenset({"capture", "debug", "ipytest", "prun", "pypy", "python", "python3", "time", "timeit"})
"""Magics of a whole cell under which the rest of it is Python; and, for a file that ends in .py, the next ones."""
_FILES = frozenset({"file", "writefile"})
_ESCAPE = re.compile(r"[ \t]*[%!?/,;]")
_HELP = re.compile(r"[ \t]*%{0,2}[\w.*]+\?\??[ \t]*$")
_ASSIGNED = re.compile(r"([^=#'\"()]*=[ \t]*)(?:%|!(?!=))")
# What it measures runs in the notebook. Behind these a statement of one line may stand.
_MEASURED = re.compile(r"([ \t]*)(%(?:time|timeit|prun)[ \t]+(?:-\w+(?:[ \t]+(?:\d+[ \t]+)?)?)*)(?=[A-Za-z_(\[])")
_COMPOUND = re.compile(r"(?:async|class|def|for|if|try|while|with)\b")
_NOTHING, _SOMETHING = "pass", "get_ipython()"


@dataclass(frozen=True)
class Notebook:
    """``cells``: for each that holds Python the line of ``text`` that it begins on, and its number among all cells of
    the notebook, from 1."""

    text: str
    cells: tuple[tuple[int, int], ...]

    def place(self, line: int) -> tuple[int, int]:
        """The cell that a line of ``text`` belongs to, and which of its lines that is."""
        index = bisect_right(self.cells, (line, len(self.text))) - 1
        if index < 0:
            return 1, line
        first, number = self.cells[index]
        return number, line - first + 1


def read_notebook(raw: bytes) -> Notebook:
    """Raises ``Unreadable`` for what is no notebook. One in another language than Python has no cells."""
    try:
        document: Any = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no notebook, its JSON can't be read ({error})") from error
    cells: Any = _dict(document).get("cells")
    if not isinstance(cells, list):
        raise Unreadable("it is no notebook of nbformat 4, it has no list of cells; save it anew with Jupyter")
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    line, length = 1, 0
    if _language(_dict(_dict(document).get("metadata"))) == "python":
        for number, cell in enumerate(cast("list[Any]", cells), 1):
            source = _source(_dict(cell))
            if source is None:
                continue
            lines = _python(lines_of(source))
            places.append((line, number))
            parts.extend(lines)
            line += len(lines)
            length += sum(map(len, lines)) + len(lines)
            if length > LARGEST:
                raise Unreadable(f"its cells hold more than {LARGEST / 1e6:g} MB of Python")
    return Notebook("\n".join([*parts, ""]), tuple(places))


def _dict(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _language(metadata: dict[str, Any]) -> str:
    """Of the notebook; one that doesn't say is Jupyter's first one."""
    named = _dict(metadata.get("language_info")).get("name") or _dict(metadata.get("kernelspec")).get("language")
    return str(named).lower() if named else "python"


def _source(cell: dict[str, Any]) -> str | None:
    """The text of a cell with code; None for any other."""
    if cell.get("cell_type") != "code":
        return None
    if _dict(_dict(cell.get("metadata")).get("vscode")).get("languageId", "python") != "python":
        return None
    source = cell.get("source")
    if isinstance(source, list):
        source = "".join(part for part in cast("list[Any]", source) if isinstance(part, str))
    # JSON can spell half of a character, which is none in Python text.
    return source.encode("utf-8", "replace").decode() if isinstance(source, str) else None


def _python(lines: list[str]) -> list[str]:
    """As many lines, with what is no Python taken out."""
    if lines[-1] == "" and len(lines) > 1:
        del lines[-1]
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        words = lines[first][2:].split()
        magic = words[0] if words else ""
        if magic not in _PYTHON and not (magic in _FILES and words[-1].endswith(".py")):
            return [""] * len(lines)
        lines[first] = ""
    quote = ""
    opened: list[tuple[int, int, str]] = []
    goes_on = escaped = False
    for index, line in enumerate(lines):
        if goes_on and escaped:
            lines[index] = ""
        elif not (quote or opened or goes_on):
            lines[index] = _statement(line)
            escaped = lines[index] != line
        goes_on = line.endswith("\\") and not quote
        if not escaped:
            quote = scan(line, opened, quote, index)
    return lines


def _statement(line: str) -> str:
    """A line on which a statement begins, as Python. None of these forms is Python itself."""
    if measured := _MEASURED.match(line):
        indent, magic = measured.groups()
        if not _COMPOUND.match(line, measured.end()):
            return f"{indent}{_NOTHING};".ljust(len(indent + magic)) + line[measured.end() :]
    if _ESCAPE.match(line) or _HELP.match(line):
        return line[: len(line) - len(line.lstrip())] + _NOTHING
    if assigned := _ASSIGNED.match(line):
        return assigned[1] + _SOMETHING
    return line
