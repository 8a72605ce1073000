"""What the kernels of the same file pass to a helper that they call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.signature import spelling
from kernel_analysis.signature.evidence import fields, roles
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.notes import Notes
from kernel_analysis.signature.parameter_evidence import Choice
from kernel_analysis.signature.signature_model import Evidence
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import AggregateRef, FunctionRef, NamedTupleValue, Slice

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

_MOST = 3
"""Callers to look at: each costs as much as a signature of its own."""


def apply(
    project: Project,
    function: JitFunction,
    own: Slice,
    choices: dict[str, Choice],
    seen: Callable[[JitFunction, Slice], Notes],
) -> None:
    """Replace guesses by what a caller passes; ``seen`` walks a caller under its likeliest signature. ``own``: the
    slice of the function itself."""
    functions = project.load(function.file).functions
    static = {parameter.name for parameter in function.parameters if parameter.constexpr}
    direct = [f for f in functions if f.node is not function.node and roles.calls(f.node, function.name)]
    # A helper that only other helpers call is reached through a kernel of the file, if at all.
    callers = [f for f in direct or functions if roles.role(f, functions) == "kernel"]
    if not callers:
        # The file's helpers are for the kernels of other files.
        callers = [f for f in direct if not any(g is not f and roles.calls(g.node, f.name) for g in functions)]
    for caller in callers[:_MOST]:
        try:
            slice = cut(project, caller)
        except NotCut:
            continue  # its own report says why
        index = next((i for i, f in enumerate(slice.functions) if f.node is function.node), None)
        call = next((c for c in seen(caller, slice).calls if c.callee == index), None) if index is not None else None
        if call is None:
            continue
        for name, value in call.arguments.items():
            type = spelling.type_of(value)
            choice = choices.get(name)
            if choice is None or type is None or choice.evidence.fixed or choice.made:
                continue
            if name in static and type != "constexpr":
                continue  # what is computed where it compiles, of its options
            evidence = Evidence("call", f"{caller.name} passes it", False, caller.node.lineno)
            constants: dict[str, Any] = {}
            if type == "constexpr":
                constants[name] = const = _moved(value.const, slice, own)
                if const is UNKNOWN:
                    # What only the caller's slice has: the guess stays, and that it stands for that is said.
                    choices[name] = replace(choice, evidence=evidence)
                    continue
            choices[name] = Choice(type, evidence, constants, choice.others, names=fields.of_value(name, value))
        return


def _moved(value: Any, source: Slice, target: Slice) -> Any:
    """A constant of one slice in another: functions and classes have numbers of their own in each. UNKNOWN for one
    that the other does not have."""
    if isinstance(value, FunctionRef):
        node = source.functions[value.index].node
        return next((FunctionRef(i) for i, f in enumerate(target.functions) if f.node is node), UNKNOWN)
    if isinstance(value, AggregateRef):
        key = source.aggregates[value.index].key
        return next((AggregateRef(i) for i, made in enumerate(target.aggregates) if made.key == key), UNKNOWN)
    if isinstance(value, NamedTupleValue):
        values = _moved(value.values, source, target)
        return values if values is UNKNOWN else replace(value, values=values)
    if isinstance(value, tuple):
        parts: list[Any] = [_moved(part, source, target) for part in cast("tuple[Any, ...]", value)]
        return UNKNOWN if any(part is UNKNOWN for part in parts) else tuple(parts)
    return value
