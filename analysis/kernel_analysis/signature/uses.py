"""What the body of a jit function says about its parameters: one walk, and the question which of several added up is the pointer."""

from __future__ import annotations

import ast

from kernel_analysis.signature import names
from kernel_analysis.signature.annotations import is_constexpr, is_pointer, type_of
from kernel_analysis.signature.values import Origin, Value
from kernel_analysis.signature.walk import Walk
from kernel_analysis.source.slice import Slice


def parameters(node: ast.FunctionDef) -> list[ast.arg]:
    """Every parameter, in the order of the signature."""
    args = node.args
    found = [*args.posonlyargs, *args.args]
    if args.vararg is not None:
        found.append(args.vararg)
    return [*found, *args.kwonlyargs]


def unknown(argument: ast.arg) -> Value:
    """A parameter of which only the annotation is known."""
    written = None if is_constexpr(argument.annotation) else type_of(argument.annotation)
    origins = (Origin(argument.arg, 0, True),)
    if written is None or "*" in written:
        return Value(static=is_constexpr(argument.annotation), origins=origins)
    return Value(levels=0, dtype=written, shape=(), origins=origins)


def uses(slice: Slice) -> Walk:
    """Walk with every parameter unknown, so that all branches are seen."""
    walk = Walk(slice)
    node = slice.functions[0].node
    walk.run({a.arg: unknown(a) for a in parameters(node)})
    settle(walk, {a.arg for a in parameters(node) if is_pointer(a.annotation) or "*" in (type_of(a.annotation) or "")})
    return walk


def settle(walk: Walk, pointers: set[str]) -> None:
    """Decide, for sums of several parameters that are used as an address, which one is the pointer; the others are offsets."""
    for candidates, _, line, detail in walk.ambiguous:
        surely = [c for c in candidates if c.depth == 0 and (c.path in pointers or walk.clue(c.path).weight("pointer") >= 4)]
        best = surely[0] if surely else max(candidates, key=lambda c: (names.is_pointer(c.path) if c.depth == 0 else -0.5, -c.depth))
        for candidate in candidates:
            if candidate is best:
                walk.clue(candidate.path).vote(candidate.depth, "pointer", 4, line, detail)
            else:
                walk.clue(candidate.path).vote(candidate.depth, "int", 3, line, "it is added to a pointer")
