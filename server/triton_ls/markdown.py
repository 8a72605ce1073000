"""Text that others wrote, inside of Markdown: it stays the text that it is, whatever is in it.

A kernel may hold any string, and an error message may quote it: no link, image or HTML may come of that in a hover or
on a page. May not know what is said.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
# What begins something in the middle of a line; a link or an image needs its two brackets side by side. An underscore
# inside of a word is one.
_SPECIAL = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|[`*<|$~]|(?<![^\W_])_|_(?![^\W_])|(?<=\])[(\[]|&(?=#?\w+;)"
    r"|:(?=//)|(?<=www)\.|(?<=[\w.+-])@",  # what is shown as a link by itself
    re.IGNORECASE,
)
_FENCE = re.compile(r"`{3,}")
_HEAD = "| | |\n| --- | --- |\n"
_MARKS = re.compile(r"(?<!`)(?P<fence>`+)(?!`)(?P<code>.+?)(?<!`)(?P=fence)(?!`)|\\(?P<escaped>[!-/:-@\[-`{-~])|\*\*")


def text(foreign: str) -> str:
    """A sentence as Markdown, on one line. What stands between backticks in it is code; all else is as it reads."""
    line = " ".join(foreign.split())
    parts: list[str] = []
    end = 0
    for found in _SPAN.finditer(line):
        parts += [_escaped(line[end : found.start()]), code(found[2])]
        end = found.end()
    return "".join([*parts, _escaped(line[end:])])


def code(foreign: str) -> str:
    """A piece of code inside of a sentence."""
    line = " ".join(foreign.split())
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line[:1] in ("`", "") or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(foreign: str) -> str:
    """Lines of Python."""
    fence = "`" * max(3, _longest_run(foreign) + 1)
    return f"{fence}python\n{foreign}\n{fence}"


def cell(markdown: str) -> str:
    """As it has to stand in a table: a bar ends the cell even inside of code."""
    return re.sub(r"(?<!\\)\|", r"\\|", markdown)


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Two columns of Markdown, without a head."""
    return _HEAD + "\n".join(f"| {cell(one)} | {cell(other)} |" for one, other in rows)


def plain(markdown: str) -> str:
    """Our own Markdown without its marks, for a terminal and for clients that show plain text. A table is a list."""
    lines = markdown.replace(_HEAD, "").split("\n")
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if _FENCE.fullmatch(line):
            ends.setdefault(line, []).append(number)
    parts: list[str] = []
    number = 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        known = ends.get(fence[0], []) if fence is not None else []
        at = bisect_left(known, number + 2)
        if at < len(known):  # code is as it is
            parts += lines[number + 1 : known[at]]
            number = known[at] + 1
        else:
            parts.append(_MARKS.sub(_meant, _row(lines[number])))
            number += 1
    return "\n".join(parts).rstrip("\n")


def message(foreign: str) -> str:
    """For a notification, which knows links, and in VS Code links that run commands."""
    return foreign.replace("](", "] (")


def _row(line: str) -> str:
    """One of a table as one of a list; any other line as it is."""
    if len(line) < 9 or not line.startswith("| ") or not line.endswith(" |"):
        return line
    one, between, other = line[2:-2].partition(" | ")
    return _uncelled(f"- {one}: {other}") if one and between and other else line


def _meant(found: re.Match[str]) -> str:
    inner = found["code"]
    if inner is None:
        return found["escaped"] or ""
    padded = len(inner) > 2 and inner[0] == inner[-1] == " " and "`" in (inner[1], inner[-2])
    return inner[1:-1] if padded else inner


def _escaped(line: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", line)


def _longest_run(line: str) -> int:
    return max(map(len, re.findall("`+", line)), default=0)


def _uncelled(cells: str) -> str:
    return cells.replace("\\|", "|")
