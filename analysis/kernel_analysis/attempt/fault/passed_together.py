"""Whether launches in sight pass together what an error depends on: whoever wrote the kernel is blamed for nothing that
nobody passes. Compiles only by what it is given for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kernel_analysis.attempt.fault.blame import Blame
from kernel_analysis.attempt.fault.fails_for_all_types import same_failure
from kernel_analysis.facts import Problem
from kernel_analysis.signature.launches.launch_options import asks
from kernel_analysis.signature.signature_model import LaunchOptions, Signature
from kernel_analysis.signature.variants.passed import SAID, passes_alike
from kernel_analysis.signature.variants.variants import TO_REACH
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree import parameters

Wrong = Callable[[Signature], Problem | None]
"""What goes wrong under a signature."""


def is_passed(
    problem: Problem, signature: Signature, together: Sequence[Signature], blame: Blame, slice_: Slice, wrong: Wrong
) -> bool:
    """Whether some launch passes together what the problem depends on; ``together``: what each in sight passes. Where
    none is in sight, one may; but that there is one which passes another thing than a default is for nobody to say."""
    # What was only turned to reach the place.
    turned = [
        n for n in blame.deciding(problem) & signature.evidence.keys() if signature.evidence[n].detail == TO_REACH
    ]
    if not together:
        return parameters.defaults(slice_.functions[0].node.args).keys().isdisjoint(turned)
    deciding = blame.deciding(problem)
    names = blame.behind(problem) | deciding
    certain = [name for name, evidence in signature.evidence.items() if name in names and evidence.certain]
    # That another launch is sure to pass the same says nothing of this one.
    by_launches = {name for name in certain if signature.evidence[name].kind in SAID}
    alike = [
        other
        for other in together
        for launch in other.launches
        if by_launches.isdisjoint(launch.unsure)
        and all(name not in launch.unsaid and passes_alike(signature, other, name) for name in certain)
        and all(_may_pass(signature, other, name, launch.unsaid) for name in turned)
        and all(_settles(other, name, launch.unsaid) for name in deciding & other.constants.keys())
    ]
    return any(_as_launched(problem, signature, other.launch, slice_, wrong) for other in alike)


def _settles(launched: Signature, name: str, unsaid: tuple[str, ...]) -> bool:
    """Whether what a launch has for the constant is that in every run, or may be anything by what the code says: what
    another file may change blames nobody."""
    evidence = launched.evidence[name]
    return name in unsaid or evidence.fixed or evidence.kind not in SAID


def _may_pass(signature: Signature, launched: Signature, name: str, unsaid: tuple[str, ...]) -> bool:
    """Whether a launch may have what a signature has for the parameter, as far as the launch says."""
    return name in unsaid or launched.evidence[name].kind not in SAID or passes_alike(signature, launched, name)


def _as_launched(problem: Problem, signature: Signature, launch: LaunchOptions, slice_: Slice, wrong: Wrong) -> bool:
    """Whether the problem is there with the options of a launch, too: the likeliest signature may have the arguments of
    one and the options of another."""
    if launch.given == signature.launch.given or not (slice_.functions[0].gluon or asks(slice_)):
        return True
    own = wrong(replace(signature, launch=replace(signature.launch, given=launch.given)))
    return own is not None and same_failure(own, problem)
