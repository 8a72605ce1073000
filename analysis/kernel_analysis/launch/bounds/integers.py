"""What the bounds of addresses are computed with: values of the Ir as forms, pointers and conditions, and the
arithmetic on them. Knows operations one at a time, nothing of control flow."""

from __future__ import annotations

import math
from typing import TypeAlias

from kernel_analysis.launch.bounds.linear_forms import (
    EVERYTHING,
    Atom,
    Axes,
    Bounds,
    Form,
    Move,
    Number,
    Range,
    Rule,
    atom,
)
from kernel_analysis.record import record

Condition: TypeAlias = "tuple[Form, ...]"
"""Each of these forms is at most 0."""


@record
class Truth:
    """A boolean: what holds when it is true, and when it is false. ``value`` where it is known."""

    yes: Condition = ()
    no: Condition = ()
    value: bool | None = None


_UNTOLD = Truth()


@record
class Pointer:
    """Some bytes behind the start of a buffer. ``base``: the parameter, or ``*name`` for what the table ``name`` points
    to."""

    base: str
    offset: Form


Value: TypeAlias = "Form | Truth | tuple[Pointer, ...] | None"
"""None: a float, or something else that no address is made of."""


def made(rule: Rule, *parts: Form) -> Form:
    """An atom that is computed from other forms; its axes are theirs."""
    low, high = rule(Bounds(), parts)
    if low == high and math.isfinite(low):
        return Form(low)
    axes: Axes = tuple(sorted({axis for part in parts for axis in part.axes}, key=repr))
    return Form(0, {Atom(low, high, "", axes, rule, parts): 1})


def _product(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    (a, b), (c, d) = bounds.range(parts[0]), bounds.range(parts[1])
    edges = [_times(x, y) for x in (a, b) for y in (c, d)]
    return min(edges), max(edges)


def _times(x: Number, y: Number) -> Number:
    return 0 if not x or not y else x * y


def _cut(x: Number, y: Number) -> Number:
    """C's division."""
    if math.isinf(x):
        return x if y > 0 else -x
    if math.isinf(y):
        return 0
    quotient = abs(int(x)) // abs(int(y))
    return quotient if (x >= 0) == (y > 0) else -quotient


def _quotient(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    (a, b), (c, d) = bounds.range(parts[0]), bounds.range(parts[1])
    divisors = [y for y in (c, d) if y] + [y for y in (-1, 1) if c < y < d or (y in (c, d))]
    edges = [_cut(x, y) for x in (a, b) for y in divisors]
    return (min(edges), max(edges)) if edges else EVERYTHING


def _rest(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    (a, b), (c, d) = bounds.range(parts[0]), bounds.range(parts[1])
    most = max(abs(c), abs(d)) - 1
    if c == d and a >= 0 and math.isfinite(b) and _cut(a, c or 1) == _cut(b, c or 1):
        return a - _cut(a, c or 1) * c, b - _cut(b, c or 1) * c
    return (0 if a >= 0 else max(a, -most)), (min(b, most) if b >= 0 else 0)


def _least(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    ranges = [bounds.range(part) for part in parts]
    return min(low for low, _ in ranges), min(high for _, high in ranges)


def _most(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    ranges = [bounds.range(part) for part in parts]
    return max(low for low, _ in ranges), max(high for _, high in ranges)


def _bits(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    """``|`` and ``^`` of two numbers that are not negative."""
    (a, b), (c, d) = bounds.range(parts[0]), bounds.range(parts[1])
    if a < 0 or c < 0 or math.isinf(b) or math.isinf(d):
        return EVERYTHING
    return 0, (1 << max(int(b), int(d)).bit_length()) - 1


def _and(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    (a, b), (c, d) = bounds.range(parts[0]), bounds.range(parts[1])
    highs = [high for low, high in ((a, b), (c, d)) if low >= 0]
    return (0, min(highs)) if highs else EVERYTHING


def _not_less(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
    """A right shift: between 0 and what is shifted."""
    low, high = bounds.range(parts[0])
    return min(low, 0), max(high, 0)


_RULES: dict[str, Rule] = {
    "arith.divsi": _quotient,
    "arith.divui": _quotient,
    "arith.remsi": _rest,
    "arith.remui": _rest,
    "arith.minsi": _least,
    "arith.minui": _least,
    "arith.maxsi": _most,
    "arith.maxui": _most,
    "arith.andi": _and,
    "arith.ori": _bits,
    "arith.xori": _bits,
    "arith.shrsi": _not_less,
    "arith.shrui": _not_less,
}


class Arithmetic:
    """Integer operations; the same one on the same operands is the same atom."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Form] = {}
        self.ranges: dict[tuple[int, int], Form] = {}

    def integer(self, name: str, one: Form, other: Form) -> Form | None:
        """The result of an operation of two integers; None for one that is not known."""
        if name == "arith.addi":
            return one + other
        if name == "arith.subi":
            return one - other
        first, second = one.fixed, other.fixed
        if name == "arith.muli":
            if second is not None:
                return one.times(second)
            if first is not None:
                return other.times(first)
            return self.remembered(_product, one, other)
        if name == "arith.shli" and second is not None and 0 <= second < 64:
            return one.times(1 << second)
        if name in ("arith.divsi", "arith.divui") and second == 1:
            return one
        if name == "arith.shrsi" or name == "arith.shrui":
            if second is not None and 0 <= second < 64:
                return self.remembered(_quotient, one, Form(1 << second))
        rule = _RULES.get(name)
        return None if rule is None else self.remembered(rule, one, other)

    def remembered(self, rule: Rule, *parts: Form) -> Form:
        key = (rule, *(part.key() for part in parts))
        if key not in self._known:
            self._known[key] = made(rule, *parts)
        return self._known[key]

    def either(self, one: Value, other: Value, chosen: Truth = _UNTOLD) -> Value:
        """One of two values; ``chosen`` says when it is the first."""
        if isinstance(one, Form) and isinstance(other, Form):
            if one.key() == other.key():
                return one
            return _choice(one, other, chosen)
        if isinstance(one, Truth) and isinstance(other, Truth):
            return Truth(tuple(c for c in one.yes if c in other.yes), tuple(c for c in one.no if c in other.no))
        if isinstance(one, tuple) and isinstance(other, tuple):
            return one if one == other else (*one, *other)
        return one if isinstance(one, tuple) else other if isinstance(other, tuple) else None


def _choice(one: Form, other: Form, chosen: Truth) -> Form:
    split = 2 + len(chosen.yes)

    def rule(bounds: Bounds, parts: tuple[Form, ...]) -> Range:
        yes, no = parts[2:split], parts[split:]
        (a, b) = (Bounds([*bounds.constraints, *yes]) if yes else bounds).range(parts[0])
        (c, d) = (Bounds([*bounds.constraints, *no]) if no else bounds).range(parts[1])
        return min(a, c), max(b, d)

    return made(rule, one, other, *chosen.yes, *chosen.no)


def compared(predicate: str, one: Form, other: Form) -> Truth:
    """``arith.cmpi``."""
    less, more = one - other, other - one  # <= 0 where one <= other, one >= other
    strictly_less, strictly_more = less.shifted(1), more.shifted(1)
    kind = predicate.lstrip("su") if predicate not in ("eq", "ne") else predicate
    table: dict[str, tuple[Condition, Condition]] = {
        "lt": ((strictly_less,), (more,)),
        "le": ((less,), (strictly_more,)),
        "gt": ((strictly_more,), (less,)),
        "ge": ((more,), (strictly_less,)),
        "eq": ((less, more), ()),
        "ne": ((), (less, more)),
    }
    yes, no = table[kind]
    return _decided(Truth(yes, no))


def _decided(truth: Truth) -> Truth:
    """With its value, where its ranges leave no doubt."""
    bounds = Bounds()
    if truth.yes and all(bounds.upper(form) <= 0 for form in truth.yes):
        return Truth(truth.yes, truth.no, True)
    if truth.no and all(bounds.upper(form) <= 0 for form in truth.no):
        return Truth(truth.yes, truth.no, False)
    return truth


def logical(name: str, one: Truth, other: Truth) -> Truth:
    """``and``, ``or``, ``xor`` of booleans."""
    known = (one.value, other.value)
    if name == "arith.andi":
        value = False if False in known else True if known == (True, True) else None
        return Truth(one.yes + other.yes, one.no if other.value else other.no if one.value else (), value)
    if name == "arith.ori":
        value = True if True in known else False if known == (False, False) else None
        yes = one.yes if other.value is False else other.yes if one.value is False else ()
        return Truth(yes, one.no + other.no, value)
    for this, that in ((one, other), (other, one)):
        if that.value is not None:
            same = Truth(this.yes, this.no, this.value)
            turned = Truth(this.no, this.yes, None if this.value is None else not this.value)
            return turned if that.value else same
    return _UNTOLD


def moved(value: Value, move: Move) -> Value:
    """A value laid out in another way; ``move`` gives the new axes."""
    if isinstance(value, Form):
        return value.moved(move)
    if isinstance(value, Truth):
        yes, no = (tuple(form.moved(move) for form in forms) for forms in (value.yes, value.no))
        return Truth(yes, no, value.value)
    if isinstance(value, tuple):
        return tuple(Pointer(pointer.base, pointer.offset.moved(move)) for pointer in value)
    return None


def unknown(axes: Axes = ()) -> Form:
    """An integer that may be anything."""
    return atom(*EVERYTHING, axes=axes)
