"""Which attributes a text may set or delete: all of which it does not show that they are only looked up.

What is set stands among the targets of a statement or of a loop, and few tokens can follow it there; the last of what
is deleted can have anything behind it. Looks at text only, in one pass, and not sparingly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernel_analysis.source.text_search.layout import closing

_GAP = r"(?:[\s\\]|#[^\n]*\n)*"
_STORED = r"=(?!=)|(?:[-+*/%@&|^]|//|\*\*|<<|>>)=|[,:]|in\b"
_ATTRIBUTE = re.compile(rf"\.{_GAP}(\w+)(?=(?:[\s\\)\]]|#[^\n]*\n)*(?:{_STORED}))")
_ANY = re.compile(rf"\.{_GAP}(\w+)")
_DELETES = re.compile(r"del\b(?:(?<!\wdel)|(?<=\\[nrt]del))[^\n]*")
_STRING = re.compile(r"\"[^\"\\\n]*\"|'[^'\\\n]*'")
_TEXT = tuple(
    re.compile(rf"{word}\([^\"'()]{{0,200}}[\"']([\w.]+)[\"']")
    for word in ("setattr", "delattr", "object", "patch", "__")
)
_SETS = tuple(re.compile(rf"{word}(?:__)?\(") for word in ("setattr", "delattr", "object", "patch"))
_QUOTED = re.compile(r"[\"']([\w.]+)[\"']")


def settable(text: str) -> Iterator[re.Match[str]]:
    """The attributes, each as a match that begins at its dot, with its name as the first group."""
    yield from (match for match in _ATTRIBUTE.finditer(text) if not _ends_a_comment(match))
    if "del" not in text:
        return
    deletes = list(_DELETES.finditer(text))
    if any(goes_on(match[0]) for match in deletes):
        yield from (match for match in _ANY.finditer(text) if not _ends_a_comment(match))
        return
    for match in deletes:
        yield from _ANY.finditer(text, match.start(), match.end())


def _ends_a_comment(dot: re.Match[str]) -> bool:
    """Whether the dot stands in a comment, and the name on a line after it: ``# How many.`` above ``COUNT = 1``."""
    return ("\n" in dot[0] or "\r" in dot[0]) and in_comment(dot.string, dot.start())


def in_comment(text: str, at: int) -> bool:
    """Whether a place is in a comment for sure."""
    line = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]
    code, sign, _ = line.partition("#")
    return bool(sign) and '"' not in code and "'" not in code


def goes_on(line: str) -> bool:
    """Whether what begins on a line may end on another."""
    said = _STRING.sub("", line)
    if "'" in said or '"' in said:
        return True  # a string that goes on, or is no simple one
    said = said.partition("#")[0]
    return sum(map(said.count, "([{")) > sum(map(said.count, ")]}")) or said.rstrip().endswith("\\")


def named_by_text(text: str) -> set[str]:
    """What a text may set by a text that names it: the first in such a call, or any near its start where whose name
    that is stands there as more than names: ``setattr(found["config"], "NAME", 1)``."""
    plain = {match.start(): match[1] for sets in _TEXT for match in sets.finditer(text)}
    found = set(plain.values())
    for match in (match for sets in _SETS for match in sets.finditer(text)):
        if match.start() not in plain:
            found.update(_QUOTED.findall(text, match.end(), closing(text, match.end())))
    return found
