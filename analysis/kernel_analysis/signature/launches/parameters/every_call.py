"""Every call that the workspace has of a host function, where all that may call it is plain to see: only then do its
callers say what it is given in every run.

Which calls these are is ``host``'s; what a call passes is the evaluator's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernel_analysis.host.tensors.every_use import Unseen, every_use
from kernel_analysis.source.tree import nodes, scopes
from kernel_analysis.source.tree.forms import start_of

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import Entry, Frame

_MOST_CALLS: Final = 16


def every_call(frame: Frame, function: scopes.FunctionNode) -> list[Entry] | None:
    """Its calls; None where there may be others, or more than are followed. ``frame``: of the function."""
    found: list[Entry] = []
    try:
        for other, at, call in every_use(frame.host.resolver, frame.module, function):
            if not frame.levels or len(found) == _MOST_CALLS:
                return None
            around = nodes.functions_of(at.around)
            found.append((frame.host.frame(other.file, around, start_of(call), frame.levels - 1), call, function))
    except Unseen:
        return None
    return found
