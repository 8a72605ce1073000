"""Places in texts as a client counts them, and which lines belong to which function. Reads text only."""

from __future__ import annotations

import ast
import re
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

COUNTED = ContextVar("COUNTED", default="utf-16")
"""How the client of this session counts: the encoding that it agreed on with the server."""
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
_COOKIE = re.compile(r"(?:[^\n]*\n)?[^\n]*coding[:=][ \t]*latin-1")

_LINE = re.compile(r"\r\n|\r|\n")
_HEAD = re.compile(r"\s*(?:async\s+)?def\s+(\w+)")


def lines(text: str) -> list[str]:
    """Without their ends."""
    return _LINE.split(text)


def decoded(raw: bytes) -> str:
    """A file as an editor shows it, but for its BOM."""
    text = raw.decode("utf-8", "replace")
    return raw.decode("latin-1") if _COOKIE.match(text) else text


def encoded(text: str) -> bytes:
    return text.encode("latin-1", "replace") if _COOKIE.match(text) else text.encode("utf-8", "surrogatepass")


def units(text: str) -> int:
    codec, size = _UNITS[COUNTED.get()]
    return len(text.encode(codec, "surrogatepass")) // size


def first_units(line: str, count: int) -> str:
    """The part of a line that so many units make; they may not end within a character."""
    codec, size = _UNITS[COUNTED.get()]
    raw = line.encode(codec, "surrogatepass")
    assert size * count <= len(raw), f"{count} is beyond {line!r}"
    return raw[: size * count].decode(codec, "surrogatepass")


def position(text: str, offset: int) -> dict[str, int]:
    """Line from 0 and units of a place between two characters."""
    ends = [match.end() for match in _LINE.finditer(text, 0, offset)]
    start = ends[-1] if ends else 0
    return {"line": len(ends), "character": units(text[start:offset])}


def offset(text: str, place: dict[str, int]) -> int:
    """The other way round; the place must be within its line."""
    starts = [0, *(match.end() for match in _LINE.finditer(text))]
    line = lines(text)[place["line"]]
    return starts[place["line"]] + len(first_units(line, place["character"]))


def parses(text: str) -> bool:
    try:
        ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Function:
    """A jit function at the top of a file. Lines from 0; ``end`` is that behind its last one."""

    name: str
    first: int
    head: int
    end: int

    def text(self, of: str) -> str:
        return "\n".join(lines(of)[self.first : self.end])


def functions(text: str) -> list[Function]:
    """Those that begin with a ``@triton.jit`` or ``@gluon.jit`` line, also where the text does not parse."""
    found: list[Function] = []
    all_lines = lines(text)
    for number, line in enumerate(all_lines):
        if not line.startswith(("@triton.jit", "@gluon.jit")):
            continue
        head = next((n for n in range(number, min(number + 4, len(all_lines))) if _HEAD.match(all_lines[n])), None)
        if head is None:
            continue
        match = _HEAD.match(all_lines[head])
        assert match is not None
        end = next((n for n in range(head + 1, len(all_lines)) if re.match(r"[\w@#]", all_lines[n])), len(all_lines))
        while end > head + 1 and not all_lines[end - 1].strip():
            end -= 1
        found.append(Function(match[1], number, head, end))
    return found


def around(text: str, line: int) -> Function | None:
    return next((each for each in functions(text) if each.first <= line < each.end), None)


def of_range(text: str, range_: dict[str, Any]) -> str:
    return text[offset(text, range_["start"]) : offset(text, range_["end"])]
