"""What must be memory that a kernel allocates: the barriers and buffers that Gluon's functions are given.

Nothing of the kind can be handed to a function that is compiled alone. Only votes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.signature.evident_values import EvidentValue

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

Arguments = dict[str, EvidentValue]

_NVIDIA: Final = "triton.experimental.gluon.language.nvidia."
_NAMED: Final = ("mbarrier", "barrier", "result", "src", "dst")
_PLACES: Final = {
    **dict.fromkeys(
        ("async_load", "async_copy_global_to_shared", "async_copy_shared_to_global", "async_store"), (2, 3)
    ),
    **dict.fromkeys(("async_load_im2col", "async_copy_global_to_shared_im2col", "async_gather"), (3, 4)),
    "async_scatter": (3,),
    "warpgroup_mma": (1,),
    "tcgen05_mma": (0, 1, 2),
    "tcgen05_mma_scaled": (0, 1, 2, 3, 4),
    "tcgen05_copy": (0, 1),
    "tcgen05_commit": (0,),
    "try_cancel": (0, 1),
    "load_result": (0,),
}
"""At which places it stands; a function of ``mbarrier`` has it first."""
_METHODS: Final = ("method.load", "method.store")
_PARTS: Final = ("index", "slice")
"""The methods that give a part of it, and that neither tensors nor descriptors have."""


def part(walk: BodyView, function: ast.expr) -> EvidentValue | None:
    """A part of what a method is called of, where only memory has that method."""
    if not isinstance(function, ast.Attribute) or function.attr not in _PARTS or not walk.slice.functions[0].gluon:
        return None
    if not isinstance(function.value, (ast.Name, ast.Attribute)):
        return None  # what a call gives is made by somebody
    owner = walk.expr(function.value)
    if owner.items is not None or owner.static:
        return None
    walk.vote(owner, "memory", 6, f"`.{function.attr}` is taken of it")
    return EvidentValue(origins=owner.origins)


def handed(walk: BodyView, callee: str, name: str, args: list[EvidentValue], keywords: Arguments) -> None:
    """Votes for what is given to a function that takes it; Gluon's descriptors are nothing to load from."""
    if callee in _METHODS and walk.slice.functions[0].gluon:
        walk.vote(args[0], "memory", 6, f"`.{name}` is called of it")
    for value in _given(callee, name, args, keywords) if callee.startswith(_NVIDIA) else ():
        walk.vote(value, "memory", 6, f"{name} takes it as memory that a kernel allocates")


def _given(callee: str, name: str, args: list[EvidentValue], keywords: Arguments) -> Iterator[EvidentValue]:
    barrier = ".mbarrier." in callee and name != "allocate_mbarrier"
    places = (0,) if barrier else (2,) if name.startswith("async_atomic_") else _PLACES.get(name, ())
    if ".ampere.async_copy." in callee:
        places = (0,)
    yield from (args[at] for at in places if at < len(args))
    yield from (keywords[key] for key in _NAMED if key in keywords and (places or barrier))
