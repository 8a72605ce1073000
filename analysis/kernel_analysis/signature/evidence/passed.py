"""What launches and configs in sight pass together, as signatures of their own: the likeliest takes each parameter's
value from wherever it is best known, so that no launch may be quite like it.

Reads syntax only. Which of them are worth a compile, the compiler's work shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from kernel_analysis import paths
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.signature.body.coverage import PRESENT
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.parameter_evidence import Choice, same, spelled
from kernel_analysis.signature.signature_model import Evidence, LaunchOptions, Signature
from kernel_analysis.signature.variants.variants import signature

_MOST: Final = 8
_COMPARED: Final = 256
"""Pairs of a launch and a config that are looked at."""


def together(
    choices: dict[str, Choice],
    launches: Sequence[tuple[Mapping[str, HostArgument], LaunchOptions, str]],
    configs: Sequence[tuple[Mapping[str, Any], LaunchOptions]],
    defaults: Mapping[str, Any],
    certain: bool,
) -> list[Signature]:
    """A signature for each distinct combination. ``launches``: the arguments of each, its options, and where it is;
    ``configs``: the values that each sets, and its options; ``certain``: there are no others."""
    found: list[Signature] = []
    looked = 0
    for arguments, options, place in launches:
        for values, chosen in configs or [({}, LaunchOptions(settled=True))]:
            looked += 1
            if len(found) == _MOST or looked > _COMPARED:
                return found
            demand = _demand(choices, arguments, values, defaults)
            made = signature(choices, demand)
            evidence = dict(made.evidence)
            for name, value in demand.items():
                told = "a tensor" if value == PRESENT else spelled(value)
                who = "an autotune config has" if name in values else "a launch passes"
                kind = "autotune" if name in values else "launch"
                varies = not certain if name in values else name in arguments and arguments[name].varies
                evidence[name] = Evidence(kind, f"{who} {told}", not varies, place=place or None)
            given = {**options.given, **chosen.given}
            launch = LaunchOptions(given, options.settled and chosen.settled, options.target)
            made = replace(made, evidence=evidence, launch=launch, later=True, together=True)
            if not any(same_compile(made, other) for other in found):
                found.append(made)
    return found


def _demand(
    choices: Mapping[str, Choice], arguments: Mapping[str, HostArgument], config: Mapping[str, Any],
    defaults: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """The values that differ from the likeliest ones."""
    demand: dict[str, Any] = {}
    for name, choice in choices.items():
        if choice.evidence.kind == "pragma":
            continue
        argument = arguments.get(name)
        value: Any = UNKNOWN
        if name in config:
            value = config[name]
        elif argument is None:
            value = defaults.get(name, UNKNOWN)
        elif argument.kind == "none":
            value = None
        elif choice.type == "constexpr" and choice.constants.get(name) is None and argument.kind == "tensor":
            value = PRESENT if choice.present is not None else UNKNOWN
        elif choice.type == "constexpr":
            value = argument.value
        if value is UNKNOWN or choice.type != "constexpr" and value is not None:
            continue
        if value is None and choice.type != "constexpr" and not choice.optional:
            continue
        if value == PRESENT or choice.type != "constexpr" or not same(value, choice.constants.get(name, UNKNOWN)):
            demand[name] = value
    return demand


def same_compile(a: Signature, b: Signature) -> bool:
    """Whether two signatures compile to the same."""
    if a.types != b.types or a.constants.keys() != b.constants.keys() or a.launch.given != b.launch.given:
        return False
    return all(same(value, b.constants[path]) for path, value in a.constants.items())


def passes_alike(a: Signature, b: Signature, name: str) -> bool:
    """Whether both have the same constant for a parameter, if any."""
    return (a.types[name] == "constexpr") == (b.types[name] == "constexpr") and _constants(a, name) == _constants(
        b, name
    )


def _constants(signature: Signature, name: str) -> dict[str, tuple[type, Any]]:
    return {path: (type(value), value) for path, value in signature.constants.items() if paths.owner(path) == name}
