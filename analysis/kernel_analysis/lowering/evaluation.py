"""While the user's text is evaluated: the compiler's front end computes with a kernel's constants in our own Python.

Says when that is so, to whoever watches the process meanwhile (``agent.sandbox.audit``). Imports nothing of Triton.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

running = [False]
"""The one element, so that a watcher need not look for it."""


class Forbidden(Exception):
    """Python was asked for something that no kernel needs; the message is for the user."""


@contextmanager
def evaluating() -> Generator[None, None, None]:
    """What runs inside was written by the user, or computes with what was."""
    before = running[0]
    running[0] = True
    try:
        yield
    finally:
        running[0] = before


@contextmanager
def ours() -> Generator[None, None, None]:
    """What runs inside is our own again, and not a word of the user's."""
    before = running[0]
    running[0] = False
    try:
        yield
    finally:
        running[0] = before
