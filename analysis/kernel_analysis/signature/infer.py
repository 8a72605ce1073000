"""Signatures to compile a jit function with: one from the best evidence, and more where compile-time branches would
stay unseen.

Reads syntax only. It may guess, but every guess says so in its evidence.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kernel_analysis import paths
from kernel_analysis.host.changes.functions.function_parts import configs_changed, defaults_changed
from kernel_analysis.host.evaluate.argument import NOT_KNOWN, HostArgument
from kernel_analysis.kernels.handed_functions import taken_of
from kernel_analysis.signature import guessed_constants
from kernel_analysis.signature.body import asserted
from kernel_analysis.signature.body.balance import balance
from kernel_analysis.signature.body.clues import uses, with_values
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.choose import choose, descriptor, extents
from kernel_analysis.signature.compile_time import extents_of_one_launch
from kernel_analysis.signature.evidence import alone, callers, fields, objects, passed_functions, pinned
from kernel_analysis.signature.evidence.generated import Generated
from kernel_analysis.signature.evidence.roles import role
from kernel_analysis.signature.evident_values import UNKNOWN, Clue
from kernel_analysis.signature.launches import hooked_blocks, launched
from kernel_analysis.signature.launches.handed_on import handed_on
from kernel_analysis.signature.launches.launch_options import of_launch, options_at, options_of_config
from kernel_analysis.signature.parameter_evidence import Choice, Known, same, spelled
from kernel_analysis.signature.signature_model import Evidence, LaunchOptions, Signature
from kernel_analysis.signature.variants.heuristics import fill
from kernel_analysis.signature.variants.passed import are_rivals, same_compile, together
from kernel_analysis.signature.variants.variants import Variants, concrete, signature
from kernel_analysis.source.comments import pragma_comment
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import AggregateRef, Slice
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.syntax import all_of, descend

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project


_AMD: Final = {"fp8e4b8": "fp8e4nv", "fp8e5b16": "fp8e5"}
"""What NVIDIA's GPUs have for a dtype of AMD's."""


def infer(project: Project, function: JitFunction, slice: Slice) -> list[Signature]:
    """At least one signature, the likeliest first. Constants of the slice that nobody can know are guessed, too."""
    guessed_constants.supply(slice)
    passed = _passed(project, function, slice)
    choices, seen, walk = _likeliest(project, function, slice, passed)
    found = Variants(slice, function, choices, seen, walk).signatures()
    found = [replace(s, launch=of_launch(project, function, slice, s.constants)) for s in found]
    more = _together(project, function, slice, choices, passed)
    found = [_as_passed(s, [other for other in more if same_compile(s, other)]) for s in found]
    found += [s for s in more if not any(same_compile(s, other) for other in found)]
    kernel, helper = _is_kernel(project, function), _is_helper(project, function)
    memory = () if kernel else alone.of_memory(seen, choices)
    return [replace(s, launched=kernel, called=helper, memory=memory) for s in found]


def _as_passed(signature: Signature, alike: list[Signature]) -> Signature:
    """A signature with what the launches in sight say of it that compile to the same."""
    return replace(signature, launches=tuple(launch for other in alike for launch in other.launches))


def _passed(project: Project, function: JitFunction, slice: Slice) -> list[dict[str, HostArgument]]:
    """What the launches in sight pass, by parameter; what launches a helper passes something else."""
    if _is_helper(project, function):
        return []
    return [
        {name: passed_functions.in_slice(argument, slice) for name, argument in launch.items()}
        for launch in launched.in_sight(project, function)
    ]


def _together(
    project: Project,
    function: JitFunction,
    slice: Slice,
    choices: dict[str, Choice],
    arguments: list[dict[str, HostArgument]],
) -> list[Signature]:
    """What the launches and configs in sight pass, each as it stands."""
    if _is_helper(project, function):
        return []
    launches = project.launches_of(function)
    options = [options_at(project, function, slice, launch) for launch in launches]
    places = [launched.place(project, function, launch) for launch in launches]
    count = [launched.counts(project, launch) for launch in launches]
    configs = of_configs(project, function, slice)
    written = parameters.defaults(slice.functions[0].node.args)
    defaults = {
        name: UNKNOWN if _varies(slice, node) else Walk(slice).evaluate(0, {}, node).const
        for name, node in written.items()
    }
    if written and defaults_changed(project.resolver, project.load(function.file), function) is not None:
        defaults = dict.fromkeys(written, UNKNOWN)
    certain = _configs_stand(project, function)
    if not launches:
        return together(choices, [({}, LaunchOptions(), "", True)], configs, {}, certain) if configs else []
    return together(choices, list(zip(arguments, options, places, count, strict=True)), configs, defaults, certain)


def of_configs(project: Project, function: JitFunction, slice: Slice) -> list[tuple[dict[str, Any], LaunchOptions]]:
    """The values that each autotune config in sight sets, and its options."""
    found: list[tuple[dict[str, Any], LaunchOptions]] = []
    for values, around in zip(_configured(project, function, slice), function.config_options, strict=True):
        known = {n: None if a.kind == "none" else a.value for n, a in values.items()}
        found.append((known, options_of_config(project, function, around)))
    return found


def _is_helper(project: Project, function: JitFunction) -> bool:
    return role(function, project.load(function.file).functions) == "helper"


def _is_kernel(project: Project, function: JitFunction) -> bool:
    """Whether it is a kernel for certain. One that nothing is known to launch may be a helper of other files, unless it
    asks which program it is."""
    if _is_helper(project, function):
        return False
    asks = any(n.attr == "program_id" for n in all_of(function.node, ast.Attribute))
    return bool(function.decorated or project.launches_of(function)) or asks


def _likeliest(
    project: Project, function: JitFunction, slice: Slice, passed: list[dict[str, HostArgument]]
) -> tuple[dict[str, Choice], Walk, Walk]:
    """The best choice for every parameter, the walk over all branches, and the one over what is reached under the
    choices."""
    named = fields.passed(passed)
    classes = objects.classes(project, function, slice)
    own = {name: objects.value(slice, name, made) for name, made in classes.items()}
    seen = uses(slice, named, own)
    guessed = fields.used(seen.clues, with_values(slice.functions[0].node))
    if guessed:
        seen = uses(slice, named := {**guessed, **named}, own)
        for name, taken in guessed.items():
            seen.clue(name).named = taken
    helper = _is_helper(project, function)
    known = _knowledge(project, function, slice, seen, helper, passed)
    choices = {name: _placed(_of_target(choose(k), project.hardware.backend), k) for name, k in known.items()}
    for name, choice in choices.items():
        if name in classes:
            choices[name] = objects.chosen(slice, known[name], name, classes[name])
        elif isinstance(choice.type, tuple):
            choice.names = {path: names for path, names in named.items() if paths.owner(path) == name}
    for name, taken in taken_of(function).items():
        _of_members(slice, name, taken, choices[name])
    fill(slice, function, choices)
    if helper:
        callers.apply(project, function, slice, choices, lambda f, s: _called(project, f, s))
    balance(seen, choices)
    _blocks(project, function, known, choices)
    absent = any(value is None for choice in choices.values() for value in choice.constants.values())
    # Without compile-time tests the same code is reached, whatever is passed; `if pointer:` is one for None.
    alike = not seen.branches and not seen.asserts and not absent
    if alike and not seen.sizes:
        return choices, seen, seen
    walk = concrete(slice, signature(choices))
    if asserted.satisfy(slice, function, walk, known, choices) and not alike:
        walk = concrete(slice, signature(choices))
    return choices, seen, seen if alike else walk


def _of_members(slice: Slice, name: str, taken: set[str], choice: Choice) -> None:
    """A constexpr of which methods are called is one of the aggregates in sight that have what is taken of it: the
    one that a launch is likely to pass, then the others."""
    if choice.type != "constexpr" or choice.evidence.fixed:
        return
    members = [slice.members(i) for i in range(len(slice.aggregates))]
    having = [AggregateRef(i) for i, (fields, methods) in enumerate(members) if taken <= fields.keys() | methods.keys()]
    now = choice.constants.get(name)
    if isinstance(now, AggregateRef):
        choice.others += [made for made in having if made != now and made not in choice.others]
    elif having:
        choice.constants[name], choice.others = having[0], list(having[1:])
        detail = f"`{min(taken)}` is taken of it"
        choice.evidence = Evidence("use", detail, False, choice.evidence.line)


def _called(project: Project, function: JitFunction, slice: Slice) -> Walk:
    """What a function passes on under its likeliest signature."""
    choices, seen, walk = _likeliest(project, function, slice, _passed(project, function, slice))
    return concrete(slice, signature(choices)) if walk is seen else walk


def _knowledge(
    project: Project,
    function: JitFunction,
    slice: Slice,
    seen: Walk,
    helper: bool,
    passed: list[dict[str, HostArgument]],
) -> dict[str, Known]:
    """All that is known about each parameter."""
    node = slice.functions[0].node
    defaults = parameters.defaults(node.args)
    launches = [] if helper else project.launches_of(function)
    places = [launched.place(project, function, launch) for launch in launches]
    found: dict[str, Known] = {}
    generated = Generated(node)
    configured = _configured(project, function, slice)
    module = project.load(function.file)
    others = bool(defaults) and defaults_changed(project.resolver, module, function) is not None
    if defaults and not helper and not passed:
        others = others or handed_on(project.resolver, function)
    pins, _ = pinned.read(function, pragma_comment.items(module, function), helper)
    for argument in with_values(node):
        name = argument.arg
        default: Any = UNKNOWN
        if name in defaults:
            default = Walk(slice).evaluate(0, {}, defaults[name]).const
        found[name] = Known(
            name,
            argument.annotation,
            argument.lineno,
            default,
            name in defaults,
            name in defaults and (_varies(slice, defaults[name]) or others),
            seen.clues.get(name, Clue()),
            [launch.get(name) for launch in passed],
            generated.values(name) + _of_configs(function, configured, name, _configs_stand(project, function)),
            {path: clue for path, clue in seen.clues.items() if paths.is_inside(path, name)},
            helper,
            places=places,
            declared=generated.type(name),
            pin=pins.get(name),
        )
    extents_of_one_launch(found)
    return found


def _varies(slice: Slice, node: ast.expr | None) -> bool:
    """Whether a default may be another where the file runs."""
    varies = slice.functions[0].varies
    return node is not None and any(isinstance(n, ast.Name) and n.id in varies for n in descend(node))


def _of_target(choice: Choice, backend: str) -> Choice:
    """A tensor of a dtype that only another target's GPUs have: a launch for those is the only one, or the last."""
    for theirs, ours in _AMD.items() if backend == "cuda" and choice.evidence.kind == "launch" else ():
        if isinstance(choice.type, str) and theirs in choice.type:
            choice.type = choice.type.replace(theirs, ours)
            detail = f"{choice.evidence.detail} on AMD's GPUs"
            choice.evidence = replace(choice.evidence, detail=detail, certain=False)
    return choice


def _placed(choice: Choice, known: Known) -> Choice:
    """The choice, saying where the launch is that it follows from."""
    if choice.evidence.kind == "launch":
        choice.evidence = replace(choice.evidence, place=known.place)
    return choice


def _blocks(project: Project, function: JitFunction, known: dict[str, Known], choices: dict[str, Choice]) -> None:
    """Descriptor types once more, now that the values which their block shapes are made of are chosen."""
    constants = {n: c.constants[n] for n, c in choices.items() if n in c.constants}
    for name, choice in choices.items():
        if isinstance(choice.type, str) and choice.type.startswith("tensordesc") and known[name].pin is None:
            known[name].block = hooked_blocks.hooked_block(project, function, name)
            choice.type = descriptor(known[name], known[name].launch, constants)
            choice.extents = extents(known[name], known[name].launch, constants)
            choice.split = launch.split if (launch := known[name].launch) is not None else None


def _configured(project: Project, function: JitFunction, slice: Slice) -> list[dict[str, HostArgument]]:
    """What each autotune config in sight gives the parameters that it names."""
    configs = launched.configured(project, function)
    return [{name: passed_functions.in_slice(one, slice) for name, one in config.items()} for config in configs]


def _configs_stand(project: Project, function: JitFunction) -> bool:
    """Whether each config in sight is tried in every run."""
    return not function.pruned and configs_changed(project.resolver, function) is None


def _of_configs(
    function: JitFunction, configured: list[dict[str, HostArgument]], name: str, certain: bool
) -> list[tuple[Any, Evidence]]:
    """The values that autotune configs give a parameter."""
    found: list[tuple[Any, Evidence]] = []
    rivals = are_rivals([config.get(name, NOT_KNOWN).value for config in configured])
    for config, values in zip(function.configs, configured, strict=True):
        value = values.get(name)
        if value is None or value.value is UNKNOWN and value.kind != "none":
            continue
        const = None if value.kind == "none" else value.value
        if not any(same(const, v) for v, _ in found):
            detail = f"an autotune config has {spelled(const)}"
            line = getattr(config[name], "lineno", None)
            found.append((const, Evidence("autotune", detail, certain, line, rivals=rivals)))
    return found
