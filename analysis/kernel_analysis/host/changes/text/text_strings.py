"""A text's strings and its code apart, without a tree: what may be run, and what stands in comments and strings.

Tells tokens by patterns; where it can't be told where a string ends, all of the text is both.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LITERAL_NAME = re.compile(r"[\"']{1,3}[\w.]*[\"']{1,3}")
_PREFIX = re.compile(r"[fFtT][a-zA-Z]?\Z")
"""What makes a string evaluate what is in its braces."""
_BETWEEN = re.compile(r"(?:[\s\\+]|#[^\n]*(?:\n|\Z))*(?:\b[a-zA-Z]{1,2})?\Z")
"""What may stand between strings that are put together."""
_PARTS = frozenset(",):]}=.;")
"""What stands behind most strings, and between none that are put together."""
_RAW = re.compile(r"\b(?:[a-zA-Z]?[rR]|[rR][a-zA-Z])\Z")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "\n": "", "\\": "\\", "'": "'", '"': '"'}
_BRACE = re.compile(r"[{}]")
_TOKEN = re.compile(
    r'''#[^\n]*|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'''
    r"""|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|["']""",
    re.DOTALL,
)
"""A comment, a string, or a quote that belongs to none."""


@lru_cache(maxsize=1024)
def code(text: str, names: bool = False) -> str:
    """A text without its comments and what stands in its strings, but those that may have code in them, and with
    ``names`` those that may name a module; all of it where it can't be told where a string ends."""
    parts: list[str] = []
    last = 0
    for token in _TOKEN.finditer(text):
        start, said = token.start(), token[0]
        if said in ("'", '"'):
            return text
        parts.append(text[last:start])
        last = token.end()
        if said[0] == "#":
            continue
        prefix = _PREFIX.search(text, max(0, start - 2), start)
        if prefix is not None:
            fields = _fields(said)
            if fields is None:
                return text
            parts.append(said[0] + fields + said[0])
        else:
            kept = "@" in said and "jit" in said or names and _LITERAL_NAME.fullmatch(said)
            parts.append(said if kept else said[0] * 2)
    return "".join([*parts, text[last:]])


def _fields(said: str) -> str | None:
    """What a formatted string evaluates; None where one is open at its end: there are quotes in it that end nothing."""
    found: list[str] = []
    depth = start = place = 0
    while (match := _BRACE.search(said, place)) is not None:
        place = match.end()
        if not depth and said[place : place + 1] == match[0]:
            place += 1
            continue
        if match[0] == "{":
            start = start if depth else place - 1
            depth += 1
        elif not depth:
            return None
        else:
            depth -= 1
            if not depth:
                found.append(said[start:place])
    return None if depth else "".join(found)


@lru_cache(maxsize=256)
def quoted(text: str) -> str:
    """The strings of a text, a line each or more; all of it where it can't be told where a string ends."""
    found = strings(text)
    return text if found is None else "\n".join(f'"{said}"' for said in found)


@lru_cache(maxsize=64)
def strings(text: str) -> list[str] | None:
    """What stands in the strings of a text, those that follow each other as one; None where it can't be told where one
    ends."""
    groups: list[str] = []
    last = -1
    for token in _TOKEN.finditer(text):
        start, said = token.start(), token[0]
        if said[0] == "#":
            continue
        lettered = text[start - 1 : start].isalpha()
        prefixed = lettered and _PREFIX.search(text, max(0, start - 2), start) is not None
        if said in ("'", '"') or prefixed and _fields(said) is None:
            return None
        inside = said[3:-3] if said[:3] in ("'''", '"""') and len(said) >= 6 else said[1:-1]
        if "\\" in inside and not (lettered and _RAW.search(text, max(0, start - 2), start)):
            inside = _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[0]), inside)
        if last >= 0 and text[last] not in _PARTS and _BETWEEN.match(text, last, start):
            groups[-1] += inside
        else:
            groups.append(inside)
        last = token.end()
    return groups


def quotes(text: str, word: str, behind: str) -> bool:
    """Whether a string of a file has the word, with that behind it."""
    return word in text and re.search(rf"\b{re.escape(word)}\b{behind}", quoted(text)) is not None
