"""A compile that fails on a wrong guess, and the first alternative that compiles, with the real compiler. Chooses
nothing for the repair."""

from __future__ import annotations

from dataclasses import replace

from kernel_analysis.attempt.repairs.repair import repaired
from kernel_analysis.facts import Problem
from kernel_analysis.signature.signature_model import Evidence


def broken(got, types=None, constants=None, certain=()):
    """The first signature with wrong guesses put in, and what the compiler says to it."""
    first = got.first
    evidence = {
        n: Evidence("assumed", "a test says so", n in certain)
        if n in (*(types or {}), *(constants or {}), *certain)
        else e
        for n, e in first.evidence.items()
    }
    wrong = replace(
        first,
        types={**first.types, **(types or {})},
        constants={**first.constants, **(constants or {})},
        evidence=evidence,
    )
    problem = got.lower(wrong)
    assert isinstance(problem, Problem)
    return wrong, problem


def repair(got, wrong, problem):
    """The first alternative that compiles, which there must be."""
    found = repaired(got.slice, wrong, problem, got.attempt)
    assert found is not None
    return found
