"""The jit functions at the top level of a text that no agent has looked at yet, as its lines show them: names, places,
roles.

Reads lines, at once and whatever is broken; what the analysis says takes its place. May not import or parse anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from kernel_analysis.span import Span
from kernel_analysis.wire import Entry
from triton_ls.text import first_decorator, split_lines

_HEAD = re.compile(r"def[ \t]+([^\W\d]\w*)[ \t]*\(")
_ALIAS = re.compile(r"^[ \t]*import[ \t]+triton(?:\.experimental\.gluon)?[ \t]+as[ \t]+(\w+)", re.MULTILINE)
_BARE = re.compile(r"^[ \t]*from[ \t]+triton\b[^\n]*\bimport\b[^\n]*\bjit\b", re.MULTILINE)
_LAUNCHED = re.compile(r"[ \t]*@(?:[\w.]+\.)?(?:autotune|heuristics)\b")
_RETURNS = re.compile(r"\s+return[ \t(]+(?!None\b)[^\s#]")


def entries(file: str, text: str) -> tuple[Entry, ...]:
    """In the order of the text."""
    lines = split_lines(text)
    names = {"triton", "gluon", *_ALIAS.findall(text)}
    bare = "|@jit\\b" if _BARE.search(text) else ""
    says_jit = re.compile(rf"@(?:{'|'.join(sorted(names))})\.jit\b{bare}")
    return tuple(_found(file, text, lines, says_jit)) if says_jit.search(text) else ()


def _found(file: str, text: str, lines: Sequence[str], says_jit: re.Pattern[str]) -> Iterator[Entry]:
    for number, line in enumerate(lines, start=1):
        head = _HEAD.match(line)
        if head is None:
            continue
        decorators = lines[first_decorator(lines, number) - 1 : number - 1]
        if not any(says_jit.match(decorator.lstrip()) for decorator in decorators):
            continue
        end = _end(lines, number)
        name_span = Span(file, number, head.start(1) + 1, number, head.end(1) + 1)
        span = Span(file, number, 1, end, len(lines[end - 1].rstrip("\r\n")) + 1)
        role = _role(head[1], text, lines[number:end], decorators)
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


def _role(name: str, text: str, body: Sequence[str], decorators: Sequence[str]) -> Literal["kernel", "helper"]:
    if any(map(_LAUNCHED.match, decorators)) or re.search(rf"\b{name}[ \t]*\[", text):
        return "kernel"
    called = re.search(rf"(?<!def )(?<!\w)\b{name}[ \t]*\(", text)
    return "helper" if called or any(map(_RETURNS.match, body)) else "kernel"
