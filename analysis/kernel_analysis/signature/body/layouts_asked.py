"""Which layouts of Gluon's parameters are: of how many dimensions, of registers or of shared memory; and one of each
kind. Guesses for who says nothing of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernel_analysis.signature.evident_values import NOTHING, Clue, EvidentValue
from kernel_analysis.source.slice import MadeOfTriton

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

_GLUON: Final = "triton.experimental.gluon.language"
_MOST: Final = 4
_RANKS: Final = range(1, _MOST + 1)
_LANES: Final = 32
_WARPS: Final = 4


def asked(walk: BodyView, name: str, layout: EvidentValue, bound: dict[str, EvidentValue]) -> None:
    """Say that a value is the layout in a call of the function ``name``."""
    shape = bound.get("shape", NOTHING).items or bound.get("value", NOTHING).shape or ()
    rank = 2 if name == "SliceLayout" else len(shape) or 1
    if rank <= _MOST:
        kind = "shared" if name == "allocate_shared_memory" else "layout"
        walk.vote(layout, "static", 5, "it is a layout")
        walk.vote(layout, f"{kind} {rank}", 5, "it is a layout")


def guessed(clue: Clue) -> MadeOfTriton | None:
    """A layout of the kind that a parameter is; None if it is none."""
    kinds = [(clue.weight(f"{kind} {rank}"), kind, rank) for kind in ("layout", "shared") for rank in _RANKS]
    weight, kind, rank = max(kinds, key=lambda one: one[0])
    if not weight:
        return None
    order = tuple(range(rank))[::-1]
    ones = (1,) * (rank - 1)
    if kind == "shared":
        return MadeOfTriton(f"{_GLUON}.SwizzledSharedLayout", (1, 1, 1, order))
    return MadeOfTriton(f"{_GLUON}.BlockedLayout", ((1, *ones), (*ones, _LANES), (_WARPS, *ones), order))
