"""What to change where sizes follow from of which type something is, and that was made up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from kernel_analysis.attempt.repairs.diagnosis import Change, Doctor
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.parameter_evidence import FLOAT32
from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.slice import TritonObject

_ASKED: Final = ("dtype", "element_ty")


def asked_for(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """``32 if x.dtype == tl.uint8 else 16``: everything of which no launch in sight says the type has the one that is
    asked for, on the way to the error."""
    functions = {max(at.function, 0) for at in (doctor.problem.at, *doctor.problem.chain)}
    nodes = (node for index in sorted(functions) for node in doctor.slice.functions[index].nodes)
    tests = [n for n in nodes if isinstance(n, ast.Compare) and getattr(n.left, "attr", None) in _ASKED]
    asked = [n.attr for test in tests for n in test.comparators if isinstance(n, ast.Attribute)]
    made_up = [name for name in doctor.pointers(doctor.everyone()) if not doctor.evidence(name).passed]
    for dtype in dict.fromkeys(LANGUAGE[name] for name in asked if name in LANGUAGE):
        yield {name: doctor.with_dtype(name, dtype) for name in made_up}


def wanted(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A dtype is wanted."""
    for name in suspects if "none" not in doctor.problem.kind.topics else ():
        if doctor.type(name) in ("constexpr", "i32") and not isinstance(
            doctor.signature.constants.get(name, UNKNOWN), TritonObject
        ):
            yield {name: ("constexpr", FLOAT32)}
