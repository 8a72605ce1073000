"""What compiles decided, as the text's paths ask for it: in which of them a test went one way, in the turn of the loop
and in the call at hand.

A world is one compile at one place: the function that it is in there, as compiled, and the turns of the unrolled loops
around. Sets of worlds are bits. Knows nothing of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernel_analysis.ir import BOTH, Decisions, Ir, Turns
from kernel_analysis.record import record


@record(eq=False)
class CompileTrace:
    """One compile: the function that it began with, and by the names of all that it compiled their index in the slice
    and what was decided in them."""

    entry: str
    functions: Mapping[str, tuple[int, Decisions]]

    @classmethod
    def of(cls, ir: Ir) -> CompileTrace:
        """Of what was lowered."""
        return cls(ir.entry, {n: (f.index, f.decisions) for n, f in ir.functions.items() if f.index >= 0})


@record
class World:
    """``instances``: the functions, as compiled, that it may be in: what is asked must hold in all of them. Where a
    compile never came it shows that nothing happens there: any answer will do."""

    trace: CompileTrace
    instances: tuple[str, ...]
    turns: Turns = ()

    def decisions(self) -> list[Decisions]:
        """Of the functions."""
        return [self.trace.functions[name][1] for name in self.instances]

    def went(self, node: int, outcome: object) -> bool:
        """Whether a decision went this way, here."""
        for decisions in self.decisions():
            for one in decisions.taken.get((self.turns, node), ()):
                if one != BOTH and (one != outcome or type(one) is not type(outcome)):
                    return False
        return True

    def count(self, loop: int) -> tuple[int, int] | None:
        """How often a loop was unrolled here, and how often before the function ended in it; None if it was not, or
        differently often."""
        counts = {decisions.turns.get((self.turns, loop)) for decisions in self.decisions()}
        return counts.pop() if len(counts) == 1 else None

    def unrolls(self, loop: int) -> bool:
        """Whether it is known here how often a loop was unrolled."""
        return any((self.turns, loop) in decisions.turns for decisions in self.decisions())

    def called(self, node: int, index: int) -> World | None:
        """The world in the function that a call led to; None where it led to others."""
        names: dict[str, None] = {}
        others = False
        for decisions in self.decisions():
            for name in decisions.calls.get((self.turns, node), ()):
                if name in self.trace.functions:
                    if self.trace.functions[name][0] == index:
                        names[name] = None
                    else:
                        others = True
        return None if others and not names else World(self.trace, tuple(names))

    def turn(self, loop: int, number: int) -> World:
        """The world in a turn of a loop."""
        return World(self.trace, self.instances, (*self.turns, (loop, number)))


@dataclass(slots=True)
class TracedFunction:
    """A function that the text is followed in. ``worlds``: by bit. ``ordinals``: of its nodes. ``path``: the calls
    that lead there."""

    index: int
    worlds: dict[int, World]
    ordinals: Mapping[object, int]
    path: tuple[tuple[int, int], ...] = ()
    known: dict[tuple[int, object], int] = field(default_factory=dict[tuple[int, object], int])
    expanded: int = 0
    """How many loops around are taken in all turns at once."""

    @property
    def all(self) -> int:
        """The bits of all worlds here."""
        made = 0
        for bit in self.worlds:
            made |= bit
        return made

    def went(self, node: int, outcome: object) -> int:
        """The worlds in which a decision went this way. What stands in no function's body nobody records: none."""
        if node < 0:
            return 0
        key = node, (type(outcome), outcome)
        found = self.known.get(key)
        if found is None:
            found = 0
            for bit, world in self.worlds.items():
                if world.went(node, outcome):
                    found |= bit
            self.known[key] = found
        return found
