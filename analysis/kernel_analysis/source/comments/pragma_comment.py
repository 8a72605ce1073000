"""What a comment above a kernel says of its parameters: ``# triton-ls: x_ptr: *fp16, BLOCK = 64``.

Reads comments only. What the types and values mean is for ``signature`` to say, and nothing of it is ever run.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from kernel_analysis.record import record
from kernel_analysis.source.comments.comments_above import lines_above, room_above
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.limits import LONGEST_COMMENT
from kernel_analysis.span import Span

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

MARK = "triton-ls:"
_COMMENT = re.compile(r"(?P<head>\s*#\s*triton-ls:)(?!\s*ignore\b(?!\s*[:=]))(?P<items>.*)$")
_SAID = re.compile(r"#\s*triton-ls:(?!\s*ignore\b(?!\s*[:=]))")
_ITEM = re.compile(r"(?P<name>\w+)\s*(?P<sign>[:=])\s*(?P<text>.*)$", re.DOTALL)
_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "<": ">"}


@record
class Item:
    """``name: text`` or ``name = text``; ``sign`` is empty where it reads as neither, and then ``text`` is all of
    it, nothing where that is too long to be read."""

    name: str
    sign: Literal[":", "=", ""]
    text: str
    span: Span


def items(module: Module, function: JitFunction) -> list[Item]:
    """What the comments above a function say: right above it, or between its decorators and its ``def``."""
    if not module.has(MARK) or not _readable(module, function):
        return []
    found = ((number, _COMMENT.match(module.lines[number - 1])) for number in lines_above(module, function.node))
    return [item for number, match in found if match for item in _items(module.file, number, match)]


def stray(module: Module) -> list[Span]:
    """The comments of this form that stand above no jit function, so that nobody reads them."""
    if not module.has(MARK):
        return []
    read = {number for function in module.functions for number in lines_above(module, function.node)}
    candidates = {
        n: found.start() for n, line in enumerate(module.lines, 1) if n not in read and (found := _SAID.search(line))
    }
    comments = _comments(module.text) if candidates else dict[int, int]()
    broken = {n for first, last in module.broken for n in range(first, last + 1)}
    return [_span(module, n, at) for n, at in candidates.items() if comments.get(n) == at and n not in broken]


def place(module: Module, function: JitFunction) -> tuple[int, str] | None:
    """The line above which to write such a comment, with its indentation; None where there is no room for it."""
    line, indentation = room_above(module, function.node)
    found = module.embedded_at(line)
    return None if found is not None and (found.escaped or line == found.literal.lineno) else (line, indentation)


def _readable(module: Module, function: JitFunction) -> bool:
    found = module.embedded_at(function.node.lineno)
    return found is None or not found.escaped


def _items(file: str, line: int, match: re.Match[str]) -> Iterator[Item]:
    if len(match["items"]) > LONGEST_COMMENT:
        column = match.end("head") + 1
        yield Item("", "", "", Span(file, line, column, line, column + len(match["items"])))
        return
    for start, text in _parts(match["items"]):
        column = match.end("head") + start + 1
        span = Span(file, line, column, line, column + len(text))
        item = _ITEM.match(text)
        if item is None:
            yield Item("", "", text, span)
        else:
            yield Item(item["name"], ":" if item["sign"] == ":" else "=", item["text"], span)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """What stands between the commas that are in no brackets and no string, each with where it starts. A second ``#``
    ends it all."""
    starts, closing, quote, end = [0], list[str](), "", len(text)
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and text[index - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#":
            end = index
            break
        elif letter in _CLOSED_BY:
            closing.append(_CLOSED_BY[letter])
        elif closing and letter == closing[-1]:
            closing.pop()
        elif letter == "," and not closing:
            starts.append(index + 1)
    for start, stop in zip(starts, [*(start - 1 for start in starts[1:]), end], strict=True):
        part = text[start:stop]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), part.strip()


def _comments(text: str) -> dict[int, int]:
    """Where on a line a comment begins, by line; none where the text does not read as Python."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return {}
    return {token.start[0]: token.start[1] for token in tokens if token.type == tokenize.COMMENT}


def _span(module: Module, line: int, at: int) -> Span:
    """From a place on the line to its end."""
    return Span(module.file, line, at + 1, line, len(module.lines[line - 1].rstrip()) + 1)
