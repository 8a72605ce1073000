"""A signature under which tests go the ways that are wanted, made of one that compiled: for what the text of a kernel
could do and no signature has shown.

Reads syntax only. Changes guesses, and where nothing else leads there also what the launches in sight pass; always as a
guess.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kernel_analysis.signature import coverage, spelling
from kernel_analysis.signature.coverage import PRESENT, Other
from kernel_analysis.signature.known import EXTENT, same
from kernel_analysis.signature.model import Evidence, ParameterType, Signature
from kernel_analysis.signature.notes import Branch
from kernel_analysis.signature.operators import truth
from kernel_analysis.signature.values import UNKNOWN
from kernel_analysis.signature.variants import TO_REACH
from kernel_analysis.source.slice import Slice

_ROUNDS: Final = 6
_POINTER: Final = "*fp32"

Wanted = tuple[ast.expr, bool]
"""A test in the kernel's names, and the way that it should go."""


def reaching(slice: Slice, known: Sequence[Signature], wanted: Sequence[Wanted]) -> Signature | None:
    """A signature under which all tests go their ways, as far as that is plain to see; ``known``: those that compiled.
    None where none is found."""
    for base in known:
        found = _reached(slice, base, known, wanted)
        if found is not None:
            return found
    return None


def _reached(slice: Slice, base: Signature, known: Sequence[Signature], wanted: Sequence[Wanted]) -> Signature | None:
    demand: dict[str, Any] = {}
    for _ in range(_ROUNDS):
        made = _changed(base, demand, known)
        if made is None:
            return None
        env = spelling.arguments(made)
        wrong = False
        for test, way in wanted:
            branch = Branch(0, test, None, env)
            if truth(coverage.value(slice, branch, test)) is way:
                continue
            more = coverage.demands(slice, branch, way)
            more = {path: value for path, value in more.items() if path in base.types}
            if not more:
                return None
            if all(path in demand and same(demand[path], value) for path, value in more.items()):
                return None  # what it asks for does not help
            demand.update(more)
            wrong = True
            break
        if not wrong:
            return made if demand else None
    return None


def _changed(base: Signature, demand: dict[str, Any], known: Sequence[Signature]) -> Signature | None:
    """The signature with other values; None where a parameter can't have the one that is asked for."""
    types: dict[str, ParameterType] = dict(base.types)
    constants = dict(base.constants)
    evidence = dict(base.evidence)
    for name, value in demand.items():
        kind = types[name]
        if isinstance(value, Other):
            if value != PRESENT:
                value = value.among([s.constants.get(name) for s in known])
            elif kind == "constexpr" and (constants.get(name, UNKNOWN) is not None or _constant(name, known)):
                value = constants.get(name) if constants.get(name) is not None else EXTENT
            else:
                present = [s.types[name] for s in known if s.types.get(name) != "constexpr" and name in s.types]
                types[name] = present[0] if present else _POINTER
                constants.pop(name, None)
                evidence[name] = Evidence("use", TO_REACH, False, base.evidence[name].line)
                continue
        if kind != "constexpr" and (value is not None or _is_annotated(evidence[name])):
            return None  # a number that is passed as one is no constant
        types[name] = "constexpr"
        constants[name] = value
        evidence[name] = Evidence("use", TO_REACH, False, base.evidence[name].line)
    return replace(base, types=types, constants=constants, evidence=evidence)


def _is_annotated(evidence: Evidence) -> bool:
    """Whether a kernel's parameter has its type whatever is passed."""
    return evidence.kind == "annotation" and evidence.certain


def _constant(name: str, known: Sequence[Signature]) -> bool:
    """Whether a parameter is a constant, rather than a pointer that is None."""
    return any(s.types.get(name) == "constexpr" and s.constants.get(name) is not None for s in known)
