"""Which loops of a jit function go round when the kernel runs: by the text and what its names are bound to."""

from __future__ import annotations

import ast

from kernel_analysis.source.slice import SliceFunction, TritonObject
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import chain


def is_on_device(loop: ast.For, function: SliceFunction) -> bool:
    """Whether a loop is compiled once, and goes round when the kernel runs."""
    return range_of(loop.iter, function).endswith(".range")


def range_of(over: ast.expr, function: SliceFunction) -> str:
    """The path of the function of Triton's or Python's that a loop goes over a call of; empty where it is another."""
    called = over.func if isinstance(over, ast.Call) else None
    if isinstance(called, ast.Name):
        binding = function.bindings.get(called.id, TritonObject(f"builtins.{called.id}"))
        return binding.path if isinstance(binding, TritonObject) else ""
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        binding = function.bindings.get(called.value.id)
        return f"{binding.path}.{called.attr}" if isinstance(binding, TritonObject) else ""
    return ""


def goes_over_chosen(loop: ast.AST, function: SliceFunction) -> bool:
    """Whether what a loop goes over a call of is chosen there, or something that the function is given or assigns."""
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return False
    root, _ = chain(loop.iter.func)
    own = {argument.arg for argument in parameters.every(function.node.args)}
    own |= {name.id for name in function.nodes if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    return not isinstance(root, ast.Name) or root.id in own
