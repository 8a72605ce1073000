"""For what a kernel is compiled again, and how many variants the launches in sight make: found out once for the same
host code. Reads what launches pass."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kernel_analysis.host.decorators.layers import Stack
from kernel_analysis.signature.launches import launched
from kernel_analysis.signature.launches.variants_of.specializes import not_specialized, specializes
from kernel_analysis.signature.launches.variants_of.variants_seen import variants
from kernel_analysis.source.kernel import JitFunction

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project


def specialized(
    project: Project, function: JitFunction, known: Stack, types: Mapping[str, Any]
) -> tuple[dict[str, list[str]], int]:
    """``known``: what stands on it; ``types``: those that it is compiled with."""
    parameters = ast.unparse(function.node.args)

    def find() -> tuple[dict[str, list[str]], int]:
        launches, passed = project.launches_of(function), launched.in_sight(project, function)
        lists = not_specialized(known)
        return specializes(known, types, passed), variants(known, *lists, launches, passed) if lists else 0

    return project.host_text.kept(function, ("specializes", parameters, repr(types)), find)
