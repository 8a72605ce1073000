"""Python text -> syntax tree, tolerantly: what is broken is left out and named, everything else parses.

Standard library ``ast`` only; it never raises for any text, and never runs it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TypeAlias

from kernel_analysis.record import record
from kernel_analysis.source.newer_syntax import elsewhere, newer, older_text
from kernel_analysis.source.text_length import MOST_TOKENS, tokens_in

_LINE_END = re.compile(r"\r\n|\r|\n")
# A line at column 0 that can only start a statement: here parsing resumes after an open bracket or string.
_STRONG = re.compile(r"(?:@\w|(?:async\s+)?def\s+\w|class\s+\w|import\s+\w|from\s+[.\w]+\s+import\b)")
# Continues the statement above, so it never starts a chunk.
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b|[)\]}#]")
_TOKEN = re.compile(
    r"""(?P<triple>\"{3}|'{3})|(?P<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(?P<comment>\#)|[()\[\]{}]"""
)
_ARGUMENT_ENDS = re.compile(r"\s*[,)]")
_DEFINITION = re.compile(r"[ \t\f]*(?:async\s+)?def\s", re.MULTILINE)
_MOST_PROBLEMS = 50
_MOST_TOKENS_OF_ALL = 500_000
_TOO_LONG = "from here on this is too long to be read, and nothing is known of what it defines"
_DEEPEST_EXPRESSION = 100
_TOO_DEEP = "this is nested too deeply to be read, and nothing is known of what is defined here"
# Blank lines that take as long to skip as a node to move.
_LINES_PER_CHARACTER = 8


@record
class SyntaxProblem:
    """What Python says is wrong; lines and columns as ``SyntaxError`` has them, from 1; the end may be missing.

    ``ours``: nothing is, but we don't read it. ``elsewhere``: nothing is for another Python, or once it is made."""

    message: str
    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None
    ours: bool = False
    elsewhere: bool = False


@dataclass(slots=True)
class Parsed:
    """``broken``: the line ranges (first, last) that were left out. A function that holds one is not whole."""

    tree: ast.Module
    problems: list[SyntaxProblem] = field(default_factory=list[SyntaxProblem])
    broken: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


_Attempt: TypeAlias = "Callable[[str], tuple[ast.Module | None, SyntaxProblem | None]]"


def lines_of(text: str) -> list[str]:
    """The lines as Python counts them (a form feed or a Unicode line separator ends none)."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def line_starts(text: str) -> list[int]:
    """Where in the text each line starts."""
    if "\r" in text:
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    return [0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1])]


def parse(text: str, chunks: dict[tuple[int, str], Parsed] | None = None, careful: bool = False) -> Parsed:
    """The tree of ``text``. ``chunks`` remembers, for a file that is broken now, what its top-level pieces parsed
    to. ``careful``: definitions with expressions that nobody can walk through are left out."""
    return _parsed(parseable(text), chunks, _attempt_shallow if careful else attempt)


def _parsed(text: str, chunks: dict[tuple[int, str], Parsed] | None, attempt: _Attempt) -> Parsed:
    # A text has at most as many tokens as characters.
    tokens = tokens_in(text) if len(text) > MOST_TOKENS else 0
    long = tokens > MOST_TOKENS
    tree, error = (None, None) if long else attempt(text)
    if tree is not None:
        return Parsed(tree)
    lines = lines_of(text)
    pieces = _top_level(lines)
    left_out = _too_long(lines, pieces, tokens) if long else set[int]()
    if long and not left_out:
        tree, error = attempt(text)
        if tree is not None:
            return Parsed(tree)
    result = Parsed(ast.Module([], []))
    known = chunks if chunks is not None else {}
    fresh: dict[tuple[int, str], Parsed] = {}
    for number, (first, last) in enumerate(pieces):
        if number in left_out:
            if number - 1 in left_out:
                first = result.broken.pop()[0] - 1
            else:
                result.problems.append(SyntaxProblem(_TOO_LONG, first + 1, 1, ours=True))
            result.broken.append((first + 1, last))
            continue
        piece = "\n".join(lines[first:last])
        if not piece.strip():
            continue
        part = known.get((first, piece)) or _parse_chunk(lines, first, last, attempt)
        fresh[first, piece] = part
        result.tree.body += part.tree.body
        result.problems += part.problems
        result.broken += part.broken
    known.clear()
    known.update(fresh)
    if not result.problems and error is not None:
        result.problems.append(error)
    if result.problems and (plain := older_text(text)) is not None:
        wrong = {problem.line for problem in _parsed(plain, None, attempt).problems}
        for i, p in enumerate(result.problems):
            if p.line not in wrong and not p.elsewhere:
                result.problems[i] = replace(p, message=newer(p.message), elsewhere=True)
    del result.problems[_MOST_PROBLEMS:]
    return result


def _too_long(lines: list[str], pieces: list[tuple[int, int]], tokens: int) -> set[int]:
    """The numbers of the statements that are left out: each that is too long, and all when there were too many.
    Comments count for nothing. ``tokens``: those of all, comments included."""
    left_out: set[int] = set()
    total = 0
    for number, (first, last) in enumerate(pieces):
        if tokens <= _MOST_TOKENS_OF_ALL and sum(map(len, lines[first:last])) <= MOST_TOKENS:
            continue
        length, quote = 0, ""
        for line in lines[first:last]:
            if quote or not line.lstrip().startswith("#"):
                length += tokens_in(line)
                if length > MOST_TOKENS:
                    break
                quote = scan(line, [], quote, 0)
        if length > MOST_TOKENS or total + length > _MOST_TOKENS_OF_ALL:
            left_out.add(number)
        else:
            total += length
    return left_out


def expression(text: str) -> ast.expr | None:
    """The tree of a text that is one short expression, from a comment or a string; None for any other."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST_EXPRESSION):
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        if not level:
            return tree
    return None


def parseable(text: str) -> str:
    """The text with what can't be handed to the parser replaced by characters that are errors in their place."""
    if text.startswith("\ufeff"):
        text = text[1:]
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text


def points(line: str, offset: int) -> int:
    """``ast``'s offset in UTF-8 bytes on a line as one in code points."""
    if line.isascii():
        return offset
    return len(line.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore"))


def whole(text: str) -> ast.Module | None:
    """The tree of a text that has nothing broken in it; None for any other."""
    return attempt(text)[0]


def attempt(text: str) -> tuple[ast.Module | None, SyntaxProblem | None]:
    """Parse once. Python's own warnings about the user's text are not ours to print."""
    if "\0" in text:
        # Python's parser refuses the whole text for it, wherever it stands, and does not say where.
        before = lines_of(text[: text.index("\0")])
        return None, SyntaxProblem("source code cannot contain null bytes", len(before), len(before[-1]) + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text), None
    except SyntaxError as error:
        line = error.lineno or 1
        message = elsewhere(error.msg, next(iter(lines_of(text)[line - 1 : line]), ""))
        at = line, error.offset or 1, error.end_lineno, error.end_offset
        return None, SyntaxProblem(message or error.msg, *at, elsewhere=message is not None)
    except (RecursionError, MemoryError):
        return None, SyntaxProblem("nested too deeply for Python to parse", 0, 1)
    except ValueError as error:
        return None, SyntaxProblem(str(error), 1, 1)


def _attempt_shallow(text: str) -> tuple[ast.Module | None, SyntaxProblem | None]:
    """Parse once, and take what is nested too deeply for an error."""
    tree, error = attempt(text)
    todo: list[tuple[ast.AST, int]] = [] if tree is None else [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        if depth > _DEEPEST_EXPRESSION and isinstance(node, ast.expr):
            return None, SyntaxProblem(_TOO_DEEP, node.lineno, 1, ours=True)
        todo += [(inner, 0 if isinstance(inner, ast.stmt) else depth + 1) for inner in ast.iter_child_nodes(node)]
    return tree, error


def _attempt_at(first: int, text: str, attempt: _Attempt) -> tuple[ast.Module | None, SyntaxProblem | None]:
    """Parse a text that stands below so many lines: with as many blank ones before it, or moved there, whichever takes
    less, so that the pieces of a long file take no more than the file."""
    if first <= _LINES_PER_CHARACTER * len(text):
        return attempt("\n" * first + text)
    tree, error = attempt(text)
    if tree is not None:
        ast.increment_lineno(tree, first)
    if error is not None and error.line:
        end = error.end_line + first if error.end_line else error.end_line
        error = replace(error, line=error.line + first, end_line=end)
    return tree, error


def _top_level(lines: list[str]) -> list[tuple[int, int]]:
    """Split into top-level statements, as [first, last) line indexes, by following brackets and strings.

    In a broken file these can't be trusted to the end: a line that can only be a statement ends them all.
    """
    starts: list[int] = []
    opened: list[tuple[int, int, str]] = []
    quote = ""
    continued = False
    decorated = False
    index = 0
    while index < len(lines):
        line = lines[index]
        if (
            line
            and not line[0].isspace()
            and _STRONG.match(line)
            and (opened or quote)
            and _resumes(lines, index, quote, bool(opened))
        ):
            opened, quote, continued = [], "", False
        if not opened and not quote and not continued and line and not line[0].isspace() and not _CONTINUES.match(line):
            if not decorated:
                starts.append(index)
            decorated = line[0] == "@"
        quote = scan(line, opened, quote, index)
        continued = line.endswith("\\") and not quote
        index += 1
    return list(zip(starts, [*starts[1:], len(lines)], strict=False))


def _resumes(lines: list[str], index: int, quote: str, in_call: bool) -> bool:
    """Whether a line that looks like a statement inside a string is one: yes if the string is never closed, or holds a
    whole definition (a header and an indented body with the closing quotes only after it). An argument that is closed
    like one may hold definitions."""
    if not quote:
        return True
    rest = "\n".join(lines[index : index + 400])
    if quote not in rest:
        return True
    if in_call and _ARGUMENT_ENDS.match(rest, rest.index(quote) + len(quote)):
        return False
    return lines[index].startswith(("@", "def ", "class ", "async "))


def scan(line: str, opened: list[tuple[int, int, str]], quote: str, number: int) -> str:
    """Follows one line: ``opened`` are the brackets open now, as (line, column, bracket); returns the triple quote
    that is open after it."""
    position = 0
    while True:
        if quote:
            end = line.find(quote, position)
            if end < 0:
                return quote
            if end > 0 and line[end - 1] == "\\":
                position = end + 1
                continue
            position, quote = end + 3, ""
        match = _TOKEN.search(line, position)
        if match is None or match["comment"]:
            return quote
        position = match.end()
        if match["triple"]:
            quote = match["triple"]
        elif not match["string"]:
            if match[0] in "([{":
                opened.append((number, match.start(), match[0]))
            elif opened:
                opened.pop()


def _never_closed(chunk: list[str], last: int) -> tuple[int, int, str] | None:
    """The bracket that was still open when a new statement certainly began, up to line ``last``: (line, column,
    bracket)."""
    opened: list[tuple[int, int, str]] = []
    quote = ""
    for number, line in enumerate(chunk[: last + 1]):
        if opened and not quote and _STRONG.match(line.lstrip()):
            return opened[0]
        quote = scan(line, opened, quote, number)
    return None


def _parse_chunk(lines: list[str], first: int, last: int, attempt: _Attempt) -> Parsed:
    """Parse one top-level statement; blank the smallest definition that is broken, and try again."""
    chunk = lines[first:last]
    result = Parsed(ast.Module([], []))
    while True:
        tree, error = _attempt_at(first, "\n".join(chunk), attempt)
        if tree is not None:
            result.tree.body = tree.body
            return result
        assert error is not None
        line = min(max(error.line - 1 - first, 0), len(chunk) - 1)
        unclosed = None if error.ours else _never_closed(chunk, line)
        if unclosed is not None:
            line, column, bracket = unclosed
            error = SyntaxProblem(f"'{bracket}' was never closed", first + line + 1, column + 1)
        start, end = _smallest(chunk, line)
        seen = (first + start + 1, first + end) in result.broken
        if seen or not chunk[start].strip() or len(result.problems) >= _MOST_PROBLEMS:
            start, end = 0, len(chunk)
        if error.line == 0:
            error = SyntaxProblem(error.message, first + start + 1, 1)
        result.problems.append(error)
        result.broken.append((first + start + 1, first + end))
        if (start, end) == (0, len(chunk)):
            return result
        indent = chunk[start][: len(chunk[start]) - len(chunk[start].lstrip())]
        chunk[start:end] = [f"{indent}pass", *[""] * (end - start - 1)]


def _smallest(chunk: list[str], line: int) -> tuple[int, int]:
    """The smallest piece around ``line`` that can go without taking a definition next to it along, as [start, end)."""
    start, end = 0, len(chunk)
    level = _indent(chunk[0])
    while True:
        pieces = [i for i in range(start, end) if _begins(chunk, start, i, level)]
        inside = max((p for p in pieces if p <= line), default=None)
        if inside is None:
            return start, end
        stop = next((i for i in range(inside + 1, end) if _ends(chunk, inside, i)), end)
        if line >= stop:
            return start, end
        start, end = inside, stop
        header = start
        while header < end - 1 and (chunk[header].lstrip().startswith("@") or not chunk[header].strip()):
            header += 1
        body = next((i for i in range(header + 1, end) if chunk[i].strip() and _indent(chunk[i]) > level), end)
        if line < body or not any(_DEFINITION.match(chunk[i]) for i in range(body, end)):
            return start, end
        level = _indent(chunk[body])


def _begins(chunk: list[str], start: int, index: int, level: int) -> bool:
    """Whether a statement begins at ``index``: at that indentation, and not the ``def`` under a decorator."""
    line = chunk[index]
    if not line.strip() or _indent(line) != level or _CONTINUES.match(line.lstrip()):
        return False
    previous = next((chunk[i] for i in range(index - 1, start - 1, -1) if chunk[i].strip()), "")
    return not (previous.lstrip().startswith("@") and _indent(previous) == level)


def _ends(chunk: list[str], start: int, index: int) -> bool:
    """Whether the piece that began at ``start`` is over at ``index``."""
    line = chunk[index]
    if not line.strip() or _indent(line) > _indent(chunk[start]):
        return False
    if _indent(line) < _indent(chunk[start]):
        return True
    previous = next(chunk[i] for i in range(index - 1, start - 1, -1) if chunk[i].strip())
    if previous.lstrip().startswith("@") and _indent(previous) == _indent(line):
        return False
    return not _CONTINUES.match(line.lstrip())


def _indent(line: str) -> int:
    """The width of the indentation, tabs to multiples of eight as Python counts them."""
    return len(line[: len(line) - len(line.lstrip(" \t\f"))].expandtabs(8))
