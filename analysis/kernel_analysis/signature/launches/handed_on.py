"""Whether host code has a jit function as a value: who has it may launch it, and pass what nobody sees.

Goes by names, as ``every_call`` does; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.tensors.every_use import READ, is_another, only_says

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.kernel import JitFunction
    from kernel_analysis.source.module import Module


def handed_on(resolver: ResolverView, function: JitFunction) -> bool:
    """Whether anything but the text of jit functions has it, a decorator of the author's included. To be asked of what
    nothing in sight launches: a launch is a use like another."""
    if function.wrappers:
        return True
    elsewhere = resolver.project.elsewhere
    module = resolver.project.load(function.file)
    words = elsewhere.called(function.name)
    for file in (module.file, *elsewhere.calling(module, function.name)):
        other = resolver.project.load(file)
        if any(_is_had(resolver, other, at, function) for word in words for at in occurrences(other, word)):
            resolver.read((file,))
            return True
    return False


def _is_had(resolver: ResolverView, other: Module, at: Occurrence, function: JitFunction) -> bool:
    node, above = at.chain[0], at.chain[1] if len(at.chain) > 1 else None
    scope = resolver.scope(other, at.around)
    if callees.in_kernel(resolver, scope):
        return False
    if isinstance(node, ast.Constant):
        return not only_says(at)
    if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return False
    if isinstance(above, ast.Attribute) and above.attr in READ:
        return False
    return not is_another(resolver, scope, at, function.node)
