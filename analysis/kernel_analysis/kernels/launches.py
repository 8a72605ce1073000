"""Where jit functions are launched: ``kernel[grid](...)``, ``kernel.run(...)``, ``kernel.warmup(...)``, also through
aliases, imports, and functions that launch what they are given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.evaluate.values import Scope, UserFunction
from kernel_analysis.kernels.possible_kernels import targets
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.text_search.mentions import BOUND, HINTS
from kernel_analysis.source.tree import nodes, parameters, parametrized
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_Around: TypeAlias = "tuple[ast.AST, ...]"


def launches(resolver: ResolverView, module: Module) -> list[tuple[JitFunction, Launch]]:
    """Every launch in the file, with what it launches."""
    lines = [module.line_of(m.start()) for hint in HINTS for m in _matches(module, hint)]
    bound = sorted({m[1] for m in _matches(module, BOUND)})
    if bound:
        again = re.compile(rf"\b(?:{'|'.join(bound)})\s*\(")
        lines += [module.line_of(m.start()) for m in _matches(module, again)]
    found: list[tuple[JitFunction, Launch]] = []
    for call, around in nodes.calls(module, lines):
        scope = resolver.scope(module, around)
        taken = _taken(scope, call, bound)
        if taken is not None:
            target, grid, merged = taken
            launch = Launch(module.file, merged, grid, nodes.functions_of(around), target=target)
            made = replace(launch, unseen=True)
            found += [(jit.function, made if unseen else launch) for jit, unseen in targets(resolver, scope, target)]
    return found


def handed(resolver: ResolverView, module: Module, functions: list[JitFunction]) -> list[tuple[JitFunction, Launch]]:
    """The launches of these functions of the file by other functions that they are handed to."""
    names = sorted({f.name for f in functions})
    if not names:
        return []
    names += parametrized.given(module, set(names))
    passed = re.compile(rf"\b(?:{'|'.join(names)})\b(?=\s*(?:,|\)|if\b|else\b))")
    lines = [module.line_of(m.start()) for m in _matches(module, passed)]
    found: list[tuple[JitFunction, Launch]] = []
    for call, around in nodes.calls(module, lines):
        scope = resolver.scope(module, around)
        for position, argument in [*enumerate(call.args), *((k.arg, k.value) for k in call.keywords if k.arg)]:
            parts = (argument.body, argument.orelse) if isinstance(argument, ast.IfExp) else (argument,)
            if not any(isinstance(part, ast.Name) and part.id in names for part in parts):
                continue
            launcher = resolver.evaluator.evaluate(call.func, scope)
            if not isinstance(launcher, UserFunction) or isinstance(launcher.node, ast.Lambda):
                continue
            via = Launch(module.file, call, None, nodes.functions_of(around))
            inside = list(_given(launcher, position, via))
            if inside:
                for jit, unseen in targets(resolver, scope, argument):
                    made = [replace(k, unseen=unseen or k.unseen, target=argument) for k in inside]
                    found += [(jit.function, k) for k in made]
    return found


def attach(resolver: ResolverView, module: Module, functions: list[JitFunction]) -> list[tuple[JitFunction, Launch]]:
    """Gives each jit function its launches in its own file. All launches in it, as ``launches`` has them."""
    by_node = {id(f.node): f for f in functions}
    for function in functions:
        function.launches = []
    found = launches(resolver, module)
    _attach(by_node, found)
    more = handed(resolver, module, [f for f in functions if not f.launches and not f.stale])
    _attach(by_node, more)
    return found + more


def _attach(by_node: dict[int, JitFunction], found: list[tuple[JitFunction, Launch]]) -> None:
    seen = {(id(f.node), id(k.call), id(k.via)) for f in by_node.values() for k in f.launches}
    for target, launch in found:
        own, same = by_node.get(id(target.node)), (id(target.node), id(launch.call), id(launch.via))
        if own is not None and same not in seen:
            seen.add(same)
            own.launches.append(launch)


def _matches(module: Module, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Where the pattern is in the text, jit functions left out: they launch nothing."""
    starts = module.line_starts
    position = 0
    for function in sorted(module.jit.values(), key=lambda f: f.node.lineno):
        # From the end of the line before.
        yield from pattern.finditer(module.text, max(position - 1, 0), max(position, starts[function.node.lineno - 1]))
        last = function.node.end_lineno or function.node.lineno
        position = max(position, starts[last] if last < len(starts) else len(module.text))
    yield from pattern.finditer(module.text, max(position - 1, 0))


def _taken(scope: Scope | None, call: ast.Call, bound: list[str]) -> tuple[ast.expr, ast.expr | None, ast.Call] | None:
    """What a call would launch, over which grid, and the call with all arguments; None if it is no launch."""
    function = call.func
    if isinstance(function, ast.Name) and function.id in bound and scope is not None:
        # `launch = kernel[grid]`, and later `launch(...)`.
        event = next((e for e in reversed(scope.table.events.get(function.id, [])) if e.how == "assign"), None)
        if event is None or event.value is None:
            return None
        function = event.value
        if isinstance(function, ast.Name):
            return None
    if isinstance(function, ast.Call) and last_name(function.func) == "partial" and function.args:
        # `partial(kernel[grid], x, N=1)(...)`
        merged = ast.Call(
            function.args[0], [*function.args[1:], *call.args], _keywords(function.keywords, call.keywords)
        )
        return _taken(None, ast.copy_location(merged, call), bound)
    if isinstance(function, ast.Subscript):
        return function.value, function.slice, call
    if isinstance(function, ast.Attribute) and function.attr in ("run", "warmup"):
        return function.value, next((k.value for k in call.keywords if k.arg == "grid"), None), call
    return None


def _keywords(first: list[ast.keyword], second: list[ast.keyword]) -> list[ast.keyword]:
    """The second ones replace the first."""
    names = {k.arg for k in second if k.arg is not None}
    return [k for k in first if k.arg not in names] + second


def _given(launcher: UserFunction, position: int | str, via: Launch) -> Iterator[Launch]:
    """The launches in a function of what its parameter at ``position`` is given."""
    node = launcher.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    names = parameters.positional(node.args)
    if isinstance(position, str):
        name = position
    elif position < len(names):
        name = names[position]
    else:
        return
    outer: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    scope: Scope | None = launcher.scope
    while scope is not None:
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outer.insert(0, scope.node)
        scope = scope.parent
    for call in descend(node):
        taken = _taken(None, call, []) if isinstance(call, ast.Call) else None
        if taken is not None and any(isinstance(n, ast.Name) and n.id == name for n in descend(taken[0])):
            unseen = not isinstance(taken[0], ast.Name)
            yield Launch(launcher.scope.module.file, taken[2], taken[1], (*outer, node), via, unseen)
