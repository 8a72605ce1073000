"""What a newer Python than the one that parses has for syntax: there is nothing wrong with such a text but the Python
that it is read with. Nor with a template, of which a program makes the text first."""

from __future__ import annotations

import re
import sys
from typing import Final

from kernel_analysis.source.parsing.newer_strings import plain

_LINES: Final = {
    (3, 12): re.compile(
        r"\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[|\s*type\s+[^\W\d]\w*\s*(?:\[.*\]\s*)?=(?!=)"
    ),
    (3, 14): re.compile(r"\s*except\*?\s+[\w.]+\s*,[^()]*:"),
}  # fmt: skip
_FORMATS: Final = re.compile(r"\b[rR]?[fF][rR]?[\"']")
_TEMPLATE: Final = re.compile(r"\{\{|\}\}|\{%|%\}|<%|%>|\$\{")
"""What is no Python, but for two braces, where nobody writes a set of a set or of a dict."""
_OTHER_TEXT: Final = re.compile(r"\'[^\'\\]*(?:\\.[^\'\\]*)*\'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|#.*")
"""Strings that end on the line, and a comment: there, any sign may stand."""


def elsewhere(message: str, line: str, version: tuple[int, ...] = sys.version_info[:2]) -> str | None:
    """Python's message about a line with which nothing is wrong, with the Python that takes it, or that it is of a
    template; None for any other."""
    takes = [since for since, pattern in _LINES.items() if pattern.match(line)]
    if takes and max(takes) > version:
        return newer(message, max(takes), version)
    if not takes and _TEMPLATE.search(_OTHER_TEXT.sub("", line)):
        return f"{message} (it seems to be a template, of which a program makes the Python)"
    return None


def newer(message: str, since: tuple[int, int] = (3, 12), version: tuple[int, ...] = sys.version_info[:2]) -> str:
    """Python's message about what a newer one takes."""
    return f"{message} (Python {_dotted(since)} takes it; it is read with {_dotted(version)})"


def older_text(text: str, version: tuple[int, ...] = sys.version_info[:2]) -> str | None:
    """The text without the f-strings that an older Python doesn't read; None where this one reads what there is."""
    return plain(text) if version < (3, 12) and _FORMATS.search(text) else None


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version[:2]))
