"""A parameter that is a number under some flags and a pointer under others: ``s = tl.load(x + part) if MANY else x``.

Changes guesses, and what the launches in sight pass, of a further signature only; always as a guess. Makes no number of
a pointer: what a kernel does with one says little of what it does with the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kernel_analysis.signature import spelling
from kernel_analysis.signature.body.clues import settle, uses, with_values
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.choose import element
from kernel_analysis.signature.evident_values import Clue
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.slice import Slice

_NUMBERS: Final = ("i32", "i64", "fp32", "i1")


class ByBranch:
    """Of one kernel. ``seen``: the walk over all of its branches."""

    def __init__(self, slice_: Slice, seen: Walk | None = None) -> None:
        self._slice = slice_
        self._seen = seen
        self._either: list[str] | None = None

    def fitted(self, signature: Signature) -> Signature:
        """The signature with pointers for those numbers that are addresses in all that it reaches."""
        numbers = [name for name in self._both() if self._is_open(signature, name)]
        if not numbers:
            return signature
        walk = Walk(self._slice)
        # As numbers: what asks whether they are pointers does not go there.
        walk.run(spelling.arguments(signature))
        settle(walk, {name for name, kind in signature.types.items() if str(kind).startswith("*")})
        types, evidence = dict(signature.types), dict(signature.evidence)
        for name in numbers:
            clue = walk.clues.get(name, Clue())
            if clue.weight("pointer") >= 4 and not clue.weight("number"):
                types[name] = f"*{element([name], clue, 1)}"
                line = signature.evidence[name].line
                evidence[name] = Evidence("use", "it is an address where this branch is taken", False, line)
        return replace(signature, types=types, evidence=evidence)

    def _both(self) -> list[str]:
        """The parameters that are used as both."""
        if self._either is None:
            seen = self._seen or uses(self._slice)
            names = [node.arg for node in with_values(self._slice.functions[0].node)]
            clues = [(name, seen.clues[name]) for name in names if name in seen.clues]
            self._either = [n for n, c in clues if c.weight("pointer") >= 4 and c.weight("int") + c.weight("number")]
        return self._either

    @staticmethod
    def _is_open(signature: Signature, name: str) -> bool:
        evidence = signature.evidence.get(name)
        known = evidence is None or evidence.kind in ("annotation", "pragma")
        return not known and signature.types.get(name) in _NUMBERS
