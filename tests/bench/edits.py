"""A kernel's file as somebody edits it: one line in its body changes, each time to something never seen before."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

# Every second edit holds an instruction that nobody knows: one operation, no memory, but a finding. Diagnostics that
# have or lack it as they should cannot be those of an earlier text.
PROBE = '; tl.inline_asm_elementwise("frobnicate.u32 $0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)'


@dataclass(frozen=True, slots=True)
class EditedFile:
    """``line`` counts from 0 and is the one that changes."""

    lines: tuple[str, ...]
    line: int
    indentation: str

    @classmethod
    def read(cls, file: Path, kernel: str) -> EditedFile:
        text = file.read_text(encoding="utf-8")
        (function,) = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == kernel)
        first = function.body[1 if ast.get_docstring(function) is not None else 0]
        lines = text.splitlines()
        lines.insert(first.lineno - 1, "")
        return cls(tuple(lines), first.lineno - 1, " " * first.col_offset)

    def edit(self, number: int) -> str:
        """The changed line: nothing that the compiler makes an operation of, so that all edits cost the same."""
        return f"{self.indentation}edit = {number}" + (PROBE if number % 2 else "")

    def text(self, line: str) -> str:
        return "\n".join([*self.lines[: self.line], line, *self.lines[self.line + 1 :]]) + "\n"
