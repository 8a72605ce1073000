"""The cycle of calls that a recursion problem stands in, from the slice's syntax. Pure."""

from __future__ import annotations

import ast
from collections import deque

from kernel_analysis.facts import Problem, Recursion
from kernel_analysis.ir import At
from kernel_analysis.source.slice import Binding, FunctionRef, Namespace, Slice, SliceFunction


def cycle_of(problem: Problem, slice_: Slice) -> Recursion | None:
    """At run time the problem's own calls are the cycle; of endless compile-time recursion only the last call is
    known, and the shortest way back to it is looked for."""
    if problem.code != "recursion":
        return None
    if problem.certain:
        calls = (*problem.chain, problem.at)
        return Recursion(tuple(call.function for call in calls), calls)
    edges = {index: _calls(function, index) for index, function in enumerate(slice_.functions)}
    closing = [(at, callee) for at, callee in edges[problem.at.function] if at == problem.at]
    for at, callee in closing or edges[problem.at.function]:
        way = _way(edges, callee, problem.at.function)
        if way is not None:
            calls = (at, *way)
            return Recursion(tuple(call.function for call in calls), calls)
    return None


def _way(edges: dict[int, list[tuple[At, int]]], start: int, goal: int) -> tuple[At, ...] | None:
    """The calls of a shortest way from one function to another; none when they are the same."""
    queue: deque[tuple[int, tuple[At, ...]]] = deque([(start, ())])
    seen = {start}
    while queue:
        function, calls = queue.popleft()
        if function == goal:
            return calls
        for at, callee in edges[function]:
            if callee not in seen:
                seen.add(callee)
                queue.append((callee, (*calls, at)))
    return None


def _calls(function: SliceFunction, index: int) -> list[tuple[At, int]]:
    return [
        (At(index, ordinal), callee.index)
        for ordinal, node in enumerate(function.nodes)
        if isinstance(node, ast.Call) and isinstance(callee := _resolve(node.func, function.bindings), FunctionRef)
    ]


def _resolve(node: ast.expr, bindings: dict[str, Binding]) -> Binding | None:
    if isinstance(node, ast.Name):
        return bindings.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolve(node.value, bindings)
        return owner.members.get(node.attr) if isinstance(owner, Namespace) else None
    return None
