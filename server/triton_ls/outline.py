"""The jit functions at the top level of a text that no agent has looked at yet, as its lines show them: names, places,
roles.

Reads lines, at once and whatever is broken; what the analysis says takes its place. May not import or parse anything,
nor go through the text for each function: everybody waits for this, and the text may be anybody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls.text import first_decorator, split_lines

_HEAD = re.compile(r"def[ \t]+([^\W\d]\w*)[ \t]*\(")
_ALIAS = re.compile(r"^[ \t]*import[ \t]+triton(?:\.experimental\.gluon)?[ \t]+as[ \t]+(\w+)", re.MULTILINE)
_FROM_TRITON = re.compile(r"^[ \t]*from[ \t]+triton\b([^\n]*)", re.MULTILINE)
_IMPORTS, _JIT = re.compile(r"\bimport\b"), re.compile(r"\bjit\b")
_DECORATED = re.compile(r"@(\w+(?=\.)|)\.?jit\b")
_INDEXED = re.compile(r"\b(\w+)[ \t]*\[")
_CALLED = re.compile(r"(?<!def )\b(\w+)[ \t]*\(")
_LAUNCHED = re.compile(r"[ \t]*@(?:[\w.]+\.)?(?:autotune|heuristics)\b")
_RETURNS = re.compile(r"\s+return[ \t(]+(?!None\b)[^\s#]")
_MOST = 2000
"""Functions: nobody looks through more before an agent has been heard of."""


def entries(file: str, text: str) -> tuple[Entry, ...]:
    """In the order of the text."""
    lines = split_lines(text)
    names = {"triton", "gluon", *_ALIAS.findall(text)}
    if any(map(_brings_jit, _FROM_TRITON.findall(text))):
        names.add("")
    says_jit = names.intersection(_DECORATED.findall(text))
    return tuple(islice(_found(file, text, lines, says_jit), _MOST)) if says_jit else ()


def _brings_jit(statement: str) -> bool:
    """Whether it does, by what stands behind ``from triton``."""
    imports = _IMPORTS.search(statement)
    return imports is not None and _JIT.search(statement, imports.end()) is not None


def _found(file: str, text: str, lines: Sequence[str], says_jit: set[str]) -> Iterator[Entry]:
    indexed, called = {*_INDEXED.findall(text)}, {*_CALLED.findall(text)}
    for number, line in enumerate(lines, start=1):
        head = _HEAD.match(line)
        if head is None:
            continue
        decorators = lines[first_decorator(lines, number) - 1 : number - 1]
        found = (_DECORATED.match(decorator.lstrip()) for decorator in decorators)
        if not any(decorator and decorator[1] in says_jit for decorator in found):
            continue
        end = _end(lines, number)
        name_span = Span(file, number, head.start(1) + 1, number, head.end(1) + 1)
        span = Span(file, number, 1, end, len(lines[end - 1].rstrip("\r\n")) + 1)
        launched = head[1] in indexed or any(map(_LAUNCHED.match, decorators))
        helps = head[1] in called or any(map(_RETURNS.match, lines[number:end]))
        role = "helper" if helps and not launched else "kernel"
        yield Entry(f"outline:{head[1]}", head[1], head[1], role, span, name_span)


def _end(lines: Sequence[str], number: int) -> int:
    """The last line of a function: what follows is not indented."""
    last = number
    for at in range(number + 1, len(lines) + 1):
        text = lines[at - 1]
        if text.strip():
            if text[0] not in " \t\f)]}#":
                break
            last = last if text.lstrip()[0] == "#" else at
    return last
