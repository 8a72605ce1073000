"""Whether a kernel fails in the same way whatever a launch passes: then its text is what is wrong, and no type is
needed to say so.

Tries types; never says so on what it did not try.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from kernel_analysis.facts import Problem, ProblemKind
from kernel_analysis.lowering.message_kinds import is_of_sizes, same_for_all_types
from kernel_analysis.signature.signature_model import ParameterType, Signature
from kernel_analysis.source.dtypes import LANGUAGE

_POINTEES: Final = tuple(dict.fromkeys(LANGUAGE.values()))
_NUMBERS: Final = ("i32", "fp32", "i64")
_EXTENTS: Final = (16, 32, 128)
_STEPS: Final = 3
"""How often all are changed at once."""
_RARE: Final = ("fp8", "i1")
_MOST: Final = 4
"""Parameters that are tried."""
_TUPLES: Final = ("tuple", "tuple_type")


def fails_for_every(
    problem: Problem,
    signature: Signature,
    guesses: list[str],
    tests: set[str],
    of_block: bool,
    is_extent: Callable[[str], bool],
    fails: Callable[[Signature], Problem | None],
) -> bool:
    """Whether nothing that may be passed for the parameters that were guessed makes the problem go away. ``tests``:
    the parameters that decide whether the place is reached; ``of_block``: what lacks something is a block whatever is
    passed; ``is_extent``: whether a constant is an extent and nothing else; ``fails``: what goes wrong under a
    signature."""
    if not signature.launched or problem.code != "compile-error" or _of_others(problem.kind) and not of_block:
        return False
    if not guesses or len(guesses) > _MOST:
        return False
    # A value can decide more than is tried of it; of what is no value all types are.
    constants = [name for name in guesses if signature.types[name] == "constexpr"]
    if constants and is_of_sizes(problem) or any(name in tests or not is_extent(name) for name in constants):
        return False
    trials = [list(_trials(signature, name, name in tests, problem.kind)) for name in guesses]
    if not all(trials):
        return False
    steps = range(min(_STEPS, *map(len, trials))) if len(trials) > 1 else ()
    together = (_at_once(signature, step, guesses, trials) for step in steps)
    if not all(_alike(fails(other), problem, _put(signature, other)) for other in chain(*trials, together)):
        return False
    # What is used as an address may be passed as a number, which fails sooner where an address alone will do.
    if not all(map(fails, _with_addresses(signature, guesses))):
        return False
    # What has two types may be one of two pointers, of which one was taken for a number; a pointer may fail sooner.
    return problem.kind.retyped is None or all(map(fails, _with_pointers(signature, guesses)))


def _with_addresses(signature: Signature, guesses: list[str]) -> Iterator[Signature]:
    """Numbers in the place of pointers: of one, of all."""
    pointers = [name for name in guesses if isinstance(kind := signature.types[name], str) and kind[0] == "*"]
    yield from (_with(signature, name, "i64") for name in pointers)
    if len(pointers) > 1:
        yield replace(signature, types={**signature.types, **dict.fromkeys(pointers, "i64")})


def _with_pointers(signature: Signature, guesses: list[str]) -> Iterator[Signature]:
    """Pointers in the place of numbers: of one, of all."""
    pointers = [kind for name in guesses if isinstance(kind := signature.types[name], str) and kind[0] == "*"]
    pointer = pointers[0] if pointers else "*fp32"
    numbers = [name for name in guesses if signature.types[name] in _NUMBERS]
    yield from (_with(signature, name, pointer) for name in numbers)
    if len(numbers) > 1:
        yield replace(signature, types={**signature.types, **dict.fromkeys(numbers, pointer)})


def _put(signature: Signature, other: Signature) -> list[ParameterType]:
    """The types that another signature has in the place of this one's."""
    return [type for name, type in other.types.items() if type != signature.types[name]]


def same_failure(other: Problem, problem: Problem) -> bool:
    """The same, but for the types that it names."""
    same_place = (other.code, other.at, other.chain) == (problem.code, problem.at, problem.chain)
    return same_place and same_for_all_types(other, problem)


def _alike(other: Problem | None, problem: Problem, put: list[ParameterType]) -> bool:
    """A type that was put there and that few operations take may fail sooner."""
    if other is None or other.code != problem.code:
        return False
    if any(rare in str(type) for type in put for rare in _RARE) or same_failure(other, problem):
        return True
    # What bounds a loop is none of the floats that are tried.
    return "fp32" in put and "loop-bounds" in other.kind.topics


def _of_others(kind: ProblemKind) -> bool:
    """What only some value makes true; what another object than those that are tried may have."""
    return "static-assertion" in kind.topics or kind.lacking is not None and kind.lacking not in _TUPLES


def _trials(signature: Signature, name: str, decides: bool, kind: ProblemKind) -> Iterator[Signature]:
    """Other types of a parameter, where its use says that it is a pointer, a number or an extent. ``decides``: whether
    the place is reached, as a number that is 1 does, which is compiled as a constant. ``kind``: what is wrong is it of
    a pointer, it may be right of a number, unless its use says that it is none."""
    now = signature.types[name]
    if not isinstance(now, str) or signature.evidence[name].kind not in ("use", "launch", "name"):
        return
    if now == "constexpr":
        if type(signature.constants.get(name)) is int:
            for extent in _EXTENTS:
                if extent != signature.constants[name]:
                    yield replace(signature, constants={**signature.constants, name: extent})
    elif re.fullmatch(r"\*\w+", now):
        yield from (_with(signature, name, f"*{dtype}") for dtype in _POINTEES if f"*{dtype}" != now)
        if "pointer-type" in kind.topics and signature.evidence[name].kind != "use":
            yield from (_with(signature, name, dtype) for dtype in _NUMBERS)
    elif now in _NUMBERS:
        # (A bool is an integer, too, and one that Triton makes a mask of.)
        yield from (_with(signature, name, dtype) for dtype in (*_NUMBERS, "i1") if dtype != now)
        if decides:
            yield replace(_with(signature, name, "constexpr"), constants={**signature.constants, name: 1})


def _with(signature: Signature, name: str, type: ParameterType) -> Signature:
    return replace(signature, types={**signature.types, name: type})


def _at_once(signature: Signature, step: int, guesses: list[str], trials: list[list[Signature]]) -> Signature:
    """All of them changed."""
    kinds, constants = dict(signature.types), dict(signature.constants)
    for name, one in zip(guesses, trials, strict=True):
        kinds[name] = one[step].types[name]
        if name in constants:
            constants[name] = one[step].constants[name]
    return replace(signature, types=kinds, constants=constants)
