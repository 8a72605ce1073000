"""Modules that stand in string literals, as code generators write kernels: ``f('name', '''import triton ...''')``.

Their trees get the positions that the code has in the user's file. Reads syntax only; never runs what it finds.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kernel_analysis.record import record
from kernel_analysis.source.parsing import strings
from kernel_analysis.source.parsing.parse import attempt, line_starts, lines_of, parseable, points, whole
from kernel_analysis.source.tree import scopes

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

_JIT = re.compile(r"@[ \t]*[\w.]*\bjit\b")
_TRITON_S = re.compile(r"\btriton|\bgluon\b|\btl\.|\bprogram_id\b|\bconstexpr\b|@[ \t]*jit\b")
"""What a text says that speaks of Triton's ``jit``, and not of another's."""
_QUOTES = re.compile(r"(?P<prefix>\w*)(?P<quote>'''|\"\"\"|'|\")")
# What takes more or less room in the source than in the value. An escape that Python does not know stands for itself.
_UNEQUAL = re.compile(
    r"\r\n|\\(?:\r\n|\r|\n|N\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[\\'\"abfnrtv])"
)
_LINE_BREAK = re.compile(r"\r\n")


@dataclass(slots=True)
class Embedded:
    """``escaped``: the code is not in the file letter by letter. ``executed``: it is handed to ``exec``, or it may be:
    then names come from there, too."""

    literal: ast.Constant
    tree: ast.Module
    table: scopes.Table
    escaped: bool
    executed: bool

    def holds(self, line: int) -> bool:
        """Whether a line of the file is one of the literal's."""
        return self.literal.lineno <= line <= (self.literal.end_lineno or self.literal.lineno)


@record
class Unread:
    """A string with jit functions in it that can't be read; ``reason``: why, for people."""

    literal: ast.expr
    reason: str

    @property
    def lines(self) -> tuple[int, int]:
        return self.literal.lineno, self.literal.end_lineno or self.literal.lineno


def find(module: Module) -> tuple[list[Embedded], list[Unread]]:
    """Every string literal that a call gets, itself or under a name, and that is a whole module with a jit function, in
    the order of the text, and those that would be one."""
    hits = [module.line_of(match.start()) for match in _JIT.finditer(module.text)]
    found: list[Embedded] = []
    unread: list[Unread] = []
    arguments = list(_arguments(module.tree, hits)) if hits else []
    held = [(*one, True) for one in strings.held(module.tree, hits)] if hits else []
    for literal, value, executed in (*arguments, *held):
        if _JIT.search(value) is None:
            continue
        spoken = strings.DEFINED.search(value) and _TRITON_S.search(value)
        if not isinstance(literal, ast.Constant):
            if spoken:
                unread.append(Unread(literal, "it is put together when the program runs"))
            continue
        places = _Places(module, literal, value)
        tree = places.tree(value)
        if tree is not None:
            found.append(Embedded(literal, tree, scopes.table(tree, module.text), places.escaped, executed))
        elif spoken:
            unread.append(Unread(literal, _error(value)))
    return sorted(found, key=lambda e: e.literal.lineno), sorted(unread, key=lambda u: u.literal.lineno)


def _error(value: str) -> str:
    """Why a text is no module, in Python's words."""
    problem = attempt(textwrap.dedent(value))[1]
    if problem is None:
        return "it is indented, and that can't be followed here"
    return f"its text does not parse, {problem.message} (line {problem.line} of the string)"


def _arguments(tree: ast.Module, hits: list[int]) -> Iterator[tuple[ast.expr, str, bool]]:
    """The strings that calls on the lines ``hits`` get, with their text; of one that is put together the parts that
    are written there; and whether ``exec`` gets them."""
    for node in strings.within(tree, hits):
        if isinstance(node, ast.Call):
            executed = isinstance(node.func, ast.Name) and node.func.id in ("exec", "compile")
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument, argument.value, executed
                elif (parts := strings.put_together(argument)) is not None:
                    yield argument, parts, executed


class _Run(NamedTuple):
    """Characters of the value, from ``value`` on, that stand side by side in the file, or one that is written as an
    escape; ``source`` and ``end`` are offsets into the file's text."""

    value: int
    source: int
    end: int


class _Places:
    """Where in the file each character of a literal's value stands. ``escaped``: not all of them stand there as they
    are."""

    def __init__(self, module: Module, literal: ast.Constant, value: str) -> None:
        self.escaped = False
        self._module = module
        self._lines = lines_of(value)
        self._starts = line_starts(value)
        self._runs: list[_Run] = []
        first = self._offset(literal.lineno, literal.col_offset)
        last = self._offset(literal.end_lineno or literal.lineno, literal.end_col_offset or literal.col_offset)
        length = 0
        for start, text in _pieces(parseable(module.text[first:last])):
            length = self._piece(first + start, text, length)
        self._values = [run.value for run in self._runs]

    def _offset(self, line: int, column: int) -> int:
        """Where in the file's text a position of ``ast`` is."""
        return self._module.line_starts[line - 1] + self._module.column(line, column) - 1

    def _piece(self, start: int, text: str, length: int) -> int:
        """Notes one of the strings that make up a literal; ``length`` of the value before it and, returned, with it."""
        head = _QUOTES.match(text)
        assert head is not None, "a string begins with quotes"
        at, end = head.end(), len(text) - len(head["quote"])
        special = _LINE_BREAK if "r" in head["prefix"].lower() else _UNEQUAL
        for match in special.finditer(text, at, end):
            length = self._run(length, match.start() - at, start + at, start + match.start())
            at = match.end()
            written = match[0].startswith("\\")
            self.escaped |= written
            # A backslash at the end of a line hides both.
            hidden = written and match[0][1] in "\r\n"
            length = self._run(length, 0 if hidden else 1, start + match.start(), start + at)
        return self._run(length, end - at, start + at, start + end)

    def _run(self, value: int, length: int, source: int, end: int) -> int:
        if length:
            self._runs.append(_Run(value, source, end))
        return value + length

    def tree(self, value: str) -> ast.Module | None:
        """The value's tree with the positions that it has in the file; None where it does not parse."""
        if len(self._runs) == 1 and not self._lines[0].strip():
            # The usual case needs no walk: line by line the code stands in the file as in the value.
            above = "\n" * (self._module.line_of(self._runs[0].source) - 1)
            return whole(above + value) or _dedented(above, value)
        tree = whole(value)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.alias, ast.excepthandler, ast.pattern)):
                end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
                node.lineno, node.col_offset = self._moved(node.lineno, node.col_offset, end=False)
                node.end_lineno, node.end_col_offset = self._moved(end_line, end_column, end=True)
        return tree

    def _moved(self, line: int, column: int, end: bool) -> tuple[int, int]:
        """A position in the value as one in the file; an end stands behind the character before it."""
        offset = self._starts[line - 1] + points(self._lines[line - 1], column)
        index = max((bisect_left if end else bisect_right)(self._values, offset) - 1, 0)
        run = self._runs[index]
        following = self._values[index + 1] if index + 1 < len(self._values) else None
        place = run.end if end and offset == following else run.source + offset - run.value
        line = self._module.line_of(place)
        before = self._module.text[self._module.line_starts[line - 1] : place]
        return line, len(before.removeprefix("\ufeff").encode("utf-8", "replace"))


def _dedented(above: str, value: str) -> ast.Module | None:
    """The tree of an indented module, as ``textwrap.dedent`` takes it; its lines stay where they are."""
    if not value.startswith("\n"):
        return None
    tree = whole(f"{above}if 1:{value}")
    block = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return ast.Module(block.body, []) if isinstance(block, ast.If) and not block.orelse else None


def _pieces(source: str) -> Iterator[tuple[int, str]]:
    """The strings side by side that make up a literal, each with where it starts in ``source``."""
    starts = line_starts(source)
    # In brackets they may go on on the next line.
    for token in tokenize.generate_tokens(io.StringIO(f"({source})", newline="").readline):
        if token.type == tokenize.STRING:
            line, column = token.start
            yield starts[line - 1] + column - (line == 1), token.string
