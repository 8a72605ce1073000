"""Which parameters are named tuples, and what their fields are called: by what a launch passes, else by what the body
takes of them.

Names only; what a field is, is known as of any element of a tuple.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from kernel_analysis import paths
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.signature.evidence.annotations import is_constexpr
from kernel_analysis.signature.evident_values import Clue, EvidentValue

Names: TypeAlias = "dict[str, tuple[str, ...]]"
"""The names of the fields, by the path of the tuple: a parameter, or an element of one."""


_OF_CONSTANTS: Final = frozenset(
    [
        "value",
        "type",
        "dtype",
        "scalar",
        "name",
        "itemsize",
        "kind",
        "primitive_bitwidth",
        "element_ty",
        "fp_mantissa_width",
        "exponent_bias",
        "int_bitwidth",
        "int_signedness",
        "parent",
        "dim",
        "rank",
        "order",
        "size_per_thread",
        "threads_per_warp",
        "warps_per_cta",
    ]
)
"""What constants, dtypes and layouts have themselves."""


def passed(launches: Iterable[Mapping[str, HostArgument]]) -> Names:
    """Of what the launches pass; the first that says any counts."""
    found: Names = {}
    for launch in launches:
        for name, argument in launch.items():
            if name not in found:
                found.update(_of_argument(name, argument))
    return found


def used(clues: Mapping[str, Clue], parameters: Iterable[ast.arg]) -> Names:
    """Of parameters about which nothing else is known than that attributes are taken of them, which neither tensors nor
    descriptors have. What a method is called of may be any object: no function is made up for it."""
    known = {a.arg: clues[a.arg] for a in parameters if a.arg in clues and _may_have_fields(a, clues[a.arg])}
    return {
        name: tuple(clue.fields) for name, clue in known.items() if clue.fields and not clue.votes and not clue.methods
    }


def _may_have_fields(parameter: ast.arg, clue: Clue) -> bool:
    if is_constexpr(parameter.annotation):
        return not clue.fields.keys() & _OF_CONSTANTS
    return parameter.annotation is None


def of_value(path: str, value: EvidentValue) -> Names:
    """Of what a caller passes."""
    found: Names = {path: value.names} if value.names and value.made is None else {}
    for index, item in enumerate(value.items or ()):
        found.update(of_value(paths.element(path, index), item))
    return found


def _of_argument(path: str, argument: HostArgument) -> Names:
    found: Names = {path: argument.names} if argument.names else {}
    for index, item in enumerate(argument.items or ()):
        found.update(_of_argument(paths.element(path, index), item))
    return found
