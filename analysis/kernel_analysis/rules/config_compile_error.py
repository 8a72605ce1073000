"""``config-compile-error``: the compiler refuses a kernel with the values that an autotune config or a launch sets.
Said there: with other values the kernel compiles. May not compile; whoever did hands in what came of it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Any

from kernel_analysis.dataflow import presentation
from kernel_analysis.facts import Problem
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.signature.parameter_evidence import spelled
from kernel_analysis.signature.variants.set_by_config import ValueSet
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

CODE = "config-compile-error"

_SHOWN = 4


def refused(
    subject: FileSubject, function: JitFunction, slice_: Slice, given: ValueSet, problem: Problem | None, text: str,
    names: Collection[str], instead: Mapping[str, int],
) -> Finding:  # fmt: skip
    """The finding at the config or the launch. ``text``: what the compiler, or its options, say; ``problem``: where;
    ``names``: the values to blame; ``instead``: what would do in place of one."""
    values: dict[str, Any] = {**given.values, **given.options}
    shown = ", ".join(f"{name}={spelled(values[name])}" for name in sorted(names) if name in values)
    if len(names) > _SHOWN or not shown:
        shown = "what it sets"
    what = "config" if given.kind == "config" else "launch"
    message = f"kernel `{function.name}` does not compile with this {what} (`{shown}`): {text}"
    places = presentation.SpanPlaces(slice_, function)
    related = [Related(places.span(problem.at, problem.chain), "the compiler stops here")] if problem else []
    node = _accused(given, names)
    module = subject.module
    own = given.file == module.file
    if not own:
        owner = subject.project.load(given.file)
        related.insert(0, Related(owner.span(given.node), "the config is here"))
    span = module.span(node) if own else function.name_span
    fixes = tuple(
        Fix(f"Write `{name}={number}`", (Edit(module.span(written), str(number)),))
        for name, number in instead.items()
        if own and isinstance(written := given.written.get(name), ast.Constant)
    )
    return Finding(CODE, "error", message, span, tuple(related), fixes)


def _accused(given: ValueSet, names: Collection[str]) -> ast.AST:
    """A launch is long: the one argument that is to blame, where it is written there."""
    written = [given.written[name] for name in names if name in given.written]
    if given.kind == "launch":
        return written[0] if len(written) == 1 else given.node
    return given.node
