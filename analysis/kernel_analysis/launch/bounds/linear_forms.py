"""Linear forms over what is not known of an integer, and their bounds under linear constraints.

Pure arithmetic: knows neither the Ir nor Triton. A bound may be too wide, never too narrow (wrap-around is left out of
account).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = "int | float | Fraction"
Range: TypeAlias = "tuple[Number, Number]"
Axes: TypeAlias = "tuple[object, ...]"
Move: TypeAlias = "Callable[[Axes], Axes]"
Rule: TypeAlias = "Callable[[Bounds, tuple[Form, ...]], Range]"
EVERYTHING: Range = (-math.inf, math.inf)
_STEPS = 8


class Atom:
    """An integer of which only a range is known. ``rule`` narrows it where constraints hold, by the ``parts`` that it
    is made of. ``axes``: those of a block that it varies along; the same values along another axis are another atom."""

    __slots__ = ("_moved", "axes", "high", "label", "low", "parts", "rule")

    def __init__(
        self,
        low: Number,
        high: Number,
        label: str = "",
        axes: Axes = (),
        rule: Rule | None = None,
        parts: tuple[Form, ...] = (),
    ) -> None:
        self.low, self.high, self.label, self.axes, self.rule, self.parts = low, high, label, axes, rule, parts
        self._moved: dict[Axes, Atom] = {axes: self}

    def moved(self, move: Move) -> Atom:
        """The atom for the same values laid out in another way."""
        axes = move(self.axes) if self.axes else self.axes
        found = self._moved.get(axes)
        if found is None:
            parts = tuple(part.moved(move) for part in self.parts)
            found = self._moved[axes] = Atom(self.low, self.high, self.label, axes, self.rule, parts)
            found._moved = self._moved
        return found


class Form:
    """``constant`` + the sum of coefficient x atom. Immutable."""

    __slots__ = ("constant", "terms")

    def __init__(self, constant: Number = 0, terms: dict[Atom, Number] | None = None) -> None:
        self.constant = constant
        self.terms: dict[Atom, Number] = terms or {}

    def __add__(self, other: Form) -> Form:
        return self.plus(other, 1)

    def __sub__(self, other: Form) -> Form:
        return self.plus(other, -1)

    def plus(self, other: Form, factor: Number) -> Form:
        terms = dict(self.terms)
        for atom, coefficient in other.terms.items():
            total = terms.get(atom, 0) + coefficient * factor
            if total:
                terms[atom] = total
            else:
                terms.pop(atom, None)
        return Form(self.constant + other.constant * factor, terms)

    def times(self, factor: Number) -> Form:
        if not factor:
            return Form()
        return Form(self.constant * factor, {atom: value * factor for atom, value in self.terms.items()})

    def shifted(self, by: Number) -> Form:
        return Form(self.constant + by, self.terms)

    def moved(self, move: Move) -> Form:
        """Laid out in another way: what is one number for the whole block stays the same."""
        return Form(self.constant, {atom.moved(move): value for atom, value in self.terms.items()})

    @property
    def axes(self) -> Axes:
        """Those that it varies along."""
        return tuple(dict.fromkeys(axis for atom in self.terms for axis in atom.axes))

    @property
    def fixed(self) -> int | None:
        """Its value where that is known."""
        if any(atom.low != atom.high for atom in self.terms):
            return None
        total = self.constant + sum(c * atom.low for atom, c in self.terms.items())
        return int(total) if math.isfinite(total) else None

    def key(self) -> tuple[object, ...]:
        return (self.constant, *sorted((id(a), c) for a, c in self.terms.items()))


def atom(low: Number, high: Number, label: str = "", axes: Axes = ()) -> Form:
    """A form that is one atom; a number where only one is possible and nothing is to be remembered of it."""
    if low == high and math.isfinite(low) and not label:
        return Form(low)
    return Form(0, {Atom(low, high, label, axes): 1})


class Bounds:
    """The bounds of forms where ``constraints`` (each form is at most 0) hold."""

    def __init__(self, constraints: Iterable[Form] = ()) -> None:
        unique = {constraint.key(): constraint for constraint in constraints}
        self.constraints = [c for c in unique.values() if any(a.low != a.high for a in c.terms)]
        self.possible = all(c.fixed is None or (c.fixed or 0) <= 0 for c in unique.values())
        self._ranges: dict[Atom, Range] = {}

    def range(self, form: Form) -> Range:
        return -self.upper(form.times(-1)), self.upper(form)

    def upper(self, form: Form) -> Number:
        """No value of the form is above this. Greedy: the constraint that helps most is used first."""
        best = self._plain(form)
        left = list(self.constraints)
        for _ in range(_STEPS):
            found: tuple[Number, Form, Form] | None = None
            for constraint in left:
                for shared, slope in constraint.terms.items():
                    share = form.terms.get(shared, 0)
                    if share and (share > 0) == (slope > 0) and shared.low != shared.high:
                        factor = _divided(share, slope)
                        rest = form.plus(constraint, -factor)
                        bound = self._plain(rest)
                        if bound < best and (found is None or bound < found[0]):
                            found = bound, rest, constraint
            if found is None:
                break
            best, form, used = found
            left.remove(used)
        return math.floor(best) if math.isfinite(best) else best

    def _plain(self, form: Form) -> Number:
        total: Number = form.constant
        for one, coefficient in form.terms.items():
            low, high = self._range(one)
            total += coefficient * (high if coefficient > 0 else low)
        return total

    def _range(self, one: Atom) -> Range:
        if one not in self._ranges:
            self._ranges[one] = one.low, one.high  # an atom that is asked for on the way to its own range
            low, high = one.low, one.high
            if one.rule is not None:
                lower, upper = one.rule(self, one.parts)
                low, high = max(low, lower), min(high, upper)
            for constraint in self.constraints:
                if len(constraint.terms) == 1 and one in constraint.terms:
                    slope = constraint.terms[one]
                    edge = _divided(-constraint.constant, slope)
                    if slope > 0:
                        high = min(high, math.floor(edge))
                    else:
                        low = max(low, math.ceil(edge))
            self._ranges[one] = low, high
        return self._ranges[one]


def _divided(one: Number, other: Number) -> Number:
    if isinstance(one, float) or isinstance(other, float):
        return one / other
    made = Fraction(one, 1) / Fraction(other, 1) if not isinstance(one, Fraction) else one / other
    return int(made) if made.denominator == 1 else made
