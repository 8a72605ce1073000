"""All that the commands print. What comes from a user's files, their names included, can't steer the terminal, nor the
machine that keeps the log of a check.

May not know what it prints.
"""

from __future__ import annotations

import os
import re
import shutil
import sys

# Control characters but tab and newline, what ends a line elsewhere, what turns the direction of a text, and the halves
# of characters that stand for bytes that are no UTF-8. No escape sequence begins without one of them.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# GitHub takes a command at the beginning of a line, and of an older kind anywhere, as Azure and TeamCity do.
_COMMAND = re.compile(r"^[ \t]*:(?=:)|##(?=\w*\[)", re.MULTILINE)
_SEVERITY = re.compile(r"^([^\n]*?:\d+:\d+: )(error|warning|information|hint)\b", re.MULTILINE)
_COLOURS = {"error": "1;31", "warning": "1;33", "information": "34", "hint": "2"}
_WIDTH = 79


def harmless(text: str) -> str:
    """The text with such characters spelled as Python spells them; lines stay lines."""
    return _UNSEEN.sub(_spelled, text)


def told(text: str) -> str:
    """Such a text of which no line is a command for a service that runs checks, either."""
    return _COMMAND.sub(lambda match: f"{match[0][:-1]}\\x{ord(match[0][-1]):02x}", harmless(text))


def one_line(text: str) -> str:
    """A name, which may hold a line end, too."""
    return harmless(text).replace("\n", "\\n").replace("\t", "\\t")


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file's name (PEP 383)
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"  # JSON holds DEL as it is, and knows the second only


def say(text: str, end: str = "\n", commands: bool = False) -> None:
    """What was asked for, as text for people. ``commands``: or for such a service, which has to take them."""
    shown = harmless(text) if commands else told(text)
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        shown = _SEVERITY.sub(lambda match: f"{match[1]}\x1b[{_COLOURS[match[2]]}m{match[2]}\x1b[0m", shown)
    _write(shown + end)


def width() -> int:
    """How many columns there are for what is said; 0: as many as it takes."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def hand_over(text: str, end: str = "\n") -> None:
    """What was asked for, for a program: as it is, unless a terminal would take it."""
    _write((harmless(text) if sys.stdout.isatty() else text) + end)


def complain(message: str) -> None:
    """On standard error, whatever was asked for."""
    print(told(f"triton-ls: {message}"), file=sys.stderr)


def show_progress(line: str) -> None:
    """A line on the terminal that is rewritten, empty at the end; nothing when nobody watches."""
    if sys.stderr.isatty():
        shown = one_line(line)[:_WIDTH]
        print(f"\r{shown:<{_WIDTH}}" + ("" if shown else "\r"), end="", file=sys.stderr, flush=True)


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        # A terminal or pipe of another encoding than UTF-8.
        encoding = sys.stdout.encoding
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
