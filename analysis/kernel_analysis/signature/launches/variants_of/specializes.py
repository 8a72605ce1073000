"""What a launch may change of a kernel's arguments so that Triton compiles it again: as its binder specialises them.
Reads the decorators and the types that the kernel was compiled with; nothing without them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kernel_analysis.host.decorators.layers import Stack
from kernel_analysis.host.evaluate.argument import HostArgument

_INTEGER: Final = re.compile(r"[iu](?!1$)\d+")
_NONE: Final = ("do_not_specialize", "do_not_specialize_on_alignment")


def specializes(
    known: Stack, types: Mapping[str, Any], launches: Sequence[Mapping[str, HostArgument]] = ()
) -> dict[str, list[str]]:
    """The parameters by what compiles the kernel again: ``value``: each value of it; ``one``: whether it is 1;
    ``sixteen``: whether 16 divides it, or its address; ``type``: its dtype, or how many bits a number takes; ``none``:
    whether it is None, of those that ``launches``, the arguments of each, or defaults say may be. Empty where a list
    of the decorator is not known."""
    lists = not_specialized(known)
    if lists is None:
        return {}
    never, unaligned = lists
    found: dict[str, list[str]] = {"value": [], "one": [], "sixteen": [], "type": [], "none": []}
    for parameter in known.function.parameters:
        name, kind = parameter.name, types.get(parameter.name)
        if parameter.constexpr:
            found["value"].append(name)
            continue
        passed = [arguments[name].kind for arguments in launches if name in arguments]
        if "none" in passed or isinstance(parameter.default, ast.Constant) and parameter.default.value is None:
            found["none"].append(name)
        integer = isinstance(kind, str) and _INTEGER.fullmatch(kind) is not None
        pointer = isinstance(kind, str) and kind.startswith("*")
        if not integer and not pointer:
            continue
        if parameter.annotation is None or pointer:
            found["type"].append(name)
        if name not in never:
            found["one"] += [name] if integer else []
            found["sixteen"] += [name] if name not in unaligned else []
    return {what: listed for what, listed in found.items() if listed}


def not_specialized(known: Stack) -> tuple[set[str], set[str]] | None:
    """The parameters whose numbers are not looked at, and those that are not looked at for 16; None where a list of the
    decorator is not known."""
    arguments = known.layers[0].arguments
    names = [parameter.name for parameter in known.function.parameters]
    lists = [_listed(known, arguments.get(what), names) if arguments is not None else None for what in _NONE]
    never, unaligned = lists
    return None if never is None or unaligned is None else (never, unaligned)


def _listed(known: Stack, node: Any, names: list[str]) -> set[str] | None:
    if node is None:
        return set()
    listed = known.listed(node)
    if listed is None:
        return None
    return {names[one] if isinstance(one, int) and one < len(names) else str(one) for one in listed}
