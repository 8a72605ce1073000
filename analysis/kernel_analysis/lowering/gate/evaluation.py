"""While the user's text is evaluated: the compiler's front end computes with a kernel's constants in our own Python.

Marks the stack, for whoever watches the process meanwhile (``agent.sandbox.audit``): what is evaluated runs above a
frame of ``evaluated``, and no text can take that away. Keeps no state, which a text could write. Imports nothing of
Triton.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


EVALUATING: list[CodeType] = []
"""What walks over a kernel's text, beside ``evaluated``: that a text put something in its place does not help it."""
EXECUTING: list[tuple[CodeType, ...]] = []
"""What may execute a text meanwhile, one of its own making: the innermost functions then on the stack. Both are read
once, when the watcher begins."""


class Forbidden(Exception):
    """Python was asked for something that no kernel needs; the message is for the user."""


def evaluated(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls it: what runs inside was written by the user, or computes with what was."""
    return function(*args, **kwargs)


EVALUATING.append(evaluated.__code__)


def methods(*classes: type) -> list[CodeType]:
    """What is written in them, and not in what they are made of."""
    every = (function for one in classes for function in vars(one).values())
    return [function.__code__ for function in every if isinstance(function, FunctionType)]
