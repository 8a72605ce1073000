"""Where jit functions are launched: ``kernel[grid](...)``, ``kernel.run(...)``, ``kernel.warmup(...)``, also through
aliases and imports."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from kernel_analysis.source import find
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.values import Jit, Scope

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module
    from kernel_analysis.source.resolve import Resolver

# Walking every expression of a file costs more than parsing it; a launch can only be where the text has one of these.
_HINT = re.compile(r"\]\s*\(|\.\s*(?:run|warmup)\s*\(")


def launches(resolver: Resolver, module: Module) -> list[tuple[JitFunction, Launch]]:
    """Every launch in the file, with what it launches."""
    lines = [module.line_of(m.start()) for m in _HINT.finditer(module.text)]
    found: list[tuple[JitFunction, Launch]] = []
    if not lines:
        return found
    for node, around in find.statements(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        first = bisect_left(lines, node.lineno)
        if first == len(lines) or lines[first] > (node.end_lineno or node.lineno):
            continue
        for expression in _own(node):
            for call in ast.walk(expression):
                if isinstance(call, ast.Call):
                    found += _launch(resolver, module, call, around)
    found.sort(key=lambda pair: (pair[1].call.lineno, pair[1].call.col_offset))
    return found


def _own(node: ast.stmt) -> list[ast.AST]:
    """The expressions of a statement, not those of the statements in it."""
    if not hasattr(node, "body") and not isinstance(node, ast.Match):
        return [node]
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.expr, ast.withitem))]


def _launch(
    resolver: Resolver, module: Module, call: ast.Call, around: tuple[ast.AST, ...]
) -> list[tuple[JitFunction, Launch]]:
    function = call.func
    if isinstance(function, ast.Subscript):
        target, grid = function.value, function.slice
    elif isinstance(function, ast.Attribute) and function.attr in ("run", "warmup"):
        target, grid = function.value, next((k.value for k in call.keywords if k.arg == "grid"), None)
    else:
        return []
    scope = resolver.scope(module, around)
    functions = tuple(n for n in around if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    launch = Launch(module.file, call, grid, functions)
    return [(jit.function, launch) for jit in _targets(resolver, scope, target, 0)]


def _targets(resolver: Resolver, scope: Scope, node: ast.expr, depth: int) -> list[Jit]:
    """The jit functions that an expression may stand for, every branch included."""
    if depth > 4:
        return []
    if isinstance(node, ast.IfExp):
        return _targets(resolver, scope, node.body, depth + 1) + _targets(resolver, scope, node.orelse, depth + 1)
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return []
    value = resolver.evaluator.evaluate(node, scope)
    if isinstance(value, Jit):
        return [value]
    found: list[Jit] = []
    if isinstance(node, ast.Name) and not isinstance(scope.node, ast.Module):
        for event in scope.table.events.get(node.id, []):
            if event.how == "assign" and event.value is not None:
                found += _targets(resolver, scope, event.value, depth + 1)
    return found


def attach(resolver: Resolver, module: Module, functions: list[JitFunction]) -> list[tuple[JitFunction, Launch]]:
    """Gives each jit function its launches in its own file. All launches in it, as ``launches`` has them."""
    by_node = {id(f.node): f for f in functions}
    for function in functions:
        function.launches = []
    found = launches(resolver, module)
    for target, launch in found:
        own = by_node.get(id(target.node))
        if own is not None and not any(known.call is launch.call for known in own.launches):
            own.launches.append(launch)
    return found
