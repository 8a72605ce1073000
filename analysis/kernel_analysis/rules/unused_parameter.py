"""``unused-parameter``: a constexpr, or an integer that Triton specialises on, that the kernel never mentions: another
value compiles it again to the same. Silent where an autotuner, a heuristic or a grid may be what it is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from kernel_analysis.host.decorators.layers import Stack, stack
from kernel_analysis.kernels.backend_options import COMMON, RESERVED, options
from kernel_analysis.report import Finding
from kernel_analysis.rules.subject import Subject
from kernel_analysis.source.kernel import Parameter
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree.syntax import all_of

CODE = "unused-parameter"

_INTEGERS: Final = re.compile(r"[iu]\d+")
_WORD_IN_QUOTES: Final = re.compile(r"[\"'](?=(\w+)[\"'])")
_LISTS: Final = ("do_not_specialize", "do_not_specialize_on_alignment")


def check(subject: Subject) -> Iterator[Finding]:
    """Of a kernel that compiles: nothing else of its text is in question then."""
    function, report = subject.function, subject.report
    if report.role != "kernel" or not report.signatures:
        return
    body = function.node.body[0].lineno, function.node.body[0].col_offset
    mentioned = {node.id for node in all_of(function.node, ast.Name) if (node.lineno, node.col_offset) >= body}
    absent = [p for p in function.parameters if p.name not in mentioned and _may_be_said(p)]
    known = stack(subject.project.resolver, function) if absent else None
    # A function that names the compiled kernel is given all constants.
    if known is None or any(what in (known.layers[0].arguments or {}) for what in ("repr", "launch_metadata")):
        return
    # What a launch passes for an option sets it, whether the kernel has a parameter of that name or not.
    settings = options(known.resolver) or frozenset[str]()
    for parameter in absent:
        name = parameter.name
        if name in settings or _for_the_host(subject, name) or _for_another(subject, name):
            continue
        if parameter.constexpr:
            again = "each new value of it"
        elif _specialised(subject, known, name):
            again = "a value of 1, or one that 16 divides,"
        else:
            continue
        message = f"{subject.noun} never uses `{name}`, and {again} compiles it again"
        span = next((p.span for p in report.parameters if p.name == name), report.name_span)
        yield Finding(CODE, "hint", message, span)


def _may_be_said(parameter: Parameter) -> bool:
    """Not what is meant to be unused, nor what Triton itself reads."""
    named = parameter.kind != "vararg" and not parameter.name.startswith("_")
    return named and parameter.name not in COMMON | RESERVED


def _specialised(subject: Subject, known: Stack, name: str) -> bool:
    """Whether a launch in sight passes an integer for it that Triton looks at."""
    for signature in subject.report.signatures:
        kind, _, _ = signature.evidence.get(name, ("", "", False))
        if kind != "launch" or not _INTEGERS.fullmatch(str(signature.types.get(name))):
            return False
    given = known.layers[0].arguments
    return given is not None and not any(what in given for what in _LISTS)


def _for_the_host(subject: Subject, name: str) -> bool:
    """Whether a decorator, or whoever launches it, may read it by its name."""
    function, project = subject.function, subject.project
    key = re.compile(rf"[\"']{re.escape(name)}[\"']|\b{re.escape(name)}\b")
    if any(key.search(ast.unparse(decorator)) for decorator in function.node.decorator_list):
        return True
    files = {function.file, *(launch.file for launch in project.launches_of(function))}
    return any(name in project.load(file).keeps(_HostTexts).of(project.load(file)) for file in files)


def _for_another(subject: Subject, name: str) -> bool:
    """Whether a call that launches this kernel or another one, whichever is chosen, passes it for the other."""
    function, project = subject.function, subject.project
    return any(
        kernel.node is not function.node and any(p.name == name for p in kernel.parameters)
        for launch in project.launches_of(function)
        for kernel in project.launched_by(project.load(launch.file), launch.call)
    )


class _HostTexts:
    """The words that are texts in a file's host code: for a grid, an autotuner that is applied by a call, what it
    prints. What stands on other kernels is about those, and what stands in kernels is not the host's."""

    def __init__(self) -> None:
        self._found: frozenset[str] | None = None

    def of(self, module: Module) -> frozenset[str]:
        if self._found is None:
            heads = [(function.node, *function.node.decorator_list) for function in module.functions]
            lines = [(min(n.lineno for n in head), head[0].end_lineno or head[0].lineno) for head in heads]
            inside = {line for first, last in lines for line in range(first, last + 1)}
            found = ((match[1], module.line_of(match.start())) for match in _WORD_IN_QUOTES.finditer(module.text))
            self._found = frozenset(word for word, line in found if line not in inside)
        return self._found

    def forget(self) -> None:
        self._found = None
