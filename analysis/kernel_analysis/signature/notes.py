"""What a walk over a jit function writes down: votes, compile-time branches, extents that belong together. It draws
no conclusions."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from kernel_analysis.signature.evident_values import Clue, Dim, EvidentValue, Origin, Shape, merge
from kernel_analysis.source.slice import Slice


@dataclass(slots=True)
class Branch:
    """A compile-time ``if``: where, its test, which way it went (None: both, the test is not known) and the names
    in sight."""

    function: int
    test: ast.expr
    taken: bool | None
    env: dict[str, EvidentValue]


Guard = tuple[Branch, bool]
"""A compile-time test, and the way that it must go."""

_CONTEXTS = 4
"""Ways to reach one call that are remembered."""


@dataclass(slots=True)
class Call:
    """A call of a helper: the values of its parameters."""

    callee: int
    arguments: dict[str, EvidentValue]


class Notes:
    """``clues`` by parameter path; ``branches``, ``asserts`` and ``calls`` in order; ``sizes``: what must hold of the
    sizes of blocks that are computed; ``trace`` has the values of every expression, when asked for. ``ambiguous``:
    sums of several parameters that are used as an address. ``alike``: summands that an ``if`` chose between.
    ``equations``: products of extents that are the same number.
    ``reshaped``: what is given a shape of as many elements. ``accesses``: the calls that may access memory, each with
    the tests that must go one way for it to be reached, outermost first, for each way that leads there. ``addressed``:
    the parameters in addresses that are used, when nothing is counted. ``unused``: the expressions whose value nobody
    takes. ``named``: the names of the fields of parameters that are named tuples."""

    counting = True
    """Whether uses are counted: not while a signature is tried."""

    def __init__(self, slice: Slice, trace: bool = False) -> None:
        self.slice = slice
        self.named: dict[str, tuple[str, ...]] = {}
        self.clues: dict[str, Clue] = {}
        self.branches: list[Branch] = []
        self.asserts: list[Branch] = []
        self.sizes: list[Branch] = []
        self.calls: list[Call] = []
        self.trace: dict[ast.AST, list[EvidentValue]] | None = {} if trace else None
        self.ambiguous: list[tuple[tuple[Origin, ...], int | None, str]] = []
        self.alike: dict[tuple[frozenset[Origin], frozenset[Origin]], None] = {}
        self.equations: list[tuple[Shape, Shape]] = []
        self.reshaped: list[tuple[tuple[Origin, ...], Shape | None]] = []
        self.line: int | None = None
        self.guards: list[Guard] = []
        self.addressed: set[str] = set()
        self.unused: set[ast.expr] = set()
        self.accesses: dict[ast.Call, list[tuple[Guard, ...]]] = {}

    def access(self, node: ast.Call) -> None:
        """Say that a call which may access memory is reached here."""
        contexts = self.accesses.setdefault(node, [])
        if len(contexts) < _CONTEXTS:
            contexts.append(tuple(self.guards))

    def clue(self, path: str) -> Clue:
        found = self.clues.get(path)
        if found is None:
            found = self.clues[path] = Clue()
        return found

    def vote(self, value: EvidentValue, role: str, weight: float, detail: str) -> None:
        """Say that the value is used as ``role``."""
        if not self.counting:
            return
        for path, depth, addend in value.origins:
            # What is computed from an integer may well be a float.
            part = weight if addend or role != "float" else weight / 2
            self.clue(path).vote(depth, role, part, self.line, detail)

    def pointer(self, value: EvidentValue, detail: str) -> None:
        """Say that the value is used as an address: of the parameters that were added up, one is the pointer."""
        if not self.counting:
            self.addressed.update(o.path for o in value.origins if o.addend)
            return
        if value.items:
            for item in value.items:
                self.pointer(item, detail)
            return
        candidates = tuple(o for o in value.origins if o.addend)
        if len(candidates) == 1:
            path, depth, _ = candidates[0]
            self.clue(path).vote(depth, "pointer", 5, self.line, detail)
        elif candidates:
            self.ambiguous.append((candidates, self.line, detail))
        for path, depth, addend in value.origins:
            if not addend:
                self.clue(path).vote(depth, "int", 3, self.line, "part of an address")

    def equal(self, a: Shape | None, b: Shape | None) -> None:
        """Say that two shapes belong together elementwise: where both extents are parameters, they are the same
        number."""
        if a and b and a != b:
            for x, y in zip(reversed(a), reversed(b), strict=False):
                if x != y and x is not None and y is not None and x != 1 and y != 1:
                    self.equations.append(((x,), (y,)))

    def same_size(self, a: Shape | None, b: Shape | None) -> None:
        """Say that two shapes have the same number of elements."""
        if a and b and a != b and None not in a and None not in b:
            self.equations.append((a, b))

    def extents(self, shape: EvidentValue | None, detail: str = "it is a block's extent") -> Shape | None:
        """A block shape that is written out: every part must be known at compile time."""
        if shape is None:
            return None
        return tuple(self.extent(part, detail) for part in (shape.items if shape.items is not None else [shape]))

    def extent(self, part: EvidentValue, detail: str) -> Dim:
        """An extent of a block."""
        if isinstance(part.const, int):
            return part.const
        for path, depth, addend in part.origins:
            if depth == 0:
                self.clue(path).vote(0, "dim" if addend else "factor", 3, self.line, detail)
        direct = [o for o in part.origins if o.depth == 0 and o.addend]
        return direct[0].path if len(direct) == 1 and len(part.origins) == 1 else None

    def join(self, a: EvidentValue, b: EvidentValue) -> EvidentValue:
        """Either of two values; when they turn out to be addresses, both have a pointer in them. So have items that
        are at the same place."""
        self._either(a, b)
        return merge(a, b)

    def _either(self, a: EvidentValue, b: EvidentValue) -> None:
        if a is b:
            return
        for one, other in zip(a.items or (), b.items or (), strict=False):
            self._either(one, other)
        if a.origins and b.origins and a.origins != b.origins:
            first, second = (frozenset(o for o in v.origins if o.addend) for v in (a, b))
            if first and second and first != second:
                self.alike[first, second] = None
