"""Pickles that are written down in a file: what they name is called, with what they say.

What comes from outside, a file or a connection, is no text of the workspace's. Follows what is spelled; evaluates
nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.computed.computed_site import ComputedSite
from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.values import External, Scope
from kernel_analysis.host.names.naming import binding, meaning
from kernel_analysis.source.text_search.mentions import PICKLES, has_pickles
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_LOADS = ("load", "loads", "Unpickler", "_Unpickler", "_loads", "_load")
_FEW = 4


def sites(resolver: ResolverView, other: Module) -> Iterator[ComputedSite]:
    """Where a file loads one."""
    if not has_pickles(other.usual):
        return
    aliases = [(name, event.alias) for name, events in other.table.events.items() for event in events]
    renamed = (name for name, alias in aliases if alias is not None and alias.name in _LOADS)
    for word in sorted({*_LOADS, *renamed}):
        for at in occurrences(other, word):
            node, call = (*at.chain, None)[:2]
            if not isinstance(call, ast.Call) or call.func is not node or not isinstance(node, ast.expr):
                continue
            scope = resolver.scope(other, at.around)
            found = meaning(resolver, scope, node)
            if isinstance(found, External) and found.path.partition(".")[0] in PICKLES:
                if any(_written_down(scope, argument) for argument in call.args):
                    yield ComputedSite(call.lineno, imports=True)


def _written_down(scope: Scope, node: ast.AST) -> bool:
    """Whether bytes that stand in the file, or what is decoded of a text that does, may be in it."""
    for where, inner in _made_of(scope, node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, bytes) and inner.value:
            return True
        if isinstance(inner, ast.Call) and _decodes(inner):
            receiver = [inner.func.value] if isinstance(inner.func, ast.Attribute) else []
            if any(_has_text(where, argument) for argument in (*receiver, *inner.args)):
                return True
    return False


def _made_of(scope: Scope, node: ast.AST) -> Iterator[tuple[Scope, ast.AST]]:
    """All that stands in it, and in what its names were bound to."""
    todo, seen = [(scope, node)], set[int]()
    while todo:
        where, part = todo.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        for inner in ast.walk(part):
            yield where, inner
            if isinstance(inner, ast.Name) and (found := binding(where, inner.id)) is not None:
                todo += [(found[0], event.value) for event in found[1] if event.value is not None]


def _decodes(call: ast.Call) -> bool:
    name = last_name(call.func) or ""
    return name.endswith("decode") or name in ("fromhex", "unhexlify", "decompress", "encode", "bytes", "bytearray")


def _has_text(scope: Scope, node: ast.expr) -> bool:
    """Whether there is a text in it, or a list of numbers, that may be one's."""
    for _, inner in _made_of(scope, node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and len(inner.value) > len("utf-8-sig"):
            return True
        if isinstance(inner, ast.List | ast.Tuple) and len(inner.elts) > _FEW:
            return True
    return False
