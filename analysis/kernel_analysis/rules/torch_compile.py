"""``torch-compile``: what torch refuses of a kernel that it is to compile: under ``wrap_triton``, and where a function
under ``@torch.compile`` launches it. Asked only there; of what is known whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis.host.tensors.called import called, launched_by
from kernel_analysis.host.tensors.certain import library, only
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.host.tensors.launches.named_kernels import WRAPS
from kernel_analysis.host.tensors.placing import place
from kernel_analysis.host.tensors.traced import compiled, obstacles
from kernel_analysis.report import Finding, Related
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.source.module import Module

CODE = "torch-compile"


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each launch in the file that torch is to compile, and of those that what it compiles comes to elsewhere."""
    module = subject.module
    made = compiled(subject.project.resolver, module)

    def of(launch: Certain) -> Iterator[Finding]:
        if not _wrapped(launch) and id(next(reversed(launch.at.functions), None)) not in made.functions:
            return
        where = launch.launch.call.func
        node = where.value if isinstance(where, (ast.Subscript, ast.Attribute)) else where
        yield from _refused(module, node, launch, "")
        if "num_ctas" in launch.named and not launch.stack.tuners:
            message = "torch.compile takes no `num_ctas` at a launch: it goes into a `triton.Config`"
            yield Finding(CODE, "warning", message, module.span(launch.named["num_ctas"]))

    found = subject.of_launches(CODE, of)
    resolver = subject.project.resolver
    for node in made.others:
        at = place(resolver, module, node)
        target = called(at, node) if at is not None else None
        if target is not None and target[0] is not module:
            for launch in launched_by(resolver, *target):
                found += _refused(module, node, launch, f"; `{target[1].name}` launches it")
    return found


def _refused(module: Module, node: ast.AST, launch: Certain, through: str) -> Iterator[Finding]:
    found = list(obstacles(launch.stack))
    for what, where in found if found and launch.happens else ():
        owner = launch.stack.scope.module
        message = f"torch.compile takes no kernel with {what}, which `{launch.function.name}` has{through}"
        yield Finding(CODE, "warning", message, module.span(node), (Related(owner.span(where), f"{what} is here"),))


def _wrapped(launch: Certain) -> bool:
    where = launch.launch.call.func
    target = where.value if isinstance(where, (ast.Subscript, ast.Attribute)) else None
    if isinstance(target, ast.Name):
        found = only(launch.at, target)
        target = found[0].value if found is not None and found[0].how == "assign" else target
    return isinstance(target, ast.Call) and library(launch.at, target.func) in WRAPS
