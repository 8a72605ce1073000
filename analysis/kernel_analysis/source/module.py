"""One Python file as the analysis sees it: text, tree, places, syntax problems, jit functions. Reads nothing but the
text it is given."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol, TypeVar

from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.parsing import embedded, parse
from kernel_analysis.source.parsing.parse import Parsed, SyntaxProblem, points
from kernel_analysis.source.text_search.layout import usual
from kernel_analysis.source.text_search.mentions import as_named
from kernel_analysis.source.tree import scopes
from kernel_analysis.span import Span

if TYPE_CHECKING:
    from kernel_analysis.source.parsing.notebook import Notebook


_TOO_MANY = "this file has too many jit functions: from here on they are not looked at"
_CLOSING = ("", ")", "]", "}")
_HEAD = re.compile(r"\s*(?:async\s+)?def\s+\w+")
_UNSPELLED = re.compile(
    r"[ \t]*(?:(?:import|from)\b|(?:async[ \t]+)?(?:def|class)\b(?![ \t]+\w+[ \t]*[(:\[]))|[^\W\d]\w*[ \t]*\Z"
)
"""What binds a name that may not have been typed yet, or not all of it."""
_GLOBAL = re.compile(r"global[ \t]+((?:[\w, \t]|\\\r?\n)+)")


@record
class TextProblem:
    """A syntax error, in Python's words. ``elsewhere``: as in ``SyntaxProblem``."""

    message: str
    span: Span
    elsewhere: bool = False


class Kept(Protocol):
    """What another room finds out about a module."""

    def forget(self) -> None:
        """Hold nothing of other modules."""
        ...


K = TypeVar("K", bound=Kept)


@dataclass(eq=False)
class Module:
    """``finder``: what finds its jit functions. ``broken``: line ranges that did not parse; a function that holds one
    is not whole, and is never analysed.

    ``jit`` is by ``id`` of the node, filled in by ``decorations``; ``statements`` and ``calls``, by the name that is
    called, by ``find``, as is ``unclear``: the functions that say ``triton.jit``, which is not known to be Triton's,
    and why (None: the syntax error says it), ``unmade``: what makes a jit function of what is not known to be a
    function, and ``too_many``: the line of the first function that was not looked at, because there were so many jit
    functions before it. ``previous``: the jit functions of the text before, for the functions that are broken or being
    decorated at present."""

    finder: Callable[[Module], list[JitFunction]]
    file: str
    name: str
    text: str
    tree: ast.Module
    syntax: list[SyntaxProblem]
    broken: list[tuple[int, int]]
    note: str | None = None
    notebook: Notebook | None = None
    previous: list[JitFunction] = field(default_factory=list[JitFunction])
    jit: dict[int, JitFunction] = field(default_factory=dict[int, JitFunction])
    unclear: list[tuple[ast.FunctionDef, str | None]] = field(
        default_factory=list["tuple[ast.FunctionDef, str | None]"]
    )
    unmade: list[tuple[ast.expr, str]] = field(default_factory=list[tuple[ast.expr, str]])
    too_many: int | None = None
    nodes: dict[int, tuple[ast.AST, ...]] = field(default_factory=dict[int, tuple[ast.AST, ...]])
    statements: list[tuple[ast.stmt, tuple[ast.AST, ...]]] | None = None
    calls: dict[str, list[tuple[ast.Call, tuple[ast.AST, ...]]]] = field(
        default_factory=dict[str, list[tuple[ast.Call, tuple[ast.AST, ...]]]]
    )
    unfollowed: dict[int, str | None] = field(default_factory=dict[int, "str | None"])
    hidden: dict[object, str | None] = field(default_factory=dict[object, "str | None"])
    _has: dict[str, bool] = field(default_factory=dict[str, bool])
    _kept: dict[type[Kept], Kept] = field(default_factory=dict["type[Kept]", "Kept"])

    def keeps(self, kind: type[K]) -> K:
        """What a room above keeps with the module, as long as that lasts; made when it is first asked for."""
        found = self._kept.get(kind)
        if not isinstance(found, kind):
            found = self._kept[kind] = kind()
        return found

    def forget(self) -> None:
        """Hold nothing of other modules."""
        for kept in self._kept.values():
            kept.forget()

    def take_apart(self) -> None:
        """Nobody asks about it any more: end the circles in it, so that its tree goes at once and not when somebody
        looks for circles."""
        self.forget()
        self._kept.clear()

    def has(self, word: str) -> bool:
        """Whether this stands anywhere in ``text``: asked for each of its functions."""
        if word not in self._has:
            self._has[word] = word in self.text
        return self._has[word]

    @cached_property
    def named(self) -> str:
        """``text``, in as many lines, with its names as Python has them."""
        return as_named(self.text)

    @cached_property
    def usual(self) -> str:
        """``named``, laid out as patterns expect it: its lines are others."""
        return usual(self.named)

    @cached_property
    def _named_starts(self) -> list[int]:
        return self.line_starts if self.named == self.text else parse.line_starts(self.named)

    def line_of_named(self, offset: int) -> int:
        """The line, from 1, that an offset into ``named`` is on."""
        return bisect_right(self._named_starts, offset)

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them."""
        return parse.lines_of(self.text)

    @cached_property
    def line_starts(self) -> list[int]:
        """Where in ``text`` each line starts."""
        return parse.line_starts(self.text)

    @property
    def embedded(self) -> list[embedded.Embedded]:
        """The modules with jit functions that stand in strings of the file."""
        return self._strings[0]

    @property
    def unread(self) -> list[embedded.Unread]:
        """The strings with jit functions that can't be read."""
        return self._strings[1]

    @cached_property
    def _strings(self) -> tuple[list[embedded.Embedded], list[embedded.Unread]]:
        return embedded.find(self)

    def embedded_at(self, line: int) -> embedded.Embedded | None:
        """The module in a string that a line belongs to."""
        return next((e for e in self.embedded if e.holds(line)), None)

    def table_at(self, line: int) -> scopes.Table:
        """What binds each name at the level of the module that a line belongs to."""
        found = self.embedded_at(line)
        return found.table if found else self.table

    def text_of(self, node: ast.FunctionDef) -> str:
        """The lines of a function, decorators left out: what its syntax tree depends on."""
        found = self.embedded_at(node.lineno)
        if found and found.escaped:
            return ast.unparse(node)
        return "\n".join(self.lines[node.lineno - 1 : node.end_lineno])

    def line_of(self, offset: int) -> int:
        """The line, from 1, that an offset into ``text`` is on."""
        return bisect_right(self.line_starts, offset)

    def at(self, line: int) -> str:
        """A line, for people: "line 12", in a notebook "line 3 of cell 2"."""
        if self.notebook is None:
            return f"line {line}"
        cell, line = self.notebook.place(line)
        return f"line {line} of cell {cell}"

    def column(self, line: int, offset: int) -> int:
        """``ast``'s UTF-8 byte offset on a line (from 1) as our column: code points, from 1."""
        if not 0 < line <= len(self.lines):
            return offset + 1
        text = self.lines[line - 1]
        if line == 1 and text.startswith("\ufeff"):
            return 1 + points(text[1:], offset) + 1
        return points(text, offset) + 1

    def span(self, node: ast.AST) -> Span:
        """Where a node with a position stands."""
        line: int = getattr(node, "lineno", 1)
        column: int = getattr(node, "col_offset", 0)
        end_line: int = getattr(node, "end_lineno", None) or line
        end_offset: int | None = getattr(node, "end_col_offset", None)
        end = column if end_offset is None else end_offset
        return Span(self.file, line, self.column(line, column), end_line, self.column(end_line, end))

    @cached_property
    def problems(self) -> list[TextProblem]:
        """What is wrong with the file's syntax, in Python's words."""
        found = [TextProblem(self.note, Span(self.file, 1, 1, 1, 1))] if self.note else []
        return found + self._placed(ours=False)

    @property
    def left_out(self) -> list[TextProblem]:
        """What of the file is not read although nothing is wrong with it."""
        line = self.too_many
        more = [TextProblem(_TOO_MANY, Span(self.file, line, 1, line, len(self.lines[line - 1]) + 1))] if line else []
        return self._placed(ours=True) + more

    def _placed(self, ours: bool) -> list[TextProblem]:
        found: list[TextProblem] = []
        for error in self.syntax:
            if error.ours != ours:
                continue
            line = min(max(error.line, 1), len(self.lines))
            width = len(self.lines[line - 1])
            column = min(max(error.column, 1), width + 1)
            end_line, end = error.end_line or line, error.end_column or 0
            if end_line > len(self.lines) or (end_line, end) <= (line, column):
                end_line, end = line, min(column + 1, width + 1)
            span = Span(self.file, line, column, end_line, max(end, 1))
            found.append(TextProblem(error.message, span, error.elsewhere))
        return found

    def is_whole(self, node: ast.AST) -> bool:
        """Whether nothing inside the node was left out as broken."""
        if not self.broken:
            return True
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or len(self.lines)
        starts, ends = self._broken
        before = bisect_right(starts, last)
        return not before or ends[before - 1] < first

    @cached_property
    def _broken(self) -> tuple[list[int], list[int]]:
        """Where the broken ranges start, in order, and how far those up to each reach."""
        ranges = sorted(self.broken)
        return [start for start, _ in ranges], list(accumulate((end for _, end in ranges), max))

    def is_called_in_broken(self, name: str) -> bool:
        """Whether the part of the file that does not parse seems to call something of this name."""
        return bool(self.broken) and self._in_broken(rf"(?<!def )\b{re.escape(name)}\s*\(")

    def is_broken_name(self, name: str) -> bool:
        """Whether the part of the file that does not parse may bind the name, where others could see it: it is spoken
        of there, or something is imported or defined there of which not all is typed. What a function does with a name
        of its own is nobody else's, and what stands behind an ``@`` is not bound there."""
        if not self.broken:
            return False
        return self._binds_more or re.search(rf"(?<!@)\b{re.escape(name)}\b", self._broken_outside) is not None

    @cached_property
    def _binds_more(self) -> bool:
        return any(_UNSPELLED.match(line) for line in self._broken_outside.split("\n"))

    @cached_property
    def _broken_outside(self) -> str:
        """What does not parse, without the parameters and the bodies of functions, as far as indentation tells."""
        kept: list[str] = []
        for first, last in self.broken:
            within: int | None = None
            lines = self.lines[first - 1 : last]
            if any("global" in line for line in lines):
                kept += lines
                continue
            for line in lines:
                indent = len(line) - len(line.lstrip())
                if within is not None and (indent > within or line.strip()[:1] in _CLOSING):
                    continue
                head = _HEAD.match(line)
                within = None if head is None else indent
                kept.append(line if head is None else head[0] + line[head.end() :].lstrip()[:1])
        return "\n".join(kept)

    def _in_broken(self, pattern: str) -> bool:
        return any(re.search(pattern, line) for a, b in self.broken for line in self.lines[a - 1 : b])

    @cached_property
    def reassigned(self) -> frozenset[str]:
        """The names that some function declares ``global``."""
        names = (name for match in _GLOBAL.finditer(self.named) for name in match[1].split(","))
        return frozenset(name.strip("\\ \t\r\n") for name in names)

    @cached_property
    def has_nonlocal(self) -> bool:
        """Whether the word stands anywhere in the text."""
        return "nonlocal" in self.text

    @cached_property
    def has_walrus(self) -> bool:
        """Whether ``:=`` stands anywhere in the text."""
        return ":=" in self.text

    @cached_property
    def table(self) -> scopes.Table:
        """What binds each name at module level."""
        return scopes.table(self.tree, self.text)

    @property
    def functions(self) -> list[JitFunction]:
        """The jit functions of the file, in the order of the text, with their launches in this file."""
        return self.finder(self)


def from_text(
    finder: Callable[[Module], list[JitFunction]],
    file: str,
    name: str,
    text: str,
    parsed: Parsed,
    note: str | None,
    notebook: Notebook | None,
) -> Module:
    """A module of what ``parse`` made of its text."""
    return Module(finder, file, name, text, parsed.tree, parsed.problems, parsed.broken, note, notebook)
