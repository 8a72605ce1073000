"""Places in texts as a client counts them, and which lines belong to which function. Reads text only."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

_LINE = re.compile(r"\r\n|\r|\n")
_HEAD = re.compile(r"\s*(?:async\s+)?def\s+(\w+)")


def lines(text: str) -> list[str]:
    """Without their ends."""
    return _LINE.split(text)


def position(text: str, offset: int) -> dict[str, int]:
    """Line from 0 and UTF-16 units of a place between two characters."""
    ends = [match.end() for match in _LINE.finditer(text, 0, offset)]
    start = ends[-1] if ends else 0
    return {"line": len(ends), "character": len(text[start:offset].encode("utf-16-le", "surrogatepass")) // 2}


def offset(text: str, place: dict[str, int]) -> int:
    """The other way round; the place must be within its line."""
    starts = [0, *(match.end() for match in _LINE.finditer(text))]
    line = lines(text)[place["line"]]
    before = line.encode("utf-16-le", "surrogatepass")[: 2 * place["character"]]
    assert len(before) == 2 * place["character"], f"{place} is beyond {line!r}"
    return starts[place["line"]] + len(before.decode("utf-16-le", "surrogatepass"))


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
    """Those that begin with a ``@triton.jit`` line, also where the text does not parse."""
    found: list[Function] = []
    all_lines = lines(text)
    for number, line in enumerate(all_lines):
        if not line.startswith("@triton.jit"):
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
