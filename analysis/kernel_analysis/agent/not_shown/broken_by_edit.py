"""Whether the user's last edits broke a kernel whose error would otherwise be blamed on a guess of ours.

It must have compiled with the very guesses that the error depends on, and the error must be there with others, too:
only then it is not the guesses that the edit proved wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kernel_analysis.agent.kept.last_compiled import Basis, basis
from kernel_analysis.attempt.compile import Work
from kernel_analysis.attempt.signature_text import signature_report
from kernel_analysis.facts import Problem
from kernel_analysis.lowering.message_kinds import same_for_all_sizes
from kernel_analysis.signature.signature_model import ParameterType, Signature

_OTHER_DTYPES = {"fp32": "fp16", "fp16": "fp32", "bf16": "fp32", "fp64": "fp32", "i32": "i64", "i64": "i32"}
_CLASSES = {"fp32": "i32", "fp16": "i32", "bf16": "i32", "fp64": "i64", "i32": "fp32", "i64": "fp32", "i8": "fp16"}


def broken_by_edit(work: Work, signatures: list[Signature], before: list[Basis]) -> Problem | None:
    """The error as the user's, if it is; ``before``: what the function last compiled with."""
    signature = signatures[0]
    problem = work.problem(signature)
    if problem is None or problem.code != "compile-error" or "assertion" in problem.kind.topics:
        return None  # what says which values a kernel is for says nothing about its text
    names = work.blame.guesses_behind(problem, signature)
    now = basis(signature_report(signature, work.slice, 0.0, 0.0, 0))
    if not any(all(name in old and old[name] == now[name] for name in names) for old in before):
        return None
    for other, alike in _others(signature, names):
        found = work.problem(other)
        if found is None or alike and not _alike(found, problem):
            return None
    if work.cut_short:
        return None
    note = "It compiled before the last edits, with the same types and values."
    return replace(problem, hint="\n".join(filter(None, (problem.hint, note))), certain=True)


def _alike(one: Problem, other: Problem) -> bool:
    """Whether it is the same error in the same place, and would be with any sizes."""
    return (one.at, one.chain) == (other.at, other.chain) and same_for_all_sizes(one, other)


def _others(signature: Signature, names: list[str]) -> Iterator[tuple[Signature, bool]]:
    """Signatures with other guesses for the names, and whether the error must be the same with them: with numbers for
    floats and the like, another error may well come first."""
    extents = {n: v for n in names if type(v := signature.constants.get(n)) is int and v > 0}
    yield from _changed(signature, {}, {n: v * 2 for n, v in extents.items()}, True)
    yield from _changed(signature, {}, {n: max(v // 2, 1) for n, v in extents.items()}, True)
    for table, alike in ((_OTHER_DTYPES, True), (_CLASSES, False)):
        types = {name: _with_dtype(signature.types[name], table) for name in names}
        yield from _changed(signature, types, {}, alike)


def _changed(
    signature: Signature, types: dict[str, ParameterType], constants: dict[str, int], alike: bool
) -> Iterator[tuple[Signature, bool]]:
    other = replace(signature, types={**signature.types, **types}, constants={**signature.constants, **constants})
    if (other.types, other.constants) != (signature.types, signature.constants):
        yield other, alike


def _with_dtype(type: ParameterType, table: dict[str, str]) -> ParameterType:
    if isinstance(type, tuple):
        return tuple(_with_dtype(part, table) for part in type)
    return re.sub(r"(?<![a-z])(?:bf|fp|i)\d+(?!\w)", lambda match: table.get(match[0], match[0]), type)
