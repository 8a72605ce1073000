"""What the user is told of a launch: what was assumed, and the comment that pins it. Decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernel_analysis.kernels import run_comment
from kernel_analysis.launch.launch_model import LaunchArgument
from kernel_analysis.launch.plan.case import Case


def chosen(first: Case, last: Case) -> list[str]:
    """What was chosen that nothing in the file says. ``last``: the case whose scalars are passed."""
    out: list[str] = []
    numbers = [f"{n}={v}" for n, v in last.scalars.items() if n not in last.why]
    if numbers:
        out.append(f"chosen by name and use: {', '.join(numbers)}")
    signature = first.signature
    guessed = [
        f"{name}: {kind}" if name not in signature.constants else f"{name}={signature.constants[name]!r}"
        for name, kind in signature.types.items()
        if not signature.evidence[name].certain and name not in last.scalars and name not in first.constants
    ]
    if guessed:
        out.append(f"types and constexprs by name and use: {', '.join(guessed)}")
    return out


def comment(case: Case, arguments: Sequence[LaunchArgument], options: Mapping[str, int], autotuned: bool) -> str:
    """The comment that pins this launch. What an autotuner chooses is left to it."""
    items: list[tuple[str, str]] = []
    for argument in arguments:
        if argument.kind in ("scalar", "constexpr") and not isinstance(argument.value, str):
            items.append((argument.name, repr(argument.value)))
        elif argument.kind in ("tensor", "descriptor") and not argument.before:
            shape = ", ".join(map(str, argument.shape or (argument.size,)))
            numbers = {"randint": f"{argument.low:g}, {argument.high + 1:g}, ", "full": f"{argument.low!r}, "}
            maker = "empty" if argument.fill == "poison" else argument.fill
            items.append((argument.name, f"{maker}({numbers.get(argument.fill, '')}{shape}, {argument.type})"))
    items = [(n, v) for n, v in items if n not in case.constants or not autotuned]
    return run_comment.written(case.grid, [*items, *((n, str(v)) for n, v in options.items())])
