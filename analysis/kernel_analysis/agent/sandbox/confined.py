"""Which files the agent itself opens for a text: those that Landlock leaves it, also before that is in force and where
there is none.

Says which; ``files`` holds it. May open nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from kernel_analysis.agent.sandbox import readable


class Confined:
    """Whether a file is in one of the places, by where its name leads."""

    def __init__(self, workspace: Iterable[str], installed: Iterable[str]) -> None:
        self._installed = tuple(installed)
        self._near = _real(readable.readable(workspace, ()))
        self._far: frozenset[str] | None = None
        self._with_triton = False

    def __call__(self, file: str) -> bool:
        real = os.path.realpath(file)
        if _is_in(real, self._near):
            return True
        with_triton = "triton" in sys.modules  # where that really is, is known then
        if self._far is None or with_triton != self._with_triton:
            self._with_triton = with_triton
            self._far = _real(readable.readable((), self._installed))
        return _is_in(real, self._far)


def _real(places: Iterable[str]) -> frozenset[str]:
    return frozenset(map(os.path.realpath, places))


def _is_in(file: str, places: frozenset[str]) -> bool:
    here: str = file
    while here not in places:
        outer: str = os.path.dirname(here)
        if outer == here:
            return False
        here = outer
    return True
