"""The numbers that a launch passes: those that are given, else chosen by name and type. Pure."""

from __future__ import annotations

from typing import Any

from kernel_analysis import paths
from kernel_analysis.launch.choices import Sizes
from kernel_analysis.signature.signature_model import Signature


def scalars(signature: Signature, values: dict[str, Any], sizes: Sizes) -> tuple[dict[str, Any], set[str]]:
    """The value of every parameter that is a number at run time, elements of tuples included; and which of them are
    chosen."""
    found: dict[str, Any] = {}
    chosen: set[str] = set()
    strides = sizes.strides([n for n, k in signature.types.items() if isinstance(k, str) and k.startswith("i")])

    parameters = [leaf for name, kind in signature.types.items() for leaf in paths.leaves(name, kind, {})]
    for name, kind in parameters:
        if kind.startswith(("*", "tensordesc", "constexpr")):
            continue
        if type(values.get(name)) in (int, float, bool):
            found[name] = values[name] if not kind.startswith("i") else int(values[name])
        else:
            found[name] = strides[name] if name in strides else sizes.scalar(paths.owner(name), kind)
            chosen.add(name)
    return found, chosen


def covered(found: dict[str, Any], values: dict[str, Any], extents: dict[str, int], sizes: Sizes) -> dict[str, int]:
    """Smaller values for chosen scalars that are extents of which one block covers only so many elements. Where the
    launch is small, they leave a part of the block out, so that masks matter."""
    return {
        name: reach if sizes.large else max(1, reach * 3 // 4)
        for name, reach in extents.items()
        if name not in values and found.get(name, 0) > reach
    }
