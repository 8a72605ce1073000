"""Whether a tensor may have another's data by the time of a launch, and with it another dtype: ``x.data = x.double()``.

Reads syntax and the index of the workspace; evaluates nothing. Which tensor it is that a file does this with, nobody
follows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.text_patterns import may_set
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.signature.launches.frame import Frame
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver


def may_have(resolver: Resolver, node: ast.expr, frame: Frame) -> bool:
    """Whether what an expression gives there may: the file itself sets ``data``, or it is given to functions that are
    not a library's where another file does."""
    if may_set(frame.module.text, "data"):
        return True
    if set(resolver.project.elsewhere.storing(None, "data", False)) <= {frame.module.file}:
        return False
    names = set(_names(node))
    return any(names.intersection(_names(*_given(call))) for call in _calls(resolver, frame))


def _calls(resolver: Resolver, frame: Frame) -> Iterator[ast.Call]:
    """The calls of a host function and of those around it that are neither a library's nor a launch."""
    around: Scope | None = frame
    while isinstance(around, Frame) and not isinstance(around.node, ast.Module):
        for call in descend(around.node):
            if isinstance(call, ast.Call) and not isinstance(call.func, ast.Subscript):
                if not isinstance(meaning(resolver, around.static, call.func), (External, TritonObject)):
                    yield call
        around = around.parent


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _names(*nodes: ast.expr) -> Iterator[str]:
    return (inner.id for node in nodes for inner in descend(node) if isinstance(inner, ast.Name))
