"""What a newer Python than the one that parses has for syntax: there is nothing wrong with such a text but the Python
that it is read with."""

from __future__ import annotations

import re
import sys
from typing import Final

_LINES: Final = {
    (3, 12): re.compile(
        r"\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[|\s*type\s+[^\W\d]\w*\s*(?:\[.*\]\s*)?=(?!=)"
    ),
    (3, 14): re.compile(r"\s*except\*?\s+[\w.]+\s*,[^()]*:"),
}  # fmt: skip
_MESSAGES: Final = {(3, 12): re.compile(r"f-string expression part cannot include (?:a backslash|'#')")}


def with_version(message: str, line: str, version: tuple[int, ...] = sys.version_info[:2]) -> str:
    """Python's message about a line, with the Python that takes the line, where that is a newer one."""
    takes = [since for since, pattern in _LINES.items() if pattern.match(line)]
    takes += [since for since, pattern in _MESSAGES.items() if pattern.match(message)]
    if not takes or max(takes) <= version:
        return message
    return f"{message} (Python {_dotted(max(takes))} takes it; it is read with {_dotted(version)})"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version[:2]))
