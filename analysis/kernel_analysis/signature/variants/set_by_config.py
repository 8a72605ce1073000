"""What a config or a launch in sight sets, constexpr values and options, as a signature to be compiled by itself. What
it does not set is of the signature that the kernel was compiled with, and a guess.

Reads syntax only; a value that may be another is not one that is set.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from kernel_analysis import paths
from kernel_analysis.host.decorators.configs import for_parameters
from kernel_analysis.host.decorators.layers import Stack
from kernel_analysis.host.evaluate.argument import HostArgument, alike
from kernel_analysis.host.evaluate.values import plain
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.record import record
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evidence import passed_functions
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.fitting import fit
from kernel_analysis.signature.launches import launched
from kernel_analysis.signature.launches.launch_options import asks, options_at, options_of_config
from kernel_analysis.signature.parameter_evidence import same, spelled
from kernel_analysis.signature.signature_model import Evidence, LaunchOptions, ParameterType, Signature
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import start_of

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

_FIXED: Final = ("annotation", "pragma", "default")
"""Evidence that holds whatever a launch passes."""


@record
class ValueSet:
    """``values``: what is set for certain, with where; of those in ``elsewhere`` nothing is written there. ``node``:
    the config or the call, in ``file``. ``options``: as far as they are known."""

    kind: Literal["config", "launch"]
    file: str
    node: ast.expr
    values: Mapping[str, Any]
    written: Mapping[str, ast.expr]
    options: Mapping[str, int]
    signature: Signature


def of_configs(project: Project, known: Stack, slice_: Slice, base: Signature) -> list[ValueSet]:
    """One for each config of the autotuner; none where they are not all known, or where code drops some."""
    function = known.function
    if any("prune_configs_by" in (layer.arguments or {}) for layer in known.tuners):
        return []
    around = launched.frame(project, known.scope.module.file, (), start_of(function.node))
    names = [parameter.name for parameter in function.parameters]
    agreed = _agreed(project, known, base)
    found: list[ValueSet] = []
    for config in known.chosen() or ():
        assert config.written is not None
        values: dict[str, Any] = {}
        for name, node in for_parameters(config, names).items():
            argument = passed_functions.in_slice(around.argument(node), slice_)
            value = None if argument.kind == "none" else argument.value
            if name in names and value is not UNKNOWN and (value is None or base.types.get(name) == "constexpr"):
                values[name] = value  # what is no constexpr has a type
        options = options_of_config(project, function, config.options)
        written = {**config.written.values, **config.written.options}
        made = _made(base, values, agreed, "autotune", _settings(slice_, options))
        if made is not None:
            found.append(
                ValueSet("config", config.written.file, config.written.node, values, written, options.given, made)
            )
    return found


def of_launch(project: Project, launch: Certain, slice_: Slice, base: Signature) -> ValueSet | None:
    """What a launch of a kernel without an autotuner sets; None where it may be for another kind of argument than
    the kernel was compiled for."""
    function = launch.function
    if launch.starred or launch.spread or launch.stack.tuners:
        return None
    values: dict[str, Any] = {}
    written: dict[str, ast.expr] = {}
    given = dict(launch.given())
    filled = launch.stack.heuristics()
    if filled is None:
        return None
    bound = {parameter.name: node for parameter, node in given.items()}
    defaults = parameters.defaults(slice_.functions[0].node.args)
    for parameter in function.parameters:
        name = parameter.name
        if name in filled:
            continue
        if name in bound:
            value = _constant(launch, bound[name])
            if parameter.constexpr and value is not UNKNOWN or value is None:
                values[name], written[name] = value, bound[name]
            elif not parameter.constexpr and base.types.get(name) == "constexpr":
                return None
        elif parameter.constexpr and name in defaults:
            value = Walk(slice_).evaluate(0, {}, defaults[name]).const
            if value is not UNKNOWN and not any(
                isinstance(n, ast.Name) and n.id in slice_.functions[0].varies for n in ast.walk(defaults[name])
            ):
                values[name] = value
    options = options_at(project, function, slice_, launch.launch)
    written.update({name: launch.named[name].value for name in options.given if name in launch.named})
    types = _same_types(project, launch, base)
    made = _made(base, values, types, "launch", _settings(slice_, options))
    if made is None:
        return None
    return ValueSet("launch", launch.at.scope.module.file, launch.launch.call, values, written, options.given, made)


def _settings(slice_: Slice, options: LaunchOptions) -> LaunchOptions:
    """The options, where what is compiled may depend on them."""
    return options if asks(slice_) or slice_.functions[0].gluon else replace(options, given={}, settled=True)


def _constant(launch: Certain, node: ast.expr) -> Any:
    """The one value that an argument has."""
    if any(isinstance(inner, ast.Name) and inner.id in launch.at.hidden for inner in ast.walk(node)):
        return UNKNOWN
    with launch.at.resolver.noting() as notes:
        value = plain(launch.at.resolver.evaluator.evaluate(node, launch.at.scope, launch.at.order))
    known = value is None or isinstance(value, (bool, int, float, str))
    return value if known and not notes else UNKNOWN


def _made(
    base: Signature, values: Mapping[str, Any], agreed: frozenset[str], kind: Literal["autotune", "launch"],
    options: LaunchOptions,
) -> Signature | None:  # fmt: skip
    types: dict[str, ParameterType] = dict(base.types)
    constants = dict(base.constants)
    evidence: dict[str, Evidence] = {}
    for name, before in base.evidence.items():
        stays = before.kind in _FIXED or name in agreed
        evidence[name] = replace(before, certain=before.certain and stays, said=before.said and stays)
    for name, value in values.items():
        if name not in types or evidence[name].kind == "pragma":
            return None
        types[name] = "constexpr"
        constants = {path: known for path, known in constants.items() if paths.owner(path) != name}
        constants[name] = value
        who = "an autotune config has" if kind == "autotune" else "a launch passes"
        evidence[name] = Evidence(kind, f"{who} {spelled(value)}", True)
    fit(types, constants, base.extents, values.keys())
    options = replace(options, target=base.launch.target)
    return replace(base, types=types, constants=constants, evidence=evidence, launch=options, later=False)


def _agreed(project: Project, known: Stack, base: Signature) -> frozenset[str]:
    """The parameters for which all launches in sight pass the same."""
    every = launched.in_sight(project, known.function)
    return _alike(every, every[0], base) if every else frozenset()


def _same_types(project: Project, launch: Certain, base: Signature) -> frozenset[str]:
    """The parameters for which all launches in sight pass what this one does."""
    own = launched.at(project, launch.function, launch.launch)
    return _alike(launched.in_sight(project, launch.function), own, base)


def _alike(every: list[dict[str, HostArgument]], own: Mapping[str, HostArgument], base: Signature) -> frozenset[str]:
    """Whether all pass a thing of the same kind; for a constant the same value, which is known."""

    def kinds() -> Iterator[str]:
        for name, argument in own.items():
            passed = [other.get(name) for other in every]
            if any(p is None or not alike(p, argument) for p in passed):
                continue
            known = argument.kind == "none" or argument.value is not UNKNOWN
            if base.types.get(name) != "constexpr" or known and all(same(p.value, argument.value) for p in passed if p):
                yield name

    return frozenset(kinds())
