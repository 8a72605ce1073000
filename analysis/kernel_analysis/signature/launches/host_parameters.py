"""What a parameter of a host function is: by what stands at it, by its use, by the calls of the function. Nothing holds
Python to an annotation."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.argument import UNKNOWN, HostArgument, surely
from kernel_analysis.signature.launches import passing, surroundings
from kernel_analysis.signature.launches.asked import asked
from kernel_analysis.signature.launches.declared import is_very_class, parameter, passed_to
from kernel_analysis.source import scopes

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.constants import Evaluator
    from kernel_analysis.signature.launches.frame import Frame


def of_function(host: Evaluator, frame: Frame, node: ast.arg, function: scopes.FunctionNode) -> HostArgument:
    """The parameter ``node`` of the function that the frame is of."""
    found = parameter(node, function)
    if is_very_class(host, found, node, frame, function):
        found = surely(found)
    uses = asked(function)
    if found.kind == "unknown" and node.arg in uses.tensors:
        found = replace(found, kind="tensor")
    if found.kind == "tensor" and found.dtype is None and node.arg in uses.indices:
        found = replace(found, dtype="i64")
    settled = found.dtype is not None or found.likely is not UNKNOWN
    if settled or found.kind not in ("unknown", "tensor", "int", "float"):
        return found
    if frame.callers is None:
        frame.callers = surroundings.callers(frame, function)
    cases = surroundings.cases(frame, function, node.arg)
    calls = cases or [passing.given(entry, node.arg) for entry in frame.callers]
    told = [given for given in calls if given is not None and given.kind != "unknown"]
    return passed_to(found, told) if told else found
