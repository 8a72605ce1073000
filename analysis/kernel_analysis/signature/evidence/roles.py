"""Whether a jit function is a kernel, which is launched, or a helper, which other jit functions call."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from typing import Literal

from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import is_none, last_name
from kernel_analysis.source.tree.syntax import all_of, kept_with_trees


def role(
    function: JitFunction, functions_of_module: Iterable[JitFunction], called: Collection[str] = ()
) -> Literal["kernel", "helper"]:
    """``called``: the names of jit functions that other modules are known to call."""
    if function.launches or function.decorated:
        return "kernel"
    if function.name in called or object_of(function) is not None:
        return "helper"
    if returns_value(function.node) or takes_block(function.node) or takes_barrier(function.node):
        return "helper"
    return (
        "helper"
        if any(f.node is not function.node and calls(f.node, function.name) for f in functions_of_module)
        else "kernel"
    )


def returns_value(node: ast.FunctionDef) -> bool:
    """Whether the function returns something, which a kernel can't."""
    return any(n.value is not None and not is_none(n.value) for n in all_of(node, ast.Return))


def object_of(function: JitFunction) -> str | None:
    """The class whose fields or methods a function takes of its first parameter: by itself it can't be compiled."""
    around = function.scope[-1] if function.scope else None
    if not isinstance(around, ast.ClassDef) or not function.parameters or function.parameters[0].constexpr:
        return None
    members = {s.target.id for s in around.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
    members |= {s.name for s in around.body if isinstance(s, ast.FunctionDef)}
    own = function.parameters[0].name
    taken = (n for n in all_of(function.node, ast.Attribute) if isinstance(n.value, ast.Name) and n.value.id == own)
    return around.name if any(n.attr in members for n in taken) else None


def takes_block(node: ast.FunctionDef) -> bool:
    """Whether the function gives a parameter another axis, ``x[:, None]``: then it is a block, and never launched."""
    names = {argument.arg for argument in parameters.single(node.args)}
    given = {
        n.value.id
        for n in all_of(node, ast.Subscript)
        if isinstance(n.value, ast.Name) and n.value.id in names
        if isinstance(n.slice, ast.Tuple) and any(map(is_none, n.slice.elts))
    }
    return bool(given) and bool(given - {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)})


def takes_barrier(node: ast.FunctionDef) -> bool:
    """Whether the function hands a parameter on as a barrier, ``mbarrier.wait(bar, phase)``: no launch can pass one."""
    names = {argument.arg for argument in parameters.single(node.args)}
    given = {
        n.args[0].id
        for n in all_of(node, ast.Call)
        if isinstance(n.func, ast.Attribute) and last_name(n.func.value) == "mbarrier"
        if n.args and isinstance(n.args[0], ast.Name) and n.args[0].id in names
    }
    return bool(given - {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)})


def calls(node: ast.FunctionDef, name: str) -> bool:
    """Whether the function calls, or hands on, something of this name."""
    return name in _names(node)


@kept_with_trees(2048)
def _names(node: ast.FunctionDef) -> frozenset[str]:
    """Every name that a function speaks of; asked for again and again while a file is looked at."""
    return frozenset([n.id for n in all_of(node, ast.Name)] + [n.attr for n in all_of(node, ast.Attribute)])
