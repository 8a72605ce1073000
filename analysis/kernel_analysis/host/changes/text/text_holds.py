"""Whether a text may hand on what goes by a name, or set something of it: as a name, as an attribute of whatever, as a
text by which it is looked up, or in a string that is code. Most texts that have a word have it in prose.

Looks at text only: what no rule tells is handed on. It holds wherever a tree would have what counts, and more often.
"""

from __future__ import annotations

import ast
import re

from kernel_analysis.host.changes.text.quoted import code_in
from kernel_analysis.host.changes.text.text_patterns import line_before, only_calls_or_takes, only_says
from kernel_analysis.host.changes.text.text_strings import code, strings
from kernel_analysis.source.text_search.words import has_word, places

_STORED = re.compile(r"[ \t]*=(?!=)")
_LITERAL = re.compile(r"[\"']+(?:\w+\.)*\Z")
_OPENED = re.compile(r"[\s(\\]*(?:\b[a-zA-Z]{1,2})?\Z")
_LONGEST_GAP = 200


def may_give(text: str, name: str, *attributes: str) -> bool:
    """``attributes``: what counts as set of it where it follows the name."""
    if all(_only_looks(text, place, place + len(name), attributes) for place in places(text, name)):
        return False
    plain = code(text, names=True)
    if any(_given(plain, place, place + len(name), attributes) for place in places(plain, name)):
        return True
    found = strings(text)
    return found is None or any(has_word(said, name) and bool(code_in(ast.Constant(said))) for said in found)


def _given(text: str, place: int, end: int, attributes: tuple[str, ...]) -> bool:
    """``text``: code without comments."""
    before = line_before(text, place)
    literal = _LITERAL.search(before) if text[end : end + 1] in ("'", '"') else None
    if literal is None:
        return not _only_looks(text, place, end, attributes)
    # `holder["name"]`, `getattr(holder, "name")`; a part of a longer string may end so.
    start = place - len(before) + literal.start()
    opened = _OPENED.search(text, max(0, start - _LONGEST_GAP), start)
    return opened is None or text[: opened.start()].endswith(("[", ",", '"', "'"))


def _only_looks(text: str, place: int, end: int, attributes: tuple[str, ...]) -> bool:
    """Whether it is called, has something taken of it, or is bound there, whatever it stands in."""
    if only_calls_or_takes(text, end, *attributes):
        return True
    if line_before(text, place).rstrip(" \t").endswith("."):
        return False
    return _STORED.match(text, end) is not None or only_says(text, place, end)
