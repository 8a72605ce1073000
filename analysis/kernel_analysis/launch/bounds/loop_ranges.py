"""What the variables of a loop are in any of its turns, and after the last. The body is a function that is given; this
knows no operation of the Ir. A bounded number of turns is tried; what isn't settled by then may be anything."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from kernel_analysis.launch.bounds.integers import Arithmetic, Condition, Pointer, Truth, Value, unknown
from kernel_analysis.launch.bounds.linear_forms import Bounds, Form, Number, atom

_TURNS = 6


def settled(
    starts: list[Value], turns: Form, turn: Callable[[list[Value]], list[Value]], holds: Condition
) -> list[Value]:
    """The variables as forms of the number of ``turns`` where they grow evenly, else as ranges. ``turn`` gives what one
    turn makes of them; ``holds`` is what holds in it."""
    if not any(isinstance(start, Form | tuple) for start in starts):
        return [Truth() if isinstance(start, Truth) else None for start in starts]
    probes = [_probe(start) for start in starts]
    ends = turn(probes)
    grown: list[Value | Literal["?"]] = []
    for start, probe, end in zip(starts, probes, ends, strict=True):
        grown.append(_grown(start, probe, end, turns))
    if "?" not in grown:
        return [value for value in grown if value != "?"]
    # The others: what they may be after a few turns, where that holds them; else anything.
    guess = [start if value == "?" else value for value, start in zip(grown, starts, strict=True)]
    for _ in range(_TURNS):
        ends = turn(guess)
        if all(v != "?" or _inside(e, g, holds) for v, e, g in zip(grown, ends, guess, strict=True)):
            return guess
        guess = [
            _hull(now, end, holds) if value == "?" else value
            for value, now, end in zip(grown, guess, ends, strict=True)
        ]
    return [_anything(value) if how == "?" else value for how, value in zip(grown, guess, strict=True)]


def left(
    starts: list[Value], ends: list[Value], carried: list[Value], turns: Form, count: Number | None,
    arithmetic: Arithmetic,
) -> list[Value]:  # fmt: skip
    """What the loop leaves: after its last turn, or the start where it may not turn at all. ``carried``: the variables
    in any turn; ``count``: the number of turns, None where that is not exact."""
    out: list[Value] = []
    for start, end, value in zip(starts, ends, carried, strict=False):
        if count is not None and isinstance(start, Form) and isinstance(value, Form) and len(turns.terms) == 1:
            (turn,) = turns.terms
            slope = value.terms.get(turn)
            if slope is not None and math.isfinite(count) and value.plus(turns, -slope).key() == start.key():
                out.append(start.shifted(slope * count))
                continue
        out.append(arithmetic.either(start, end))
    return out


def _probe(start: Value) -> Value:
    """Anything of the kind of a value: what a turn does to it is what it does to all of them."""
    if isinstance(start, Form):
        return unknown(start.axes)
    if isinstance(start, tuple):
        return tuple(Pointer(pointer.base, unknown(pointer.offset.axes)) for pointer in start)
    return Truth() if isinstance(start, Truth) else None


def _anything(value: Value) -> Value:
    if isinstance(value, tuple):
        bases = dict.fromkeys(pointer.base for pointer in value)
        axes = next((pointer.offset.axes for pointer in value if pointer.offset.axes), ())
        return tuple(Pointer(base, atom(-math.inf, math.inf, "turn", axes)) for base in bases)
    return atom(-math.inf, math.inf, "turn", value.axes) if isinstance(value, Form) else value


def _grown(start: Value, probe: Value, end: Value, turns: Form) -> Value | Literal["?"]:
    """The value in any turn, where each adds the same to it."""
    if isinstance(start, Form) and isinstance(probe, Form) and isinstance(end, Form):
        added = end - probe
        step = added.fixed
        return "?" if step is None or not turns.terms else start.plus(turns, step)
    if isinstance(start, tuple) and isinstance(probe, tuple) and isinstance(end, tuple):
        if len(start) != len(end) or any(a.base != b.base for a, b in zip(start, end, strict=True)):
            return "?"
        out: list[Pointer] = []
        for one, middle, last in zip(start, probe, end, strict=True):
            offset = _grown(one.offset, middle.offset, last.offset, turns)
            if not isinstance(offset, Form):
                return "?"
            out.append(Pointer(one.base, offset))
        return tuple(out)
    return Truth() if isinstance(start, Truth) else None


def _hull(start: Value, end: Value, holds: Condition) -> Value:
    """A range that has both."""
    bounds = Bounds(holds)
    if isinstance(start, Form) and isinstance(end, Form):
        (a, b), (c, d) = bounds.range(start), bounds.range(end)
        return atom(min(a, c), max(b, d), axes=start.axes or end.axes)
    if isinstance(start, tuple) and isinstance(end, tuple):
        out: list[Pointer] = []
        for base in dict.fromkeys(pointer.base for pointer in (*start, *end)):
            ranges = [bounds.range(pointer.offset) for pointer in (*start, *end) if pointer.base == base]
            axes = next((pointer.offset.axes for pointer in (*start, *end) if pointer.offset.axes), ())
            out.append(Pointer(base, atom(min(r[0] for r in ranges), max(r[1] for r in ranges), axes=axes)))
        return tuple(out)
    return start


def _inside(end: Value, guess: Value, holds: Condition) -> bool:
    bounds = Bounds(holds)
    if isinstance(end, Form) and isinstance(guess, Form):
        (a, b), (c, d) = bounds.range(end), bounds.range(guess)
        return c <= a and b <= d
    if isinstance(end, tuple) and isinstance(guess, tuple):
        held = {pointer.base: bounds.range(pointer.offset) for pointer in guess}
        return all(
            p.base in held
            and held[p.base][0] <= bounds.range(p.offset)[0]
            and bounds.upper(p.offset) <= held[p.base][1]
            for p in end
        )
    return not isinstance(guess, Form | tuple)
