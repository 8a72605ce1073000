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
from typing import Final, TypeAlias

from kernel_analysis.record import record
from kernel_analysis.source.parsing.newer_syntax import elsewhere, newer, older_text
from kernel_analysis.source.parsing.pieces import never_closed, resumes, scan, smallest, top_level
from kernel_analysis.source.parsing.text_length import MOST_TOKENS, tokens_in

_LINE_END = re.compile(r"\r\n|\r|\n")
_MOST_PROBLEMS = 50
_KINDS: Final = {"expected an indented block": "no body", "unterminated triple-quoted string literal": "no quote"}
"""How Python's words begin for what says more than where it stands."""
_MOST_TOKENS_OF_ALL = 500_000
_TOO_LONG = "from here on this is too long to be read, and nothing is known of what it defines"
_DEEPEST_EXPRESSION = 100
_TOO_DEEP = "this is nested too deeply to be read, and nothing is known of what is defined here"
# Blank lines that take as long to skip as a node to move.
_LINES_PER_CHARACTER = 8


@record
class SyntaxProblem:
    """What Python says is wrong; lines and columns as ``SyntaxError`` has them, from 1; the end may be missing.

    ``ours``: nothing is, but we don't read it. ``elsewhere``: nothing is for another Python, or once it is made.
    ``kind``: a head without a body, or a quote that nothing ends."""

    message: str
    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None
    ours: bool = False
    elsewhere: bool = False
    kind: str | None = None


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
    parts = top_level(lines)
    left_out = _too_long(lines, parts, tokens) if long else set[int]()
    if long and not left_out:
        tree, error = attempt(text)
        if tree is not None:
            return Parsed(tree)
    result = Parsed(ast.Module([], []))
    known = chunks if chunks is not None else {}
    fresh: dict[tuple[int, str], Parsed] = {}
    run = 0  # where what is wrong with the parts right above begins
    for number, (first, last) in enumerate(parts):
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
        _say(result.problems, run, part.problems, lines[first])
        run = run if part.problems else len(result.problems)
        result.broken += part.broken
    known.clear()
    known.update(fresh)
    if not result.problems and error is not None:
        result.problems.append(error)
    # One quote too few makes code of all texts behind it and texts of all code.
    unterminated = sorted(p.line for p in result.problems if p.kind == "no quote")[1:]
    result.problems = [p for p in result.problems if p.line not in unterminated or p.kind != "no quote"]
    if result.problems and (plain := older_text(text)) is not None:
        wrong = {problem.line for problem in _parsed(plain, None, attempt).problems}
        for i, p in enumerate(result.problems):
            if p.line not in wrong and not p.elsewhere:
                result.problems[i] = replace(p, message=newer(p.message), elsewhere=True)
    del result.problems[_MOST_PROBLEMS:]
    return result


def _say(said: list[SyntaxProblem], run: int, more: list[SyntaxProblem], line: str) -> None:
    """What is wrong with a part, but for what is wrong because of the parts right above, said from ``run`` on."""
    if len(said) > run and line[:1] in (")", "]", "}"):
        return  # what it closes was opened there
    said += more
    if any(problem.kind == "no quote" for problem in more):
        said[run:] = [min(said[run:], key=lambda problem: problem.line)]


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
        words = error.msg if message is None else ""
        kind = next((kind for begin, kind in _KINDS.items() if words.startswith(begin)), None)
        return None, SyntaxProblem(message or error.msg, *at, elsewhere=message is not None, kind=kind)
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
        unclosed = None if error.ours else never_closed(chunk, line)
        if unclosed is not None:
            line, column, bracket = unclosed
            error = SyntaxProblem(f"'{bracket}' was never closed", first + line + 1, column + 1)
        elif error.kind == "no body":
            # Python sees it at what stands there instead, which is another function's.
            line = next((i for i in reversed(range(line)) if chunk[i].strip(" \t\f")[:1] not in ("", "#")), line)
            head = chunk[line].rstrip()
            error = replace(error, line=first + line + 1, column=len(head), end_line=None, end_column=None)
        start, end = smallest(chunk, line)
        if error.kind == "no quote":
            end = resumes(chunk, end)  # what stands there is no code
        seen = (first + start + 1, first + end) in result.broken
        if seen or not chunk[start].strip() or len(result.broken) >= _MOST_PROBLEMS:
            start, end = 0, len(chunk)
        if error.line == 0:
            error = SyntaxProblem(error.message, first + start + 1, 1)
        if error not in result.problems:  # what is there in its place was not all of it
            result.problems.append(error)
        result.broken.append((first + start + 1, first + end))
        if (start, end) == (0, len(chunk)):
            return result
        indent = chunk[start][: len(chunk[start]) - len(chunk[start].lstrip())]
        chunk[start:end] = [f"{indent}pass", *[""] * (end - start - 1)]
