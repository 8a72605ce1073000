"""Whether a text may have an aggregate whose objects have operators of their own in kernels.

Looks at text only, quickly and not sparingly.
"""

from __future__ import annotations

import re

OPERATORS = "aggregate()"
"""Among the attributes that a file could set: it has such a class."""
_AGGREGATE = re.compile(r"aggregate\b(?:(?<=[@.\s,_(]aggregate)|(?<=[@.\s,_(]_aggregate))")
_METHOD = r"(?:__(?!(?:init|all|doc|file|main|name|path|slots|version)__)\w+__|logical_(?:and|or))"
_OPERATOR = re.compile(rf"\bdef\s+{_METHOD}\b|\b{_METHOD}\s*=(?!=)|[\"']{_METHOD}[\"']")


def marks(text: str) -> frozenset[str]:
    """``OPERATORS``, or nothing."""
    if "aggregate" not in text or _AGGREGATE.search(text) is None or _OPERATOR.search(text) is None:
        return frozenset()
    return frozenset((OPERATORS,))
