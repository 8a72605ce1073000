"""The block shape that a function around a launch gives a descriptor by a statement: ``desc.block_shape = [32, 64]``.

Likely, no more, as all of a descriptor's shape is. Evaluates through the frame alone.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import HostArgument, supposed
from kernel_analysis.source.tree import nodes, scopes
from kernel_analysis.source.tree.syntax import kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import Frame


def as_set(frame: Frame, node: ast.expr, found: HostArgument) -> HostArgument:
    """What a launch passes: a descriptor has the block shape that was set since its name was bound."""
    if (
        found.kind not in ("descriptor", "unknown")
        or not isinstance(node, ast.Name)
        or isinstance(frame.node, ast.Lambda)
    ):
        return found
    bound = max((e.order for e in frame.before(frame.table.events.get(node.id, []))), default=0)
    shapes = [
        (order, shape)
        for owner, statement, shape in _set(frame.node)
        if owner == node.id and bound < (order := frame.table.orders.get(id(statement), 0)) < frame.order
    ]
    if not shapes:
        return found
    order, shape = max(shapes, key=lambda pair: pair[0])
    items = kinds.of(frame.host.evaluate(shape, frame, order)).items or ()
    block = tuple(map(supposed, items))
    # What has a block shape set is a descriptor there, whatever else its name may stand for elsewhere.
    return replace(found, kind="descriptor", block=block, extents=frame.written(shape)[: len(block)])


@kept_with_trees(64)
def _set(function: scopes.ScopeNode) -> list[tuple[str, ast.Assign, ast.expr]]:
    """The statements that set a block shape: the name of what they set it of, and the shape."""
    found: list[tuple[str, ast.Assign, ast.expr]] = []
    for statement, _ in nodes.inside([] if isinstance(function, ast.Lambda) else function.body, ()):
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            owner = target.value if isinstance(target, ast.Attribute) and target.attr == "block_shape" else None
            if isinstance(owner, ast.Name):
                found.append((owner.id, statement, statement.value))
    return found
