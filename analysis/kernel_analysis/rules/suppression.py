"""``# triton-ls: ignore[code]``: the comment that silences a finding, and the quick fix that writes it. Decides
nothing about kernels."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from kernel_analysis.report import Edit, Finding, Fix
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

_TEXTS = (ast.Constant, ast.JoinedStr)
_COMMENT = re.compile(r"#\s*triton-ls:\s*ignore\b(?:\s*\[(?P<codes>[^\]]*)\])?")


class Suppressions:
    """The comments that speak for one function, or for a file when there is none. One on the ``def`` line speaks for
    the whole function."""

    def __init__(self, module: Module, function: ast.FunctionDef | None) -> None:
        self._module = module
        self._function = function
        self._strings: set[int] | None = None

    def silenced(self, finding: Finding) -> bool:
        lines = {finding.span.line, finding.span.end_line}
        if self._function is not None:
            lines.add(self._function.lineno)
        return any(self._ignores(line, finding.code) for line in lines)

    def with_fix(self, finding: Finding) -> Finding:
        """The finding with the quick fix "ignore it here" after its others, where a comment can stand: on its first
        line, or on its last."""
        first, last = finding.span.line, finding.span.end_line
        line = next((number for number in (first, last) if self._has_room(number)), None)
        if finding.span.file != self._module.file or line is None:
            return finding
        where = "this line" if line == first else "its last line"
        edit = self._edit(line, self._line(line), finding.code)
        return replace(finding, fixes=(*finding.fixes, Fix(f"Ignore `{finding.code}` on {where}", (edit,))))

    def _has_room(self, line: int) -> bool:
        """Whether a comment at its end is one; in what does not parse, what would be one is not known."""
        broken = any(first <= line <= last for first, last in self._module.broken)
        return not (broken or self._line(line).rstrip().endswith("\\") or self._in_string(line))

    def _edit(self, line: int, text: str, code: str) -> Edit:
        present = _COMMENT.search(text)
        if present and present["codes"] is not None:
            column = present.end("codes") + 1
            separator = ", " if present["codes"].strip() else ""
            return Edit(Span(self._module.file, line, column, line, column), f"{separator}{code}")
        end = len(text) + 1
        start = len(text.rstrip()) + 1
        return Edit(Span(self._module.file, line, start, line, end), f"  # triton-ls: ignore[{code}]")

    def _ignores(self, line: int, code: str) -> bool:
        found = _COMMENT.search(self._line(line))
        if found is None:
            return False
        codes = found["codes"]
        return codes is None or code in {part.strip() for part in codes.split(",")}

    def _line(self, line: int) -> str:
        lines = self._module.lines
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _in_string(self, line: int) -> bool:
        """Whether the end of the line lies in a string: what is appended there would become part of it."""
        if self._function is None:
            around = nodes.statements_on(self._module, [line])
            inside = [node for statement, _ in around for top in nodes.own(statement) for node in descend(top)]
            return any(
                node.lineno <= line < (node.end_lineno or node.lineno) for node in inside if isinstance(node, _TEXTS)
            )
        if self._strings is None:
            self._strings = set()
            start = self._function.lineno - 1
            if ast.get_docstring(self._function, clean=False) is not None:
                docstring = self._function.body[0]
                start = docstring.end_lineno or docstring.lineno
                self._strings.update(range(docstring.lineno, start + 1))
            text = "\n".join(self._module.lines[start : self._function.end_lineno])
            # The walk costs more than all rules together; without triple quotes no string goes on past its line.
            if '"""' in text or "'''" in text:
                for node in descend(self._function):
                    if isinstance(node, _TEXTS):
                        self._strings.update(range(node.lineno, node.end_lineno or node.lineno))
        return line in self._strings
