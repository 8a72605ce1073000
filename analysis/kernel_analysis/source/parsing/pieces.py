"""Which lines of a text that does not parse belong together, so that what is broken takes nothing else along.

Looks at indentation, brackets and quotes, none of which can be trusted to the end; parses nothing, never raises.
"""

from __future__ import annotations

import re

# A line at column 0 that can only start a statement: here parsing resumes after an open bracket or string.
_STRONG = re.compile(r"(?:@\w|(?:async\s+)?def\s+\w|class\s+\w|import\s+\w|from\s+[.\w]+\s+import\b)")
# Continues the statement above, so it never starts a chunk.
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b|[)\]}#]")
_TOKEN = re.compile(
    r"""(?P<triple>\"{3}|'{3})|(?P<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(?P<comment>\#)|[()\[\]{}]"""
)
_ARGUMENT_ENDS = re.compile(r"\s*[,)]")
_DEFINITION = re.compile(r"[ \t\f]*(?:async\s+)?def\s", re.MULTILINE)


def top_level(lines: list[str]) -> list[tuple[int, int]]:
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
        if not opened and not quote and not continued and line.strip():
            if line[0].isspace():
                decorated = False  # its ``def`` is missing
            elif not _CONTINUES.match(line) or line[0] in ")]}":
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


def never_closed(chunk: list[str], last: int) -> tuple[int, int, str] | None:
    """The bracket that was still open when a new statement certainly began, up to line ``last``: (line, column,
    bracket)."""
    opened: list[tuple[int, int, str]] = []
    quote = ""
    for number, line in enumerate(chunk[: last + 1]):
        if opened and not quote and _STRONG.match(line.lstrip()):
            return opened[0]
        quote = scan(line, opened, quote, number)
    return None


def smallest(chunk: list[str], line: int) -> tuple[int, int]:
    """The smallest piece around ``line`` that can go without taking a definition next to it along, as [start, end)."""
    start, end = 0, len(chunk)
    level = _indent(chunk[0])
    code = _code(chunk)
    while True:
        pieces = [i for i in range(start, end) if code[i] and _begins(chunk, start, i, level)]
        inside = max((p for p in pieces if p <= line), default=None)
        if inside is None:
            return start, end
        stop = next((i for i in range(inside + 1, end) if code[i] and _ends(chunk, inside, i)), end)
        if line >= stop:
            return start, end
        start, end = inside, stop
        header = start
        while header < end - 1 and chunk[header].lstrip()[:1] in ("@", "#", ""):
            header = _closed(chunk, header, end) + 1
        below = range(_closed(chunk, header, end) + 1, end)
        body = next((i for i in below if chunk[i].strip() and _indent(chunk[i]) > level), end)
        if line < body or not any(_DEFINITION.match(chunk[i]) for i in range(body, end)):
            return start, end
        level = _indent(chunk[body])


def _begins(chunk: list[str], start: int, index: int, level: int) -> bool:
    """Whether a statement begins at ``index``: at that indentation, and not the ``def`` under a decorator."""
    line = chunk[index]
    if not line.strip() or _indent(line) != level or _CONTINUES.match(line.lstrip()):
        return False
    return not _is_decorated(chunk, start, index)


def _ends(chunk: list[str], start: int, index: int) -> bool:
    """Whether the piece that began at ``start`` is over at ``index``."""
    line = chunk[index]
    if not line.strip() or _indent(line) > _indent(chunk[start]):
        return False
    if _indent(line) < _indent(chunk[start]):
        return True
    return not _is_decorated(chunk, start, index) and not _CONTINUES.match(line.lstrip())


def _code(chunk: list[str]) -> list[bool]:
    """Of each line, whether it begins outside of texts that are closed again."""
    quote, since = "", 0
    code = [True] * len(chunk)
    for number, line in enumerate(chunk):
        before, quote = quote, scan(line, [], quote, number)
        if before and not quote:
            code[since + 1 : number + 1] = [False] * (number - since)
        elif quote and not before:
            since = number
    return code


def _closed(chunk: list[str], start: int, end: int) -> int:
    """The line where the brackets and quotes are closed again that ``start`` opens; the last one, if none is."""
    opened: list[tuple[int, int, str]] = []
    quote = ""
    for number in range(start, end):
        quote = scan(chunk[number], opened, quote, number)
        if not opened and not quote:
            return number
    return end - 1


def resumes(chunk: list[str], index: int) -> int:
    """The first line from ``index`` on that can only start a statement; behind the last, if there is none."""
    return next((i for i in range(index, len(chunk)) if _STRONG.match(chunk[i].lstrip())), len(chunk))


def _is_decorated(chunk: list[str], start: int, index: int) -> bool:
    """Whether what stands above ``index`` at its indentation is a decorator, on however many lines."""
    level = _indent(chunk[index])
    above = (line for line in reversed(chunk[start:index]) if line.strip() and _indent(line) <= level)
    first = next((line for line in above if not _CONTINUES.match(line.lstrip())), "")
    return _indent(first) == level and first.lstrip().startswith("@")


def _indent(line: str) -> int:
    """The width of the indentation, tabs to multiples of eight as Python counts them."""
    return len(line[: len(line) - len(line.lstrip(" \t\f"))].expandtabs(8))
