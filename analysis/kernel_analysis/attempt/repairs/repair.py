"""Better guesses after a compile failed: what the message and the place say about the parameters that were only
guessed.

Never touches a parameter whose evidence is certain: an error that these cause is the user's to see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Final, TypeAlias, TypeVar

from kernel_analysis import paths
from kernel_analysis.attempt.repairs.diagnosis import Change, Doctor
from kernel_analysis.attempt.repairs.remedies import REMEDIES
from kernel_analysis.facts import Problem
from kernel_analysis.lowering.message_kinds import same_words
from kernel_analysis.signature import spelling
from kernel_analysis.signature.body.clues import uses
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.constant_items import set_constant
from kernel_analysis.signature.evident_values import UNKNOWN, Clue
from kernel_analysis.signature.fitting import fit
from kernel_analysis.signature.parameter_evidence import same
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature
from kernel_analysis.signature.variants.variants import TO_REACH
from kernel_analysis.source.slice import Slice

T = TypeVar("T")
Repair: TypeAlias = tuple[Problem, Signature, Signature]
"""What went wrong, under which signature, and the one that compiled."""
TRIES: Final = 8
"""How many other signatures are compiled for one function, at most."""


def alternatives(slice: Slice, signature: Signature, problem: Problem) -> list[Signature]:
    """Other signatures worth a try, the likeliest first; none when nothing that was guessed has a part in the
    problem."""
    found: list[Signature] = []
    for change in _changes(Doctor(slice, signature, problem)):
        if not change or signature.launched and any(_is_block(type) for type, _ in change.values()):
            continue
        if any(
            type == "constexpr" and _is_of_run_time(signature, path, value) for path, (type, value) in change.items()
        ):
            continue
        other = _changed(signature, change)
        if not all(_is_named(other, path, names) for path, names in signature.names.items()):
            continue
        if all(other.types != s.types or not same_constants(other, s) for s in (signature, *found)):
            found.append(other)
    # What host code passes is given up last, and where flags do not go together, those that a signature was made for.
    asserted, absent = "assertion" in problem.kind.topics, "none" in problem.kind.topics
    kept = [
        name
        for name, evidence in signature.evidence.items()
        if asserted
        and evidence.detail == TO_REACH
        or _is_passed(signature, name)
        and not (absent and signature.constants.get(name, UNKNOWN) is None)
    ]
    return sorted(found, key=lambda other: any(other.evidence[n] is not signature.evidence[n] for n in kept))


def _is_of_run_time(signature: Signature, path: str, value: object) -> bool:
    """Whether a launch passes a number there, which Triton compiles as a constant only where it is 1."""
    evidence = signature.evidence[paths.owner(path)]
    number = signature.types.get(path) in ("i32", "i64", "u64", "fp32") and evidence.kind == "launch"
    return number and isinstance(value, int | float) and value != 1


def _is_passed(signature: Signature, name: str) -> bool:
    """Whether a value, or an element type, was not made up: a launch passes it, or may. Of a flag it is only known that
    it is one."""
    value, evidence = signature.constants.get(name), signature.evidence[name]
    kept = isinstance(value, (int, str)) and not isinstance(value, bool)
    return evidence.passed or evidence.kind == "launch" and kept


def repaired(
    slice: Slice,
    signature: Signature,
    problem: Problem,
    lower: Callable[[Signature], T | Problem],
    earlier: list[Repair] | None = None,
) -> T | None:
    """Try alternatives, and alternatives of those that come further, until one compiles or ``TRIES`` are spent.
    ``earlier``: the repairs of other signatures, to which this one is added; what mended the same is tried first."""
    seen = [signature]
    queue: list[tuple[int, Signature, Problem]] = [(0, signature, problem)]
    tries = 0
    alike = (repair for repair in reversed(earlier or ()) if _is_alike(repair[0], problem))
    other = next((carried(signature, before, after) for _, before, after in alike), signature)
    if other.types != signature.types or not same_constants(other, signature):
        seen.append(other)
        result = lower(other)
        if not isinstance(result, Problem):
            return result
        if not _is_alike(result, problem):
            queue.insert(0, (1, other, result))
    while queue and tries < TRIES:
        depth, base, why = queue.pop(0)
        for other in alternatives(slice, base, why):
            if any(other.types == s.types and same_constants(other, s) for s in seen):
                continue
            seen.append(other)
            tries += 1
            result = lower(other)
            if not isinstance(result, Problem):
                if earlier is not None:
                    earlier.append((problem, signature, other))
                return result
            if not _is_alike(result, why):
                # Another error: this guess was right as far as it went.
                queue.insert(0, (depth + 1, other, result))
                break
            if tries >= TRIES:
                break
        else:
            continue
        queue.append((depth, base, why))
    return None


def _is_alike(one: Problem, other: Problem) -> bool:
    """Whether the same goes wrong at the same place."""
    return (one.at, one.chain) == (other.at, other.chain) and same_words(one, other)


def _changes(doctor: Doctor) -> Iterator[Change]:
    topics = doctor.problem.kind.topics
    seen = uses(doctor.slice)
    walk = Walk(doctor.slice, trace=True)
    walk.run(spelling.arguments(doctor.signature))
    suspects = doctor.suspects(walk)
    made_up = doctor.calls_made_up()
    for name, count in made_up:
        for function in doctor.functions(count):
            yield {name: ("constexpr", function)}
    if made_up:
        # Mostly nothing that could be made up fits.
        yield from doctor.flags(walk)
    # The flags around the place come in early: what is wrong may be which branch is compiled.
    remedies = chain.from_iterable(
        remedy(doctor, walk, seen, suspects) for topic, remedy in REMEDIES if topic in topics
    )
    yield from islice(remedies, 3)
    yield from doctor.flags(walk)
    yield from remedies
    yield from doctor.loops(walk)
    for name in suspects:
        yield from doctor.rotate(name, seen.clues.get(name, Clue()))


def same_constants(a: Signature, b: Signature) -> bool:
    """Whether the compile-time values are the same; ``True`` is not ``1`` here."""
    return a.constants.keys() == b.constants.keys() and all(same(v, b.constants[k]) for k, v in a.constants.items())


def carried(other: Signature, before: Signature, after: Signature) -> Signature:
    """Another signature of the same function with what repairing ``before`` to ``after`` changed, where it guessed
    the same."""
    change: Change = {}
    for name, type in after.types.items():
        now = after.constants.get(name)
        moved = type != before.types[name] or not same(now, before.constants.get(name))
        if (
            moved
            and other.types[name] == before.types[name]
            and same(other.constants.get(name), before.constants.get(name))
        ):
            change[name] = (type, now)
    launch = after.launch if other.launch == before.launch else other.launch
    bound = after.bound if other.bound == before.bound else other.bound
    return replace(_changed(other, change), launch=launch, bound=bound)


def _is_named(signature: Signature, path: str, names: tuple[str, ...]) -> bool:
    """Whether a tuple with names for its elements has as many as names."""
    kind = paths.type_at(signature.types[paths.owner(path)], paths.indices(path))
    return not isinstance(kind, tuple) or len(kind) == len(names)


def _is_block(type: ParameterType) -> bool:
    return isinstance(type, str) and "[" in type and not type.startswith("tensordesc")


def _changed(signature: Signature, change: Change) -> Signature:
    kinds, constants, evidence = dict(signature.types), dict(signature.constants), dict(signature.evidence)
    for path, (type, value) in change.items():
        name = paths.owner(path)
        kinds[name] = paths.with_type(kinds[name], paths.indices(path), type)
        constants.pop(path, None)
        if type == "constexpr":
            set_constant(kinds, constants, path, value)
        before = evidence[name]
        evidence[name] = Evidence("assumed", "other guesses do not compile", False, before.line)
    fit(kinds, constants, signature.extents, change.keys())
    return replace(signature, types=kinds, constants=constants, evidence=evidence)
