"""What a host function is connected with in its file: the calls of it, what it returns, and the ``forward`` that saved
what its ``backward`` takes.

Finds places in syntax; what stands there is the evaluator's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import TENSOR, HostArgument
from kernel_analysis.host.evaluate.values import Items, Unknown
from kernel_analysis.host.names import guards as branches
from kernel_analysis.source.tree import coming_to_end, nodes, parametrized, scopes
from kernel_analysis.source.tree.forms import start_of
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import Entry, Frame

_MOST_CALLS = 4
_BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)
_NOWHERE = Unknown("a case has no such element")


def callers(frame: Frame, function: scopes.FunctionNode) -> list[Entry]:
    """The calls of a function by its name."""
    module = frame.module
    events = module.table_at(function.lineno).events.get(function.name, ())
    if not frame.levels or not any(event.node is function for event in events):
        return []
    calls = [(call, nodes.functions_of(around)) for call, around in nodes.calls_of(module, function.name)]
    others = [(call, scope) for call, scope in calls if function not in scope][:_MOST_CALLS]
    return [(at_place(frame, module.file, scope, call), call, function) for call, scope in others]


def cases(frame: Frame, function: scopes.FunctionNode, name: str) -> list[HostArgument]:
    """What a test's ``parametrize`` gives a parameter, as it is written or as the file makes the list."""
    host, outside = frame.host, frame.parent or frame
    written = [host.value(value, outside, None) for value in parametrized.values(function, name)]
    if written:
        return list(map(kinds.of, written))
    found: list[HostArgument] = []
    for source, index in parametrized.made(function, name):
        every = host.value(source, outside, None)
        for case in every.values[: parametrized.MOST] if isinstance(every, Items) else ():
            found.append(kinds.of(case if index is None else kinds.element(case, index, _NOWHERE)))
    return found


def results(
    frame: Frame, file: str, function: scopes.FunctionNode, call: ast.Call
) -> Iterator[tuple[Frame, ast.expr, tuple[scopes.Guard, ...]]]:
    """What a function of a file returns when it is called by ``call``, each where it is returned, and the conditions
    around that. (One that returns nothing has no results, nor has a generator.)"""
    found = [] if coming_to_end.is_generator(function) else list(_returns(function.body, ()))
    if found and _falls_off(frame, file, function):
        frame.host.resolver.note(f"`{function.name}` may come to its end without returning anything")
    for node, guards in found if any(node.value is not None for node, _ in found) else ():
        inside = frame.host.frame(file, (function,), start_of(node), frame.levels - 1, (frame, call, function))
        yield inside, node.value or ast.copy_location(ast.Constant(None), node), guards


def _falls_off(frame: Frame, file: str, function: scopes.FunctionNode) -> bool:
    """Whether a function of a file may come to its end without returning anything."""
    resolver = frame.host.resolver
    scope = resolver.inner(resolver.scope(resolver.project.load(file)), function)
    return coming_to_end.passed_through(function.body, lambda node: branches.lets_through(resolver, scope, node))


def _returns(
    body: Sequence[ast.stmt | ast.excepthandler | ast.match_case], guards: tuple[scopes.Guard, ...]
) -> Iterator[tuple[ast.Return, tuple[scopes.Guard, ...]]]:
    for node in body:
        if isinstance(node, ast.Return):
            yield node, guards
        elif isinstance(node, ast.If):
            yield from _returns(node.body, (*guards, scopes.Guard(node, "body")))
            yield from _returns(node.orelse, (*guards, scopes.Guard(node, "orelse")))
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, _BLOCKS)]
            yield from _returns(inner, guards)


def saved(frame: Frame) -> HostArgument:
    """What ``forward`` saved: tensors."""
    found = _saved(frame)
    if found is None or any(isinstance(node, ast.Starred) for node in found[1]):
        return TENSOR
    items = [found[0].argument(node) for node in found[1]]
    made = [item if item.kind in ("tensor", "none") else replace(item, kind="tensor") for item in items]
    return HostArgument("tuple", items=tuple(made))


def _saved(frame: Frame) -> tuple[Frame, list[ast.expr]] | None:
    """What ``ctx.saved_tensors`` has in a function: the arguments of ``ctx.save_for_backward`` in its class, and where
    they are; None where there is not one call of it."""
    found: list[tuple[Frame, list[ast.expr]]] = []
    for method in other_methods(frame):
        found += [(at_place(frame, frame.module.file, (method,), call), call.args) for call in _saving(method)]
    return found[0] if len(found) == 1 else None


def other_methods(frame: Frame) -> list[ast.FunctionDef]:
    """Of the class that a function is in, as far as others are looked at from there."""
    group = class_around(frame) if frame.levels else None
    body = group.body if group is not None else ()
    return [method for method in body if isinstance(method, ast.FunctionDef) and method is not frame.node]


def class_around(frame: Frame) -> ast.ClassDef | None:
    """The class that a function is a method of."""
    classes = (n for n, _ in nodes.statements(frame.module) if isinstance(n, ast.ClassDef))
    return next((cls for cls in classes if frame.node in cls.body), None)


def at_place(frame: Frame, file: str, functions: tuple[scopes.FunctionNode, ...], node: ast.expr | ast.stmt) -> Frame:
    return frame.host.frame(file, functions, start_of(node), frame.levels - 1)


@kept_with_trees(512)
def _saving(method: ast.FunctionDef) -> list[ast.Call]:
    """The calls of ``save_for_backward`` in a method."""
    calls = [node for node in descend(method) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "save_for_backward"]
