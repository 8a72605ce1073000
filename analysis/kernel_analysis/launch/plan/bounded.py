"""The addresses that a launch under certain values touches, or why none can be made. Chooses nothing."""

from __future__ import annotations

import math
from typing import Any

from kernel_analysis.facts import ParameterFacts
from kernel_analysis.launch import choices
from kernel_analysis.launch.bounds.integers import Pointer, Value
from kernel_analysis.launch.bounds.linear_forms import Form, atom
from kernel_analysis.launch.bounds.reach import bounded
from kernel_analysis.launch.bounds.touched import TooHard, TooLong, Touch, Touched
from kernel_analysis.launch.launch_model import LaunchRefused
from kernel_analysis.launch.plan import descriptor_shapes
from kernel_analysis.launch.plan.compiled import CompiledKernel, CompiledVersion
from kernel_analysis.launch.plan.grid_size import Grid
from kernel_analysis.launch.plan.known_arguments import Given
from kernel_analysis.launch.plan.machine_limits import TooBig


def touched(
    compiled: CompiledKernel,
    version: CompiledVersion,
    scalars: dict[str, Any],
    grid: Grid,
    given: Given,
    sizes: choices.Sizes,
) -> Touched:
    """Raises TooBig; Refused where it can't be followed, unless every pointer's tensor is pinned."""
    signature = version.signature
    values, loads = _entry(version, scalars, given, sizes)
    try:
        return bounded(version.ir, values, grid, loads)
    except TooLong as error:
        raise TooBig("bounding its addresses takes too long") from error
    except TooHard as error:
        pointers = [n for n, k in signature.types.items() if isinstance(k, str) and k.startswith("*")]
        missing = tuple(name for name in pointers if name not in given.made)
        if pointers and not missing:
            return Touched()
        raise _refused(compiled, str(error), missing) from error


def refuse_unbounded(compiled: CompiledKernel, touches: list[Touch], given: Given) -> None:
    """Raises Refused for an access that no buffer can be made for."""
    nested = next((touch.base.lstrip("*") for touch in touches if touch.base.startswith("**")), None)
    if nested is not None:
        raise _refused(compiled, f"`{nested}` holds addresses of buffers that hold addresses", (nested,))
    for touch in touches:
        base = touch.base.lstrip("*")
        if math.isfinite(touch.low) and math.isfinite(touch.high) or base in given.made:
            continue
        span = compiled.slice.span(touch.at)
        place = f" at line {span.line}" if span is not None else ""
        where = None if span is None else (span.file, span.line)
        name, reason = base, "it follows from values that can't be bounded"
        if touch.cause.startswith("loaded "):
            name = touch.cause.removeprefix("loaded ").lstrip("*")
            reason = f"it follows from numbers in `{name}`, which the kernel itself writes"
        elif touch.cause == "turn":
            reason = "it grows in a loop of which nothing bounds the number of turns"
        raise _refused(compiled, f"the address of `{base}`{place} has no bound, because {reason}", (name,), where)


def _entry(
    version: CompiledVersion, scalars: dict[str, Any], given: Given, sizes: choices.Sizes
) -> tuple[list[Value], dict[str, tuple[int, int] | None]]:
    """The values of the entry function's arguments, and the range of the integers in each buffer."""
    ir, types = version.ir, version.signature.types
    entry = ir.functions[ir.entry]
    by_name = {parameter.name: parameter for parameter in version.facts.parameters}
    values: list[Value] = []
    seen: dict[str, int] = {}
    loads: dict[str, tuple[int, int] | None] = {}
    for name, kind in zip(entry.parameters, entry.argument_types, strict=True):
        position = seen[name] = seen.get(name, -1) + 1
        if "tensordesc" in kind:
            values.append((Pointer(name, Form()),))
        elif "!tt.ptr" in kind:
            values.append((Pointer(name, Form()),))
            parameter = by_name.get(name)
            loads[name], loads[f"*{name}"] = None if parameter is None else _content(parameter), None
        elif position:  # a descriptor's shape, then its strides
            shape = descriptor_shapes.described(name, str(types[name]), given, sizes)
            values.append(Form([*shape, *descriptor_shapes.strides(shape)][position - 1]))
        elif name in scalars and kind.startswith("i"):
            number = int(scalars[name])
            values.append(atom(number, number, name))
        else:
            values.append(None)
    return values, loads


def _content(parameter: ParameterFacts) -> tuple[int, int] | None:
    """The range of the integers that the buffer will hold."""
    kind, low, high = choices.fill(parameter.type.lstrip("*k"), parameter.read.verdict, parameter.write.verdict)
    return (int(low), int(high)) if kind == "randint" else None


def _refused(
    compiled: CompiledKernel, why: str, missing: tuple[str, ...], where: tuple[str, int] | None = None
) -> LaunchRefused:
    return LaunchRefused(f"No safe launch of `{compiled.function.qualname}` can be made: {why}.", missing, where)
