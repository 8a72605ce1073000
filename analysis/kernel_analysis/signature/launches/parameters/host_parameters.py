"""What a parameter of a host function is: by what stands at it, by its use, by the calls of the function. Nothing holds
Python to an annotation."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import (
    NOT_KNOWN,
    UNKNOWN,
    HostArgument,
    in_question,
    surely,
    unsure,
)
from kernel_analysis.signature.launches import passing, surroundings
from kernel_analysis.signature.launches.frame import Frame
from kernel_analysis.signature.launches.parameters import declared_objects
from kernel_analysis.signature.launches.parameters.asked import asked
from kernel_analysis.signature.launches.parameters.declared import constant, is_very_class, parameter, passed_to
from kernel_analysis.signature.launches.parameters.every_call import every_call
from kernel_analysis.source.tree import parameters, scopes

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

_DEFAULTS: Final = ("dtype", "int", "float", "str", "object")


def of_function(host: EvaluatorView, frame: Frame, node: ast.arg, function: scopes.FunctionNode) -> HostArgument:
    """The parameter ``node`` of the function that the frame is of."""
    found = parameter(node, function)
    if found.kind == "unknown":
        around = frame.parent if isinstance(frame.parent, Frame) else frame
        named = declared_objects.named(host.resolver.evaluator, node.annotation, around.static)
        found = replace(named, optional=found.optional)
    if is_very_class(host, found, node, frame, function) and _agreed(frame, function, node.arg, found):
        found = surely(found)
    uses = asked(function)
    if found.kind == "unknown" and node.arg in uses.tensors:
        found = replace(found, kind="tensor")
    if found.kind == "tensor" and found.dtype is None and node.arg in uses.indices:
        found = replace(found, dtype="i64")
    settled = found.dtype is not None or found.likely is not UNKNOWN
    if settled or found.kind not in ("unknown", "tensor", "int", "float", "dtype", "object"):
        return found
    if frame.callers is None:
        frame.callers = surroundings.callers(frame, function)
    cases = surroundings.cases(frame, function, node.arg)
    if all(case.kind == "dtype" for case in cases):
        cases = cases[:1]  # a test is run with each of them, and the first is as good as another
    calls = cases or [passing.given(entry, node.arg) for entry in frame.callers]
    told = [given for given in calls if given is not None and given.kind != "unknown"]
    told = told or _default(host, frame, function, node.arg)
    return passed_to(found, told) if told else found


def _default(host: EvaluatorView, frame: Frame, function: scopes.FunctionNode, name: str) -> list[HostArgument]:
    """The default of a parameter that no call in sight passes, where that is a name: ``dtype=torch.float16``."""
    written = parameters.defaults(function.args).get(name)
    if written is None or constant(written) is not NOT_KNOWN:
        return []
    with host.resolver.aside(set[str]()):
        found = kinds.of(host.value(written, frame.parent or frame, None))
    return [unsure(found)] if found.kind in _DEFAULTS else []


def _agreed(frame: Frame, function: scopes.FunctionNode, name: str, declared: HostArgument) -> bool:
    """Whether all that the workspace has to pass for a parameter is for sure of the kind that its annotation says."""
    default = parameters.defaults(function.args).get(name)
    if default is not None and constant(default).kind != declared.kind:
        return False
    resolver = frame.host.resolver
    if frame.every is None:
        with resolver.reading() as files:
            frame.every = every_call(frame, function), files
    calls, files = frame.every
    resolver.read(files)
    if calls is None:
        return False
    told = [passing.given(entry, name) for entry in calls]
    return all(
        g is not None and g.kind == declared.kind and g.sure and not (g.optional or in_question(g)) for g in told
    )
