"""Places in a text as the client counts them: LSP's positions and ranges, in the encoding that was agreed on.

May not know documents, facts or the client.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from kernel_analysis.span import Span
from triton_ls.text import split_lines


def _units(text: str, encoding: str) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def _code_points(line: str, units: int, encoding: str) -> int:
    """How many code points of ``line`` stand before the offset ``units``; never reaches into the line end."""
    line = line.rstrip("\r\n")
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    passed = 0
    for index, character in enumerate(line):
        if passed >= units:
            return index
        passed += _units(character, encoding)
    return len(line)


def from_position(lines: Sequence[str], position: types.Position, encoding: str) -> tuple[int, int]:
    """Line and column from 1, in code points, of a position as the client counts."""
    if position.line >= len(lines):
        return len(lines), len(lines[-1].rstrip("\r\n")) + 1
    return position.line + 1, _code_points(lines[position.line], position.character, encoding) + 1


def to_position(lines: Sequence[str], line: int, column: int, encoding: str) -> types.Position:
    """A position as the client counts; a place beyond the text is moved to the nearest one within."""
    if line > len(lines):
        line, column = len(lines), len(lines[-1]) + 1
    text = lines[line - 1].rstrip("\r\n")
    return types.Position(line=line - 1, character=_units(text[: column - 1], encoding))


def to_range(lines: Sequence[str], span: Span, encoding: str) -> types.Range:
    return types.Range(
        start=to_position(lines, span.line, span.column, encoding),
        end=to_position(lines, span.end_line, span.end_column, encoding),
    )


def apply_change(text: str, change: types.TextDocumentContentChangeEvent, encoding: str) -> str:
    """The text after a ``didChange`` event."""
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return change.text
    lines = split_lines(text)
    start = from_position(lines, change.range.start, encoding)
    end = from_position(lines, change.range.end, encoding)
    before = "".join(lines[: start[0] - 1]) + lines[start[0] - 1][: start[1] - 1]
    after = lines[end[0] - 1][end[1] - 1 :] + "".join(lines[end[0] :])
    return before + change.text + after
