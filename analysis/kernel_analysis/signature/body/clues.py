"""What the body of a jit function says about its parameters: one walk, and the question which of several added up
is the pointer."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evidence import name_table
from kernel_analysis.signature.evidence.annotations import is_constexpr, is_pointer, type_of
from kernel_analysis.signature.evident_values import EvidentValue, Origin
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree import parameters


def with_values(node: ast.FunctionDef) -> list[ast.arg]:
    """Every parameter that a launch gives something, in the order of the signature: all but ``**keywords``."""
    return [argument for argument in parameters.every(node.args) if argument is not node.args.kwarg]


def unknown(argument: ast.arg) -> EvidentValue:
    """A parameter of which only the annotation is known."""
    written = None if is_constexpr(argument.annotation) else type_of(argument.annotation)
    origins = (Origin(argument.arg, 0, True),)
    if written is None or "*" in written:
        return EvidentValue(static=is_constexpr(argument.annotation), origins=origins)
    return EvidentValue(levels=0, dtype=written, shape=(), origins=origins)


def uses(
    slice: Slice,
    named: Mapping[str, tuple[str, ...]] | None = None,
    objects: Mapping[str, EvidentValue] | None = None,
    asks_globals: bool = False,
) -> Walk:
    """Walk with every parameter unknown, so that all branches are seen. ``named``: the names of the fields of named
    tuples; ``objects``: parameters of which it is known what they are made of; ``asks_globals``: what is done with
    constants that nobody can know is noted, too."""
    walk = Walk(slice)
    walk.asks_globals = asks_globals
    walk.named.update(named or {})
    node = slice.functions[0].node
    walk.run({a.arg: unknown(a) for a in with_values(node)} | dict(objects or {}))
    settle(walk, {a.arg for a in with_values(node) if is_pointer(a.annotation) or "*" in (type_of(a.annotation) or "")})
    return walk


def settle(walk: Walk, pointers: set[str]) -> None:
    """Decide, for sums of several parameters that are used as an address, which one is the pointer; the others are
    offsets."""
    for candidates, line, detail in walk.ambiguous:
        for group in _arms(walk, frozenset(candidates)):
            ordered = [c for c in candidates if c in group]
            best = max(ordered, key=lambda c: _likelihood(walk, c, pointers))
            for candidate in ordered:
                if candidate is best:
                    walk.clue(candidate.path).vote(candidate.depth, "pointer", 4, line, detail)
                else:
                    walk.clue(candidate.path).vote(candidate.depth, "int", 3, line, "it is added to a pointer")


def _arms(walk: Walk, candidates: frozenset[Origin]) -> set[frozenset[Origin]]:
    """The sums that an address may be: where an ``if`` chose between two, both have a pointer in them."""
    done: set[frozenset[Origin]] = set()
    todo = [candidates]
    while todo and len(done) < 64:
        group = todo.pop()
        for a, b in walk.alike:
            one, two = (a - b) & group, (b - a) & group
            if one and two:
                todo += [group - two, group - one]
                break
        else:
            done.add(group)
    return done


def _likelihood(walk: Walk, candidate: Origin, pointers: set[str]) -> float:
    """How likely a summand is the pointer."""
    clue = walk.clue(candidate.path)
    if candidate.depth:
        return -2.5 - 1.5 * name_table.suggests(candidate.path, "integers")
    if candidate.path in pointers or clue.weight("pointer") >= 4:
        return 9
    number = clue.weight("int") >= 1.5 or clue.weight("number") > 0
    return name_table.is_pointer(candidate.path) - 2 * number
