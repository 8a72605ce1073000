"""``torch-compile``: what torch refuses of a kernel that it is to compile: under ``wrap_triton``, and where a function
under ``@torch.compile`` launches it. Asked only there; of what is known whole."""

from __future__ import annotations

import ast

from kernel_analysis.host.tensors.certain import library, only
from kernel_analysis.host.tensors.certain_launches import WRAPS, Certain
from kernel_analysis.host.tensors.traced import compiled, obstacles
from kernel_analysis.report import Finding, Related
from kernel_analysis.rules.subject import FileSubject

CODE = "torch-compile"


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each launch in the file that torch is to compile."""
    found: list[Finding] = []
    inside = compiled(subject.module) if subject.launches else frozenset[int]()
    for launch in subject.launches:
        if not _wrapped(launch) and not any(id(function) in inside for function in launch.at.functions):
            continue
        where = launch.launch.call.func
        node = where.value if isinstance(where, (ast.Subscript, ast.Attribute)) else where
        for what, place in obstacles(launch.stack):
            owner = launch.at.resolver.project.load(launch.function.file)
            message = f"torch.compile takes no kernel with {what}, which `{launch.function.name}` has"
            related = (Related(owner.span(place), f"{what} is here"),)
            found.append(Finding(CODE, "warning", message, subject.module.span(node), related))
        if "num_ctas" in launch.named and not launch.stack.tuners:
            message = "torch.compile takes no `num_ctas` at a launch: it goes into a `triton.Config`"
            found.append(Finding(CODE, "warning", message, subject.module.span(launch.named["num_ctas"])))
    return found


def _wrapped(launch: Certain) -> bool:
    where = launch.launch.call.func
    target = where.value if isinstance(where, (ast.Subscript, ast.Attribute)) else None
    if isinstance(target, ast.Name):
        found = only(launch.at, target)
        target = found[0].value if found is not None and found[0].how == "assign" else target
    return isinstance(target, ast.Call) and library(launch.at, target.func) in WRAPS
