"""Whether a text may have an aggregate whose objects have operators of their own in kernels.

Looks at text only, quickly and not sparingly; but the word in a sentence is none in code.
"""

from __future__ import annotations

import re
from keyword import kwlist, softkwlist

from kernel_analysis.source.text_search.attribute_stores import in_comment

OPERATOR_NAMES = frozenset(
    f"__{prefix}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")
    for prefix in ("", "r")
) | {f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert", "not", "getitem")}
"""The special methods of an aggregate that Triton calls in kernels."""
OPERATORS = "aggregate()"
"""Among the attributes that a file could set: it has such a class."""
_AGGREGATE = re.compile(r"aggregate\b(?:(?<!\waggregate)|(?<=_aggregate)(?<!\w_aggregate))")
_METHOD = r"(?:__(?!(?:init|all|doc|file|main|name|path|slots|version)__)\w+__|logical_(?:and|or))"
_OPERATOR = re.compile(rf"\bdef\s+{_METHOD}\b|\b{_METHOD}\s*=(?!=)|[\"']{_METHOD}[\"']")
_WORD_BEFORE = re.compile(r"(\w+)[ \t]+_?aggregate\Z")
_WORD_AFTER = re.compile(r"[ \t]+(\w+)")
_KEYWORDS = frozenset((*kwlist, *softkwlist, "type")) - {"def"}
_OWN = re.compile(r"\bself[ \t]*\.[ \t]*_?aggregate\Z")
_GAP = 60
_HAD = re.compile(
    r"import\b[^\n(]*(?:\([^)]*)?\b_?aggregate\b|\b(?!self\b|cls\b)\w+\s*\.\s*_aggregate\b"
    r"|\b(?:language|tl|t?t?gl|gluon)\s*\.\s*aggregate\b|getattr\([^\n)]*_?aggregate[\"']"
)
_IMPORTS = re.compile(r"\bimport\b[ \t]*(?:\([^)]*\)|[^\n\\]*)")
_RENAMED = re.compile(r"aggregate\s+as\b(?!\s+_?aggregate\b)")
_HANDED_ON = re.compile(
    r"getattr\([^\n)]*_?aggregate[\"']|(?<!def )(?<![\w.@])(?!self\.|cls\.)(?:\w+\.)*_?aggregate\s*[,)\]}(]"
    r"|[=:]\s*(?:\w+\.)*_?aggregate[ \t]*(?:\n|#|;|\Z|if\b|or\b)"
)
"""By another name, as a value, or called: what another file has may make such a class by no word of this kind."""


def is_special(name: str) -> bool:
    """Whether a class of a user's that has this is none that Triton's aggregates are told by: Python may call it
    wherever an object is made, its fields are read, or it is handed on."""
    return name.startswith("__") and name != "__init__" and name not in OPERATOR_NAMES


def marks(text: str) -> frozenset[str]:
    """``OPERATORS``, or nothing."""
    if "aggregate" not in text or not any(_in_code(found) for found in _AGGREGATE.finditer(text)):
        return frozenset()
    may_have = _OPERATOR.search(text) is not None or _hands_on(text)
    return frozenset((OPERATORS,)) if may_have else frozenset()


def _hands_on(text: str) -> bool:
    if "triton" not in text and "gluon" not in text and _RENAMED.search(text) is None or _HAD.search(text) is None:
        return False
    rest = _IMPORTS.sub("", text)
    found = ((text, _RENAMED), (rest, _HANDED_ON))
    return any(not in_comment(where, match.start()) for where, form in found for match in form.finditer(where))


def _in_code(found: re.Match[str]) -> bool:
    """Whether it may be Triton's there: of two words side by side one is a keyword in code, a function that is defined
    is another, and a method's own object has it of who sets it there."""
    text, end = found.string, found.end()
    start = text[max(0, end - _GAP) : end]
    before = _WORD_BEFORE.search(start)
    if _OWN.search(start) is not None:
        return False
    beside = [word[1] for word in (before, _WORD_AFTER.match(text, end)) if word is not None]
    return _KEYWORDS.issuperset(beside) and not in_comment(text, found.start())
