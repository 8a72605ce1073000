"""``do-not-specialize``: the list names what is no parameter, which Triton takes in silence, or a constexpr, which it
refuses to compile. Only lists that are known whole are looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis.host.decorators.layers import Stack
from kernel_analysis.host.evaluate.values import Items, plain
from kernel_analysis.host.evaluate.wording import meant
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.source.module import Module

CODE = "do-not-specialize"

_LISTS = ("do_not_specialize", "do_not_specialize_on_alignment")


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each kernel in the file."""
    found: list[Finding] = []
    for known in subject.stacks:
        arguments = known.layers[0].arguments or {}
        for what in _LISTS:
            if what in arguments:
                found += _listed(subject.module, known, what, arguments[what])
    return found


def _listed(module: Module, known: Stack, what: str, node: ast.expr) -> Iterator[Finding]:
    parameters = {p.name: p for p in known.function.parameters}
    names = list(parameters)
    value = known.value(node)
    related = (Related(known.function.name_span, f"kernel `{known.function.name}` is defined here"),)
    if isinstance(value, str):
        message = f"`{what}` is a text: Triton looks for each parameter's name in it; write `[{value!r}]`"
        yield Finding(CODE, "warning", message, module.span(node), related)
        return
    written = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    values = value.values if isinstance(value, Items) else ()
    for number, listed in enumerate(map(plain, values)):
        place = written[number] if len(written) == len(values) else node
        if isinstance(listed, int) and not isinstance(listed, bool):
            if listed >= len(names) or listed < 0:
                message = (
                    f"`{what}` lists the parameter number {listed}; kernel `{known.function.name}` has {len(names)}, "
                )
                message += "from 0, and Triton does nothing with this one"
                yield Finding(CODE, "warning", message, module.span(place), related)
                continue
            listed = names[listed]
        if not isinstance(listed, str):
            continue
        if listed not in parameters:
            close = meant(listed, [name for name, p in parameters.items() if not p.constexpr])
            hint = f"; did you mean `{close}`?" if close else ": Triton does nothing with it"
            message = f"`{listed}` in `{what}` is no parameter of kernel `{known.function.name}`{hint}"
            exact = isinstance(place, ast.Constant) and place.value == listed
            fixes = (Fix(f"Write `{close}`", (Edit(module.span(place), f'"{close}"'),)),) if close and exact else ()
            yield Finding(CODE, "warning", message, module.span(place), related, fixes)
        elif parameters[listed].constexpr:
            message = (
                f"`{listed}` is a `tl.constexpr`: each of its values compiles the kernel again, whatever `{what}` says"
            )
            yield Finding(CODE, "warning", message, module.span(place), related)
