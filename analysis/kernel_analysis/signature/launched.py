"""What each launch of a kernel passes, by parameter."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from kernel_analysis.signature.argument import NOT_KNOWN, Argument
from kernel_analysis.signature.host import Host
from kernel_analysis.signature.surroundings import host
from kernel_analysis.signature.values import TORCH_DTYPES
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.slice import TorchDtype
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project


def arguments(project: Project, function: JitFunction, launches: list[Launch]) -> list[dict[str, Argument]]:
    """For every launch what it passes; a parameter that it leaves out is not there."""
    return [_bind(project, function, launch) for launch in launches]


def host_of(project: Project, launch: Launch) -> Host:
    """What expressions at a launch give."""
    around = host(project, launch.file, launch.scope, launch.call.lineno)
    if launch.via is not None:
        around.entry = (host_of(project, launch.via), launch.via.call, launch.scope[-1])
    return around


def place(project: Project, function: JitFunction, launch: Launch) -> str:
    """Where a launch is, for people."""
    file, line = launch.place
    return f"line {line}" if file == function.file else f"{project.relative(file)}:{line}"


def hooked_block(project: Project, function: JitFunction, name: str) -> tuple[int | str | None, ...]:
    """The block shape that a hook of the autotuner gives a descriptor: ``nargs["a_desc"].block_shape =
    [nargs["BLOCK_M"], 64]``."""
    module = project.load(function.file)
    if ".block_shape" not in module.text:
        return ()
    mine = {p.name for p in function.parameters}
    best: dict[str, ast.expr] = {}
    for shapes in _hooks(module.tree):
        # Of several kernels' hooks, the one that fits this kernel's parameters best.
        if name in shapes and len(shapes.keys() & mine) - len(shapes.keys() - mine) > len(best.keys() & mine) - len(
            best.keys() - mine
        ):
            best = shapes
    shape = best.get(name)
    if not isinstance(shape, (ast.List, ast.Tuple)):
        return ()
    return tuple(_key(e) or (e.id if isinstance(e, ast.Name) else None) or _number(e) for e in shape.elts)


@lru_cache(maxsize=64)
def _hooks(tree: ast.Module) -> list[dict[str, ast.expr]]:
    """The block shapes that each function of a file sets; asked for once per descriptor."""
    functions = (node for node in descend(tree) if isinstance(node, ast.FunctionDef))
    return [shapes for function in functions if (shapes := _shapes(function))]


def _shapes(hook: ast.FunctionDef) -> dict[str, ast.expr]:
    """The block shapes that a hook sets, by the descriptor's name."""
    found: dict[str, ast.expr] = {}
    for node in descend(hook):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Attribute)
            and node.targets[0].attr == "block_shape"
        ):
            key = _key(node.targets[0].value)
            if key is not None:
                found[key] = node.value
    return found


def _key(node: ast.expr) -> str | None:
    """``"X"`` of ``nargs["X"]``."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return None


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def _bind(project: Project, function: JitFunction, launch: Launch) -> dict[str, Argument]:
    around = host_of(project, launch)
    names = [p.name for p in function.parameters if p.kind == "positional"]
    warm = isinstance(launch.call.func, ast.Attribute) and launch.call.func.attr == "warmup"
    given = around.passed(launch.call)
    found = dict(zip(names, map(_mocked, given.positional) if warm else given.positional, strict=False))
    found.update({p.name: given.keywords[p.name] for p in function.parameters if p.name in given.keywords})
    if given.more or given.open:
        for parameter in function.parameters:
            found.setdefault(parameter.name, NOT_KNOWN)
    return found


def _mocked(passed: Argument) -> Argument:
    """For ``warmup`` a dtype stands for a tensor of it."""
    if isinstance(passed.value, TorchDtype):
        return Argument("tensor", dtype=TORCH_DTYPES.get(passed.value.name))
    return passed
