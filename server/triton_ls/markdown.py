"""Text that others wrote, inside of Markdown: it stays the text that it is, whatever is in it.

A kernel may hold any string, and an error message may quote it: no link, image or HTML may come of that in a hover or
on a page. May not know what is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
# What begins something in the middle of a line; a link or an image needs its two brackets side by side. An underscore
# inside of a word is one.
_SPECIAL = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|[`*<|$~]|(?<![^\W_])_|_(?![^\W_])|(?<=\])[(\[]|&(?=#?\w+;)"
    r"|:(?=//)|(?<=www)\.|(?<=[\w.+-])@",  # what is shown as a link by itself
    re.IGNORECASE,
)
_FENCED = re.compile(r"^(`{3,})[^\n]*\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_HEAD = "| | |\n| --- | --- |\n"
_ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
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
    markdown = _ROW.sub(lambda row: _uncelled(f"- {row[1]}: {row[2]}"), markdown.replace(_HEAD, ""))
    parts: list[str] = []
    end = 0
    for found in _FENCED.finditer(markdown):
        parts += [_MARKS.sub(_meant, markdown[end : found.start()]), found[2]]
        end = found.end()
    return "".join([*parts, _MARKS.sub(_meant, markdown[end:])]).rstrip("\n")


def message(foreign: str) -> str:
    """For a notification, which knows links, and in VS Code links that run commands."""
    return foreign.replace("](", "] (")


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
