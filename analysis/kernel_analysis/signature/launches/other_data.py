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
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.signature.launches.frame import Frame
from kernel_analysis.source.forms import last_name
from kernel_analysis.source.mentions import ANY_NAME, SWAPS
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver

_SETTERS = ("setattr", "__setattr__")


def may_have(resolver: Resolver, node: ast.expr, frame: Frame) -> bool:
    """Whether what an expression gives there may: the file itself sets ``data``, or it is given to functions that are
    not a library's where another file does."""
    text, elsewhere = frame.module.text, resolver.project.elsewhere
    if may_set(text, "data") or any(word in text for word in SWAPS):
        return True
    names = set(_names(node))
    if _set_unspelled(resolver, frame, names):
        return True
    if {file for word in ("data", *SWAPS) for file in elsewhere.storing(None, word, False)} <= {frame.module.file}:
        return False
    return any(names.intersection(_names(*_given(call))) for call in _calls(resolver, frame))


def _set_unspelled(resolver: Resolver, frame: Frame, names: set[str]) -> bool:
    """Whether a function is given the tensor that sets what has a name that is not in sight: Python's, or one of a file
    that has such."""
    computing = resolver.project.elsewhere.storing(None, ANY_NAME, False)
    for around in _around(frame) if computing else ():
        for call in descend(around.node):
            if not isinstance(call, ast.Call) or isinstance(call.func, ast.Subscript):
                continue
            if not names.intersection(_names(*_given(call))):
                continue
            found = meaning(resolver, around.static, call.func)
            if last_name(call.func) in _SETTERS or isinstance(found, Bound) and found.scope.module.file in computing:
                return True
    return False


def _around(frame: Frame) -> Iterator[Frame]:
    """A host function and those around it."""
    around: Scope | None = frame
    while isinstance(around, Frame) and not isinstance(around.node, ast.Module):
        yield around
        around = around.parent


def _calls(resolver: Resolver, frame: Frame) -> Iterator[ast.Call]:
    """The calls of a host function and of those around it that are neither a library's nor a launch."""
    for around in _around(frame):
        for call in descend(around.node):
            if isinstance(call, ast.Call) and not isinstance(call.func, ast.Subscript):
                if not isinstance(meaning(resolver, around.static, call.func), (External, TritonObject)):
                    yield call


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _names(*nodes: ast.expr) -> Iterator[str]:
    return (inner.id for node in nodes for inner in descend(node) if isinstance(inner, ast.Name))
