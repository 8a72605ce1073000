"""How many elements a tuple parameter has, told by what it must go together with: ``len(indices) == len(strides)``, an
index. Says so to the walk; decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernel_analysis import paths
from kernel_analysis.signature.evident_values import EvidentValue

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

LENGTH: Final = "length"
"""The ``callee`` of how long a tuple is, ``self``."""
SHAPE: Final = "shape"
"""That of the shape of a block, ``self``, of which nothing is known."""
STEP: Final = "step"
"""That of the number of a turn of an unrolled loop, of which one stands for all."""


def measured(value: EvidentValue) -> set[str]:
    """The parameters that are tuples of as many elements as the value has: it is one, or made of the elements of one,
    of which a walk that does not know their number sees the first."""
    if value.items is None:
        direct = value.levels is None and value.shape is None
        return {o.path for o in value.origins if direct and o.depth == 0 and o.addend}
    heads = {paths.around(o.path) for item in value.items for o in item.origins}
    known = {head for head in heads if head is not None}
    return known if len(heads) == len(known) == 1 and all(item.origins for item in value.items) else set()


def at_least(walk: BodyView, value: EvidentValue, length: int) -> None:
    """Say that a tuple has so many elements, or more."""
    for path in measured(value) if walk.counting else ():
        clue = walk.clue(path)
        clue.arity = max(clue.arity, length)
