"""What each launch of a kernel passes, by parameter."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.signature.host import NOT_KNOWN, Argument, Host
from kernel_analysis.source import scopes
from kernel_analysis.source.kernel import JitFunction, Launch

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project


def host(project: Project, file: str, scope: tuple[scopes.FunctionNode, ...], line: int) -> Host:
    """What expressions at a line of a file give."""
    return Host(scope, project.load(file).table, line)


def arguments(project: Project, function: JitFunction) -> list[dict[str, Argument]]:
    """For every launch what it passes; a parameter that it leaves out is not there."""
    return [_bind(project, function, launch) for launch in function.launches]


def _bind(project: Project, function: JitFunction, launch: Launch) -> dict[str, Argument]:
    around = host(project, launch.file, launch.scope, launch.call.lineno)
    names = [p.name for p in function.parameters if p.kind == "positional"]
    found: dict[str, Argument] = {}
    spread = False
    position = 0
    for node in launch.call.args:
        if isinstance(node, ast.Starred):
            # From here on, which argument goes where is not known.
            spread = True
            break
        if position < len(names):
            found[names[position]] = around.argument(node)
        position += 1
    for keyword in launch.call.keywords:
        if keyword.arg is None:
            spread = True
        elif any(p.name == keyword.arg for p in function.parameters):
            found[keyword.arg] = around.argument(keyword.value)
    if spread:
        for parameter in function.parameters:
            found.setdefault(parameter.name, NOT_KNOWN)
    return found
