"""The shapes of tensor descriptors that a launch passes. Pure."""

from __future__ import annotations

import math

from kernel_analysis.launch.choices import Sizes
from kernel_analysis.launch.plan.known_arguments import Given


def described(name: str, kind: str, given: Given, sizes: Sizes) -> tuple[int, ...]:
    """The shape of the tensor behind a descriptor of this type: as given, else some blocks."""
    rank = len(block(kind))
    if name in given.made and len(given.made[name].shape) == rank:
        return given.made[name].shape
    shape = given.shapes.get(name, ())
    if len(shape) == rank:
        return shape
    return tuple(max(size, -(-sizes.extent // size) * size) if size > 1 else 1 for size in block(kind))


def block(kind: str) -> tuple[int, ...]:
    """The block shape in a descriptor's type."""
    return tuple(int(number) for number in kind[kind.index("[") + 1 : kind.index("]")].split(","))


def strides(shape: tuple[int, ...]) -> list[int]:
    """Those of a tensor that lies one row after the other."""
    return [math.prod(shape[position + 1 :]) for position in range(len(shape))]
