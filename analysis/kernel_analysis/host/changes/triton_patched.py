"""What sets names of Triton's own modules and classes: ``tl.flip = mine``, ``JITFunction.parse = other``.

Follows what is spelled; evaluates nothing. What a workspace puts into the compiler itself is not looked for.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.text_patterns import may_set
from kernel_analysis.host.changes.uses import Occurrence, occurrences, sets_by_text
from kernel_analysis.host.evaluate.values import TritonObject
from kernel_analysis.host.names.naming import meanings

if TYPE_CHECKING:
    from kernel_analysis.host.changes.touches import Touches
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module


def changed(touches: Touches, name: str) -> str | None:
    """Why what Triton calls so may be another."""
    return touches.once((changed, name), lambda: _set_anywhere(touches.resolver, name))


def _set_anywhere(resolver: Resolver, name: str) -> str | None:
    project = resolver.project
    for file in project.elsewhere.storing(None, name, False):
        if not project.says(file, may_set, name):
            continue
        other = project.load(file)
        for at in occurrences(other, name):
            if _is_triton_s(resolver, other, at):
                resolver.read((file,))
                return f"Triton's `{name}` may be another by {project.relative(file)}:{at.statement.lineno}"
    return None


def _is_triton_s(resolver: Resolver, other: Module, at: Occurrence) -> bool:
    """Whether something of Triton's has an attribute set there, by code that Python runs."""
    if callees.in_kernel(resolver, resolver.scope(other, at.around)):
        return False
    node, owner = at.chain[0], sets_by_text(at)
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        owner = node.value
    if owner is None or isinstance(owner, str):
        return owner is not None and owner.split(".")[0] == "triton"
    return any(isinstance(one, TritonObject) for one in meanings(resolver, resolver.scope(other, at.around), owner))
