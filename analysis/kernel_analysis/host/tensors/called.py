"""Which plain function a call goes to, in its file or in another, by a name that nothing else binds; and what is
launched there. Where that is not known there is no answer: the rules that ask accuse.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import UserFunction
from kernel_analysis.host.names import set_later
from kernel_analysis.host.tensors.launches.certain_launches import Certain, certain
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.scopes import FunctionNode
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_DEEPEST = 4
_COMPILING = frozenset({
    "is_compiling", "is_dynamo_compiling", "is_torchdynamo_compiling", "is_exporting", "is_fx_tracing",
    "is_fx_symbolic_tracing", "detect_fake_mode", "is_fake", "FakeTensor",
})  # fmt: skip
"""What host code asks torch, to do something else while it is compiled."""


def called(at: Place, name: ast.expr) -> tuple[Module, FunctionNode] | None:
    """The function that ``name`` stands for there, and its file. Without decorators: those may do anything."""
    root, _ = chain(name)
    if not isinstance(root, ast.Name) or root.id in at.hidden:
        return None
    scope = at.scope
    while scope.parent is not None:
        # The body of a class is in sight of itself alone; what it binds is left to nobody, to be sure.
        if root.id in scope.table.events:
            return None
        scope = scope.parent
    module = scope.module
    events = scope.table.events.get(root.id, [])
    event = events[0] if len(events) == 1 and not events[0].guards else None
    if event is None or scope.node is not module.tree:
        return None
    if set_later.declared(scope, root.id) or at.resolver.touches.replaced(scope, root.id):
        return None  # something sets it without a statement of the file's own
    if event.how in ("import", "from"):
        return _imported(at.resolver, module, name)
    found = _plain(event.node) if root is name else None
    return None if found is None else (module, found)


def _imported(resolver: ResolverView, module: Module, name: ast.expr) -> tuple[Module, FunctionNode] | None:
    with resolver.noting() as notes:
        value = resolver.evaluator.evaluate(name, resolver.scope(module))
    if not isinstance(value, UserFunction) or notes or value.scope.node is not value.scope.module.tree:
        return None
    found = _plain(value.node)
    owner = value.scope.module
    if found is None or len(owner.table.events.get(found.name, [])) != 1:
        return None
    return owner, found


def _plain(node: ast.AST) -> FunctionNode | None:
    plain = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.decorator_list
    return node if plain and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def asks_for_compiling(function: FunctionNode) -> bool:
    """Whether it may do something else while torch compiles it than it does otherwise."""
    said = (n.id if isinstance(n, ast.Name) else getattr(n, "attr", None) for n in descend(function))
    return not _COMPILING.isdisjoint(said)


def launched_by(resolver: ResolverView, module: Module, function: FunctionNode) -> Iterator[Certain]:
    """The launches in a function and in those that it comes to, in whatever file, while torch compiles it."""
    launches: dict[str, list[Certain]] = {}
    waiting, seen = [(module, function, 0)], set[int]()
    while waiting:
        where, current, depth = waiting.pop()
        if id(current) in seen or depth > _DEEPEST or asks_for_compiling(current):
            continue
        seen.add(id(current))
        if where.file not in launches:
            launches[where.file] = certain(resolver, where, resolver.project.launches_in(where))
        yield from (launch for launch in launches[where.file] if launch.at.functions[-1:] == (current,))
        for call in (node for node in descend(current) if isinstance(node, ast.Call)):
            at = place(resolver, where, call)
            target = called(at, call.func) if at is not None else None
            if target is not None:
                waiting.append((*target, depth + 1))
