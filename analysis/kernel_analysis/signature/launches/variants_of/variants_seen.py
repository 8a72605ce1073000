"""How many times the launches in sight have Triton compile a kernel, at least: its binder's key for each as far as it
is known, and what an autotuner tries. Reads what launches pass; counts nothing twice that may be the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from kernel_analysis.host.decorators.layers import Stack
from kernel_analysis.host.evaluate.argument import UNKNOWN, HostArgument, literal
from kernel_analysis.source.kernel import Launch, Parameter

_Part: TypeAlias = "tuple[object, ...] | None"
"""What the key has of one argument; None: not known, so that it may be that of any other launch."""
_BITS = 31
_OPTIONS: Final = {"num_warps": 4, "num_stages": None, "num_ctas": 1}
"""With what every backend of Triton's takes where a launch says nothing; None: each its own."""


def variants(
    known: Stack, never: set[str], unaligned: set[str],
    launches: Sequence[Launch], passed: Sequence[Mapping[str, HostArgument]],
) -> int:  # fmt: skip
    """0 without a launch. ``never``, ``unaligned``: the parameters whose numbers are not looked at, or not for 16."""
    function = known.function
    keys: list[tuple[_Part, ...]] = []
    for launch, arguments in zip(launches, passed, strict=True):
        parts = [_part(p, arguments.get(p.name), never, unaligned) for p in function.parameters]
        keys.append((*parts, *_options(known, launch)))
    distinct = _distinct(keys)
    configs = known.configs() if known.tuners and not _pruned(known) else []
    tried = len({ast.dump(config.node) for config in configs or ()})
    # What the tuner has chosen for one launch is taken for others with the same key of its own.
    return distinct and max(tried, 1) + distinct - 1


def _distinct(keys: Iterable[tuple[_Part, ...]]) -> int:
    """How many differ from all that are counted before them. Of those that are not known in the same places, any two
    do; there may be thousands."""
    seen: set[tuple[_Part, ...]] = set()
    counted: dict[tuple[bool, ...], list[tuple[_Part, ...]]] = {}
    for key in keys:
        if key in seen:
            continue
        seen.add(key)
        unknown = tuple(part is None for part in key)
        others = (other for places, found in counted.items() if places != unknown for other in found)
        if all(_differ(key, other) for other in others):
            counted.setdefault(unknown, []).append(key)
    return sum(map(len, counted.values()))


def _part(parameter: Parameter, argument: HostArgument | None, never: set[str], unaligned: set[str]) -> _Part:
    if argument is None:
        default = parameter.default
        if not isinstance(default, ast.Constant):
            return None
        argument = literal(default.value)
    if argument.varies or argument.optional:
        return None
    if argument.kind == "none":
        return ("none",)
    value = argument.value
    if parameter.constexpr:
        return None if value is UNKNOWN else ("constexpr", type(value).__name__, repr(value))
    if argument.kind == "tensor":
        return None if argument.dtype is None else ("tensor", argument.dtype)
    if argument.kind == "float":
        return ("float",)
    if argument.kind != "int" or not isinstance(value, int) or parameter.annotation is not None:
        return None
    wide = not -(1 << _BITS) <= value < 1 << _BITS
    if parameter.name in never:
        return "int", wide
    return "int", wide, value == 1, value % 16 == 0 and parameter.name not in unaligned


def _options(known: Stack, launch: Launch) -> list[_Part]:
    """The options of the launch as far as they are written out. An autotuner's configs have their own."""
    names = {parameter.name for parameter in known.function.parameters}
    given = {k.arg: k.value for k in launch.call.keywords if k.arg is not None and k.arg not in names}
    found: list[_Part] = []
    for name, usual in _OPTIONS.items():
        value = given.get(name, None if known.tuners or usual is None else ast.Constant(usual))
        found.append(("option", value.value) if isinstance(value, ast.Constant) else None)
    return found


def _differ(one: tuple[_Part, ...], other: tuple[_Part, ...]) -> bool:
    return any(a is not None and b is not None and a != b for a, b in zip(one, other, strict=True))


def _pruned(known: Stack) -> bool:
    return any("prune_configs_by" in (layer.arguments or {"prune_configs_by": None}) for layer in known.tuners)
