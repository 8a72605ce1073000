"""What a file's text says of code, as a text or as an object: that it reads such, and that it runs what it makes of it.
Quickly, and not sparingly."""

from __future__ import annotations

import re

READS_CODE = "source()"
"""Among the attributes that a file could set: it reads the text of code."""
RUNS_CODE = "module()"
"""Among the attributes that a file could set: it runs what is made of texts, or of files."""
_READS = (
    "getsource", "findsource", "getfile", "getblock", "get_source", "get_data", "linecache", "co_filename", "raw_src",
)  # fmt: skip
_OPENS = ("open(", "read_text", "read_bytes")
"""What any program does with files: of code, where the same text runs what is made of texts."""
_MAKES_MODULES = (
    "exec_module", "load_module", "load_source", "module_from_", "spec_from_", "SourceLoader", "SourceFileLoader",
    "PyCodeCache", "runpy", "runsource", "execfile",
)  # fmt: skip
# (Each begins with a literal: others take ten times as long to search for.)
_EXEC = re.compile(r"exec(?:(?<![\w.\"'`]exec)(?=\s*[(),\]\n])|(?<=builtins\.exec)|(?<=[\"']exec)\()")
_OBJECT = re.compile(r"__code__(?!\s*(?:\.\s*co_|=[^=]))")
"""The code of a function as a value: what is made of that is the same function among other names."""
_COMPILE = re.compile(r"compile\((?<![\w.]compile\()")


def marks(text: str) -> set[str]:
    """Which of the two it does. (``eval`` runs no function's text.)"""
    runs = any(word in text for word in _MAKES_MODULES) or _has(text, "exec", _EXEC) or _has(text, "compile(", _COMPILE)
    reads = any(word in text for word in (*_READS, *_OPENS) if runs or word in _READS)
    if _has(text, "__code__", _OBJECT):
        runs = reads = True
    return ({RUNS_CODE} if runs else set[str]()) | ({READS_CODE} if reads else set[str]())


def _has(text: str, word: str, pattern: re.Pattern[str]) -> bool:
    return word in text and pattern.search(text) is not None
