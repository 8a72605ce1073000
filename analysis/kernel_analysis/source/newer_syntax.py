"""What a newer Python than the one that parses has for syntax: there is nothing wrong with such a text but the Python
that it is read with. Nor with a template, of which a program makes the text first."""

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
_TEMPLATE: Final = re.compile(r"\{\{|\}\}|\{%|%\}|<%|%>|\$\{")
"""What is no Python, but for two braces, where nobody writes a set of a set or of a dict."""
_OTHER_TEXT: Final = re.compile(r"\'[^\'\\]*(?:\\.[^\'\\]*)*\'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|#.*")
"""Strings that end on the line, and a comment: there, any sign may stand."""


def elsewhere(message: str, line: str, version: tuple[int, ...] = sys.version_info[:2]) -> str | None:
    """Python's message about a line with which nothing is wrong, with the Python that takes it, or that it is of a
    template; None for any other."""
    takes = [since for since, pattern in _LINES.items() if pattern.match(line)]
    takes += [since for since, pattern in _MESSAGES.items() if pattern.match(message)]
    if takes and max(takes) > version:
        return f"{message} (Python {_dotted(max(takes))} takes it; it is read with {_dotted(version)})"
    if not takes and _TEMPLATE.search(_OTHER_TEXT.sub("", line)):
        return f"{message} (it seems to be a template, of which a program makes the Python)"
    return None


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version[:2]))
