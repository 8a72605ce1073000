"""What is a block of Triton's, or a number, whatever is passed to the function: by its text alone."""

from __future__ import annotations

import ast
from typing import Final

from kernel_analysis.source.slice import SliceFunction, TritonObject

_MAKE_BLOCKS: Final = frozenset({
    "load", "arange", "zeros", "full", "where", "dot", "sum", "max", "min", "maximum", "minimum", "abs", "exp", "exp2",
    "log", "log2", "sqrt", "rsqrt", "sigmoid", "softmax", "program_id", "num_programs", "expand_dims", "broadcast_to",
    "reshape", "trans",
})  # fmt: skip
"""Functions that give nothing else, and take nothing that makes them give something else."""
_DEEPEST: Final = 20


def is_block(node: ast.expr, function: SliceFunction, depth: int = 0, names: frozenset[str] = frozenset()) -> bool:
    """Whether an expression of a function gives one, or does not compile. ``names``: those that are one if this is."""
    if depth > _DEEPEST:
        return False
    if isinstance(node, ast.BinOp):
        return any(is_block(side, function, depth + 1, names) for side in (node.left, node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        of = node.func.value
        if isinstance(of, ast.Name) and not _given(of.id, function):
            bound = function.bindings.get(of.id)
            language = isinstance(bound, TritonObject) and bound.path.startswith("triton")
            return language and node.func.attr in _MAKE_BLOCKS
        return is_block(of, function, depth + 1, names)
    if isinstance(node, ast.Name):
        if node.id in names:
            return True
        values, names = _given(node.id, function), names | {node.id}
        return bool(values) and all(v is not None and is_block(v, function, depth + 1, names) for v in values)
    return False


def _given(name: str, function: SliceFunction) -> list[ast.expr | None]:
    """All that a name of a function is given; None: what is not seen, as the items of a loop are."""
    found: list[ast.expr | None] = [
        None for a in ast.walk(function.node.args) if isinstance(a, ast.arg) and a.arg == name
    ]
    seen: set[int] = set()
    for node in function.nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and target.id == name:
                    seen.add(id(target))
                    found.append(node.value)
    for node in function.nodes:
        if (
            isinstance(node, ast.Name)
            and node.id == name
            and not isinstance(node.ctx, ast.Load)
            and id(node) not in seen
        ):
            found.append(None)
    return found
