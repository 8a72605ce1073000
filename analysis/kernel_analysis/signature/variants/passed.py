"""What launches and configs in sight pass together, as signatures of their own: the likeliest takes each parameter's
value from wherever it is best known, so that no launch may be quite like it.

Reads syntax only. Which of them are worth a compile, the compiler's work shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from kernel_analysis import paths
from kernel_analysis.host.evaluate.argument import HostArgument, alike
from kernel_analysis.signature.body.coverage import PRESENT
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.parameter_evidence import Choice, integer_type, of_integers, same, spelled
from kernel_analysis.signature.signature_model import Evidence, InSight, LaunchOptions, Signature
from kernel_analysis.signature.variants.variants import signature
from kernel_analysis.source.dtypes import LANGUAGE

_MOST: Final = 8
_POINTERS: Final[frozenset[object]] = frozenset(f"*{d}" for d in LANGUAGE.values() if not d.startswith("fp8"))
"""To elements that every GPU has."""
_KINDS: Final[dict[object, str]] = {"i32": "int", "i64": "int", "u64": "int", "fp32": "float", "i1": "bool"}
_NUMBERS: Final = {"float": "fp32", "bool": "i1"}
_SPELLED: Final = {"int": "an integer", "float": "a float", "bool": "a bool"}
SAID: Final = ("launch", "autotune", "heuristics", "default")
"""What a launch in sight has is told by one of these."""
_COMPARED: Final = 256
"""Pairs of a launch and a config that are looked at."""


def together(
    choices: dict[str, Choice],
    launches: Sequence[tuple[Mapping[str, HostArgument], LaunchOptions, str, bool]],
    configs: Sequence[tuple[Mapping[str, Any], LaunchOptions]],
    defaults: Mapping[str, Any],
    certain: bool,
) -> list[Signature]:
    """A signature for each distinct combination. ``launches``: the arguments of each, its options, where it is, and
    whether it counts: of one that never runs, or is to fail, nobody says that what it passes works; ``configs``: the
    values that each sets, and its options; ``certain``: there are no others."""
    found: list[Signature] = []
    looked = 0
    various = _various([arguments for arguments, *_ in launches])
    for arguments, options, place, counts in launches:
        # One that passes what a config sets is of the function itself: no autotuner takes both.
        tuned = not any(values.keys() & _given(arguments) for values, _ in configs)
        for values, chosen in (configs if tuned else ()) or [({}, LaunchOptions(settled=True))]:
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
                passed = arguments.get(name)
                varies = not certain if name in values else passed is not None and (passed.varies or not passed.sure)
                rivals = name in values and are_rivals([config.get(name, UNKNOWN) for config, _ in configs])
                evidence[name] = Evidence(kind, f"{who} {told}", not varies, place=place or None, rivals=rivals)
            unsaid = set(_unsaid(choices, arguments, values, defaults) if counts else choices)
            # Of tuples with other things in them the likeliest signature has one.
            unsaid |= various & arguments.keys() - demand.keys()
            for name in sorted(unsaid):
                # What another launch passes says nothing of this one.
                if evidence[name].kind in SAID:
                    evidence[name] = replace(evidence[name], certain=False, said=False)
            types = dict(made.types)
            for name, type, how in _types(made, arguments):
                types[name], evidence[name] = type, replace(how, place=place or None)
            given = {**options.given, **chosen.given}
            launch = LaunchOptions(given, options.settled and chosen.settled, options.target)
            unsure = [name for name, argument in arguments.items() if argument.varies or not argument.sure]
            in_sight = InSight(tuple(sorted(unsaid)), tuple(sorted({*unsure} - values.keys())))
            made = replace(made, types=types, evidence=evidence, launch=launch, later=True, launches=(in_sight,))
            same_as = next((number for number, other in enumerate(found) if same_compile(made, other)), None)
            if same_as is None:
                found.append(made)
            else:
                found[same_as] = _either(found[same_as], made)
    return found


def _given(arguments: Mapping[str, HostArgument]) -> set[str]:
    """The parameters that a launch passes something for, for certain."""
    return {name for name, argument in arguments.items() if not argument.spread}


def are_rivals(values: Sequence[Any]) -> bool:
    """Whether an autotuner has several values for a parameter, or may have."""
    return len(values) > 1 and any(value is UNKNOWN or not same(value, values[0]) for value in values)


def _either(one: Signature, other: Signature) -> Signature:
    """Of two launches that compile to the same: what one of them says is said."""
    says = {name: other.evidence[name] for name in one.launches[0].unsaid if name not in other.launches[0].unsaid}
    return replace(one, evidence={**one.evidence, **says}, launches=(*one.launches, *other.launches))


def _unsaid(
    choices: Mapping[str, Choice], arguments: Mapping[str, HostArgument], config: Mapping[str, Any],
    defaults: Mapping[str, Any],
) -> Iterator[str]:  # fmt: skip
    """The parameters that a launch has something for that is not known: what it passes, or a default."""
    for name, choice in choices.items():
        argument = arguments.get(name)
        if choice.evidence.kind == "pragma" or name in config:
            continue
        if argument is None or _left_off(name, argument, defaults):
            unknown = defaults.get(name) is UNKNOWN
        elif choice.type == "constexpr":
            unknown = argument.kind != "none" and argument.value is UNKNOWN
        else:
            unknown = argument.kind == "unknown" or argument.kind == "tensor" and argument.dtype is None
            unknown = unknown or argument.kind == "tuple" and not argument.sure
        if unknown:
            yield name


def _various(launches: Sequence[Mapping[str, HostArgument]]) -> set[str]:
    """The parameters for which some launches pass tuples of other things than others do."""
    first: dict[str, HostArgument] = {}
    found: set[str] = set()
    for arguments in launches:
        for name, argument in arguments.items():
            if argument.kind == "tuple" and not alike(argument, first.setdefault(name, argument)):
                found.add(name)
    return found


def _left_off(name: str, argument: HostArgument | None, defaults: Mapping[str, Any]) -> bool:
    """Whether a launch passes nothing for it by name: it has its default."""
    return argument is None or argument.spread and name in defaults


def _types(made: Signature, arguments: Mapping[str, HostArgument]) -> Iterator[tuple[str, str, Evidence]]:
    """What a launch passes that has another type for certain than the likeliest signature says, which goes by another
    launch."""
    for name, argument in arguments.items():
        now, dtype, value = made.types.get(name), argument.dtype, argument.value
        if not argument.sure or argument.varies or made.evidence[name].kind != "launch":
            continue
        if argument.kind == "tensor" and now in _POINTERS and f"*{dtype}" in _POINTERS - {now}:
            yield name, f"*{dtype}", Evidence("launch", f"a launch passes a tensor of {dtype}", True)
        elif argument.kind in _KINDS.values() and _KINDS.get(now) not in (None, argument.kind):
            how = Evidence("launch", f"a launch passes {_SPELLED[argument.kind]}", True)
            if argument.kind == "int":
                how = of_integers(how, name, [value])
            yield name, _NUMBERS.get(argument.kind, integer_type(value)), how


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
        elif argument is None or _left_off(name, argument, defaults):
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
    if a.bound != b.bound:
        return False
    return all(same(value, b.constants[path]) for path, value in a.constants.items())


def passes_alike(a: Signature, b: Signature, name: str) -> bool:
    """Whether both have the same constant for a parameter, if any, and a tensor of the same elements, or a number of
    the same kind."""
    one, other = a.types[name], b.types[name]
    if {one, other} <= _POINTERS and one != other:
        return False
    if not (isinstance(one, str) and isinstance(other, str)):
        return one == other and _constants(a, name) == _constants(b, name)
    if _KINDS.get(one) != _KINDS.get(other):
        return False
    constant = (a.types[name] == "constexpr") == (b.types[name] == "constexpr")
    return constant and _constants(a, name) == _constants(b, name)


def _constants(signature: Signature, name: str) -> dict[str, tuple[type, Any]]:
    return {path: (type(value), value) for path, value in signature.constants.items() if paths.owner(path) == name}
