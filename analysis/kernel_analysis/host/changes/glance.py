"""What can be told of a text without its tree, which takes a hundred times as long to make: that none of the places
that have a word sets, or hands on, what is called so.

Each rule holds wherever its pattern stands, in brackets, strings and comments as well; what none of them tells may be
anything.
"""

from __future__ import annotations

import re

from kernel_analysis.host.changes.uses import READS, places

_COMMENT = re.compile(r"[^\"'#]*#")
_CLASS = re.compile(r"^[ \t]*class[ \t]+\w+[ \t]*\((?:[\w\s.,\[\]=]|#[^\n]*\n)*\Z", re.MULTILINE)
_LONGEST_HEAD = 400
_DOTTED = re.compile(r"(?:^|\.)(?:\s|\\|#[^\n]*\n)*\Z")
_LONGEST_GAP = 200
_TYPE = r"[ \t]*[\"']?[\w.\[\]|, ]*\Z"
_BLOCKS = "for|while|with|if|elif|else|try|except|finally|match|case|async|lambda"
_FIELD = re.compile(rf"[ \t]*(?!(?:{_BLOCKS})\b)(?:\*{{0,2}}\w[^()\[\]{{}}\"'#;\\]*,[ \t]*)?[\w.]+[ \t]*:" + _TYPE)
"""An annotation, or an item: on a line that begins no block, nothing else follows a name and a colon."""
_PARAMETER = re.compile(r"[ \t]*(?:async[ \t]+)?def\b[^\"'{}]*[(,][ \t]*\*{0,2}\w+[ \t]*:" + _TYPE)
_RETURNED = re.compile(r".*->" + _TYPE)
_TESTED = re.compile(r".*\bis(?:instance|subclass)\((?:(?!\bfor\b)[^()])*\Z")
_IMPORTED = re.compile(r"[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+[\w.,* \t]*\Z")
_IMPORTS = re.compile(r"\bimport[ \t]*\((?:[\w\s,]|#[^\n]*\n)*\)")
_LOADED = re.compile(r"[ \t]*[(\[.]|(?:\s|\)|\]|#[^\n]*\n)*(?!=(?!=)|[-+*/%@&|^<>]{1,2}=|:|,|in\b|\\|[\"'\s)\]#])")
"""What an attribute is followed by where it is only looked up: no ``=``, and nothing that could lead to one."""
_DELETED = re.compile(r".*\bdel\b")
_DELETES = re.compile(r"\bdel\b[^\n]*")
_CALLED = re.compile(r"[ \t]*\(")
_ATTRIBUTE = re.compile(r"[ \t]*\.[ \t]*(\w+)")


def may_set(text: str, word: str) -> bool:
    """Whether the text may set or delete an attribute of that name, by its name or by text that names it."""
    deletes_more: bool | None = None
    for place in places(text, word):
        end = place + len(word)
        before = _before(text, place)
        named = text[end : end + 1] in ("'", '"')
        if not named and not _DOTTED.search(text[max(0, place - _LONGEST_GAP) : place]):
            continue  # a name
        if _COMMENT.match(before) or _annotates(text, place, before):
            continue
        if named or not _LOADED.match(text, end) or _DELETED.match(before):
            return True
        if deletes_more is None:
            deletes_more = any(map(_goes_on, _DELETES.findall(text)))
        if deletes_more:
            return True
    return False


def may_hold(text: str, name: str) -> bool:
    """Whether the text may give what goes by a plain name to code that changes it."""
    imports: list[tuple[int, int]] | None = None
    for place in places(text, name):
        end = place + len(name)
        before = _before(text, place)
        if before.rstrip(" \t").endswith(".") or _CALLED.match(text, end):
            continue
        attribute = _ATTRIBUTE.match(text, end)
        if attribute is not None and attribute[1] not in READS:
            continue
        if any(rule.match(before) for rule in (_COMMENT, _IMPORTED, _PARAMETER)) or _in_head(text, place):
            continue
        if imports is None:
            imports = [match.span() for match in _IMPORTS.finditer(text)]
        if not any(first < place < last for first, last in imports):
            return True
    return False


def _goes_on(line: str) -> bool:
    """Whether what begins on a line may end on another."""
    opened = sum(map(line.count, "([")) > sum(map(line.count, ")]"))
    return opened or "'" in line or '"' in line or line.rstrip().endswith("\\")


def _before(text: str, place: int) -> str:
    """What stands before it on its line."""
    return text[text.rfind("\n", 0, place) + 1 : place]


def _in_head(text: str, place: int) -> bool:
    """Whether it is among the bases of a class."""
    return _CLASS.search(text, max(0, place - _LONGEST_HEAD), place) is not None


def _annotates(text: str, place: int, before: str) -> bool:
    if "\r" in before:
        return False
    if _in_head(text, place) or _PARAMETER.match(before) or _RETURNED.match(before) or _TESTED.match(before):
        return True
    start = place - len(before)
    return _FIELD.match(before) is not None and not text[:start].endswith(("\\\n", "\\\r\n"))
