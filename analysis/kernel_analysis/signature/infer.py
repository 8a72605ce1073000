"""Signatures to compile a jit function with: one from the best evidence, and more where compile-time branches would
stay unseen.

Reads syntax only. It may guess, but every guess says so in its evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernel_analysis.signature import callers, coverage, launched, spelling
from kernel_analysis.signature.balance import balance
from kernel_analysis.signature.choose import choose, descriptor
from kernel_analysis.signature.heuristics import fill
from kernel_analysis.signature.known import Choice, Known, same, spelled
from kernel_analysis.signature.model import Evidence, ParameterType, Signature
from kernel_analysis.signature.roles import role
from kernel_analysis.signature.uses import parameters, uses
from kernel_analysis.signature.values import UNKNOWN, Clue
from kernel_analysis.signature.walk import Walk, parameter_defaults
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project

_MOST = 4
"""Signatures for one function: each costs a compile."""


def infer(project: Project, function: JitFunction, slice: Slice) -> list[Signature]:
    """At least one signature, the likeliest first."""
    choices, walk = _likeliest(project, function, slice)
    found = [signature(choices)]
    reached = coverage.outcomes(walk)
    pending = [walk]
    while pending and len(found) < _MOST:
        last = pending.pop(0)
        for other in _variants(slice, last, choices, reached):
            tried = concrete(slice, other)
            new = coverage.outcomes(tried) - reached
            if new and len(found) < _MOST:
                reached |= new
                found.append(other)
                pending.append(tried)
    return found


def _likeliest(project: Project, function: JitFunction, slice: Slice) -> tuple[dict[str, Choice], Walk]:
    """The best choice for every parameter, and what is reached under them."""
    seen = uses(slice)
    helper = role(function, project.load(function.file).functions) == "helper"
    known = _knowledge(project, function, slice, seen, helper)
    choices = {name: choose(k) for name, k in known.items()}
    fill(slice, function, choices)
    if helper:
        callers.apply(project, function, choices, lambda f, s: _likeliest(project, f, s)[1])
    balance(seen, choices)
    _blocks(project, function, known, choices)
    walk = concrete(slice, signature(choices))
    if _satisfied(slice, walk, choices):
        walk = concrete(slice, signature(choices))
    return choices, walk


def concrete(slice: Slice, signature: Signature) -> Walk:
    """Walk under a signature, so that only what it reaches is seen."""
    walk = Walk(slice)
    walk.run(spelling.arguments(signature))
    return walk


def _knowledge(project: Project, function: JitFunction, slice: Slice, seen: Walk, helper: bool) -> dict[str, Known]:
    """All that is known about each parameter."""
    node = slice.functions[0].node
    defaults = parameter_defaults(node)
    passed = launched.arguments(project, function)
    found: dict[str, Known] = {}
    for argument in parameters(node):
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
            seen.clues.get(name, Clue()),
            [launch.get(name) for launch in passed],
            list(_configured(project, function, name)),
            {path: clue for path, clue in seen.clues.items() if path.startswith(f"{name}[")},
            helper,
        )
    return found


def _blocks(project: Project, function: JitFunction, known: dict[str, Known], choices: dict[str, Choice]) -> None:
    """Descriptor types once more, now that the values which their block shapes are made of are chosen."""
    constants = {n: c.constants[n] for n, c in choices.items() if n in c.constants}
    for name, choice in choices.items():
        if isinstance(choice.type, str) and choice.type.startswith("tensordesc"):
            known[name].block = launched.hooked_block(project, function, name)
            choice.type = descriptor(known[name], known[name].launch, constants)


def _configured(project: Project, function: JitFunction, name: str) -> list[tuple[Any, Evidence]]:
    """The values that autotune configs give a parameter."""
    found: list[tuple[Any, Evidence]] = []
    host = launched.host(project, function.file, (), function.node.lineno)
    for config in function.configs:
        if name in config:
            value = host.argument(config[name])
            if value.value is not UNKNOWN or value.kind == "none":
                const = None if value.kind == "none" else value.value
                if not any(same(const, v) for v, _ in found):
                    found.append(
                        (
                            const,
                            Evidence(
                                "autotune",
                                f"an autotune config has {spelled(const)}",
                                True,
                                getattr(config[name], "lineno", None),
                            ),
                        )
                    )
    return found


def signature(choices: dict[str, Choice], changed: dict[str, tuple[Any, str]] | None = None) -> Signature:
    """The signature of the choices; ``changed``: values in place of the chosen ones, with the reason."""
    kinds: dict[str, ParameterType] = {}
    constants: dict[str, Any] = {}
    evidence: dict[str, Evidence] = {}
    for name, choice in choices.items():
        if changed is not None and name in changed:
            value, reason = changed[name]
            kinds[name], constants[name] = "constexpr", value
            evidence[name] = Evidence("use", reason, False, choice.evidence.line)
        else:
            kinds[name] = choice.type
            constants.update(choice.constants)
            evidence[name] = choice.evidence
    return Signature(kinds, constants, evidence)


def _satisfied(slice: Slice, walk: Walk, choices: dict[str, Choice]) -> bool:
    """Change guessed values so that ``tl.static_assert`` holds; whether any was changed."""
    changed = False
    for failing in walk.asserts:
        if failing.taken is False:
            for name, value in coverage.demands(slice, failing, True).items():
                choice = choices.get(name)
                if choice is not None and choice.type == "constexpr" and not choice.evidence.certain:
                    choice.constants[name] = value
                    choice.evidence = Evidence("use", "tl.static_assert demands it", False, failing.test.lineno)
                    changed = True
    return changed


def _variants(slice: Slice, walk: Walk, choices: dict[str, Choice], reached: set[coverage.Outcome]) -> list[Signature]:
    """Signatures that would reach what the walk missed: all flags turned at once, then one by one."""
    wanted: list[dict[str, Any]] = []
    for branch, way in coverage.missed(walk):
        if (branch.test, way) in reached:
            continue
        demand = {n: v for n, v in coverage.demands(slice, branch, way).items() if _may_be(choices.get(n), n, v)}
        if demand:
            wanted.append(demand)
            continue
        # Not this value, but no other follows from the test: one of those that it is compared with elsewhere.
        for name in coverage.parameters(slice, branch):
            choice = choices.get(name)
            if choice is not None and choice.type == "constexpr":
                wanted += [{name: v} for v in choice.others if isinstance(v, str) and _may_be(choice, name, v)]
    together: dict[str, Any] = {}
    for demand in wanted:
        if not any(n in together for n in demand):
            together.update(demand)
    reason = "to reach another branch"
    demands = [together, *wanted] if len(wanted) > 1 else wanted
    return [signature(choices, {n: (v, reason) for n, v in demand.items()}) for demand in demands]


def _may_be(choice: Choice | None, name: str, value: Any) -> bool:
    """Whether a parameter can have the value: a flag that the launches or configs fix stays."""
    if choice is None:
        return False
    if choice.type != "constexpr":
        return value is None and choice.optional
    if choice.evidence.certain and choice.evidence.kind in ("launch", "autotune"):
        return any(same(value, other) for other in choice.others)
    return True
