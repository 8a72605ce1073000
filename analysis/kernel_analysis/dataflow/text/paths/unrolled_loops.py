"""Loops that are unrolled when a kernel is compiled: turn by turn where their number is the same for every launch, and
any number of turns where it is not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import field

from kernel_analysis.dataflow.text.inner_names import bound_within
from kernel_analysis.dataflow.text.paths.decision_traces import TracedFunction, World
from kernel_analysis.dataflow.text.paths.memory import Memory
from kernel_analysis.dataflow.text.paths.path_tests import TURNS_VARY, Control, Gate, Label, Note, further
from kernel_analysis.dataflow.text.value import BLOCK, NOTHING, UNSEEN, TextValue, TooInvolved, join, same, with_dep
from kernel_analysis.record import record
from kernel_analysis.source.slice import Slice

_TURNS = 12
"""Turns that are followed one by one."""


@record
class _Expanded:
    """The turns of a loop as worlds. ``into``: those that each world around it becomes; ``first``, ``last``: the turns
    that are; ``none``: the worlds around it in which it has none. ``changing``: names to which turns give other values.
    """

    worlds: dict[int, World]
    into: dict[int, int]
    first: int
    last: int
    none: int
    changing: set[str] = field(default_factory=set[str])


class Turns(Memory):
    """``new_world`` numbers a further world."""

    _next_world = 1

    def __init__(self, slice_: Slice, index: int, place: TracedFunction, labels: list[Label]) -> None:
        super().__init__(slice_, index, place, labels)
        self._expanded: dict[object, _Expanded] = {}

    def new_world(self) -> int:
        """A bit that no world has."""
        bit, self._next_world = self._next_world, self._next_world << 1
        return bit

    def unrolled(self, node: ast.For, arguments: list[TextValue], dep: int, either: bool) -> bool:
        ordinal = self.place.ordinals.get(node, -1)
        counts = {world.count(ordinal) for world in self.place.worlds.values() if world.unrolls(ordinal)}
        if not dep and len(counts) == 1:
            (count,) = counts
            if count is not None and count[0] <= _TURNS:
                return self._turn_by_turn(node, ordinal, count[0], arguments)
        if not dep and not counts:
            # No compile came here: whatever it does is open by that alone, or never happens.
            self.going_round(node.body, node.target)
            return True
        self._any_turns(node, ordinal, dep | self.reason(TURNS_VARY), either)
        return True

    def _turn_by_turn(self, node: ast.For, ordinal: int, count: int, arguments: list[TextValue]) -> bool:
        outer = self.place.worlds
        numbers = [a.const for a in arguments]
        steps: Sequence[object] = [UNSEEN] * count
        in_order = isinstance(node.iter, ast.Call) and not node.iter.keywords
        whole = in_order and all(type(n) is int for n in numbers)
        if whole and 0 < len(numbers) <= 3 and (len(numbers) < 3 or numbers[2]):
            turns = range(*numbers)  # pyright: ignore[reportArgumentType]
            if len(turns) == count:
                steps = turns
        alive = True
        for number, step in enumerate(steps):
            self._inside({bit: world.turn(ordinal, number) for bit, world in outer.items()})
            self.bind(node.target, TextValue(const=step, sort=BLOCK))
            alive = alive and self.block(node.body)
        self._inside(outer)
        return alive

    def _inside(self, worlds: dict[int, World]) -> None:
        self.place.worlds = worlds
        self.place.known = {}

    def _any_turns(self, node: ast.For, ordinal: int, dep: int, either: bool) -> None:
        """Any number of turns, each like one of those that were compiled: what one hands to the next, and what is left
        of several, nobody has seen. ``either``: it may also be a loop that goes round when the kernel runs."""
        place, outer, control, before = self.place, self.place.worlds, self.control, self.env
        key = self.place_of(node.body), either
        turns = self._expanded.get(key)
        if turns is None:
            turns = self._expanded[key] = self._turns_of(ordinal, either)
        inner, into, first, last, none = turns.worlds, turns.into, turns.first, turns.last, turns.none

        def expand(worlds: int) -> int:
            return worlds if worlds == -1 else _union(many for bit, many in into.items() if worlds & bit)

        def project(worlds: int) -> int:
            return worlds if worlds == -1 else _union(b for b, many in into.items() if worlds & many & last)

        note = self.note(node, None, None, dep)
        head = {name: self.moved(value, expand) for name, value in before.items()}
        self._inside(inner)
        place.expanded += 1
        target = getattr(node.target, "id", None)
        changing = turns.changing
        kept = bound_within(node)
        known = self._heads.get(key, {})
        for name, value in known.items():
            # As in ``going_round``.
            old = head.get(name)
            if old is not None and name in changing:
                old = self.gated(old, Gate(first, note))
            head[name] = value if old is None else join(old, value)
        for _ in range(_TURNS):
            self.env = dict(head)
            worlds = expand(control.worlds)
            trail = control.trail if worlds or not control.worlds else further(control.trail, note)
            self.control = Control(worlds, trail, control.dep | dep)
            self.bind(node.target, TextValue(0, dep, sort=BLOCK))
            alive = self.block(node.body)
            control_at_end = self.control if alive else Control(0, self.control.trail, self.control.dep)
            end = control_at_end.worlds
            after = {
                name: value if value is head.get(name) else self.through(value, control_at_end)
                for name, value in self.env.items()
            }
            more: dict[str, TextValue] = {}
            for name, value in after.items():
                old = head.get(name)
                if old is value or name == target:
                    continue
                made = with_dep(self._carried(old, value, note), dep)
                if old is not None and name not in changing and (name in kept or not _holds(old, value)):
                    # What it was before the loop is there in the first turn alone.
                    old = self.gated(old, Gate(first, note))
                    made = with_dep(self._carried(old, value, note), dep)
                    changing.add(name)
                made = made if old is None else join(old, made)
                if old is None or not same(made, head.get(name, NOTHING)):
                    more[name] = made
            if not more:
                break
            head.update(more)
            known = self._heads[key] = {**known, **more}
        else:
            raise TooInvolved
        place.expanded -= 1
        self._inside(outer)
        # What follows is reached where no turn returns.
        left = _union(bit for bit, many in into.items() if control.worlds & bit and not many & ~end)
        left = control.worlds & (left | _union(bit for bit, many in into.items() if not many))
        trail = control.trail if left == control.worlds else further(control.trail, note)
        self.control = Control(left, trail, control.dep | (0 if left == control.worlds else dep))
        zero = Gate(none, note)
        self.env = dict(before)
        for name, value in after.items():
            old, start = before.get(name), head.get(name)
            same_as_before = start is None or _holds(self.moved(old or NOTHING, expand), start) and _holds(start, value)
            # (What an expression binds holds what it was, too: that says nothing of whether it still is that.)
            if old is not None and same_as_before and (value is start or name not in kept):
                if value is not start:
                    self.env[name] = with_dep(join(old, self.moved(value, project)), dep)
                continue
            made = self.moved(value, project)
            first = self.before(name) if old is None else old
            if first is not None:
                made = join(self.gated(first, zero), made)
            self.env[name] = with_dep(made, dep)

    def _turns_of(self, ordinal: int, either: bool) -> _Expanded:
        inner: dict[int, World] = {}
        into: dict[int, int] = {}
        first = last = none = 0
        for bit, world in self.place.worlds.items():
            into[bit] = 0
            if not world.unrolls(ordinal):
                new = self.new_world()
                # Never reached there, so nothing happens; or one that goes round when the kernel runs.
                same = either or not world.instances
                inner[new], into[bit] = world if same else World(world.trace, ()), new
                first, last, none = first | new, last | new, none | bit
                continue
            count, begun = world.count(ordinal) or (0, 0)
            none |= 0 if count else bit
            for number in range(begun):
                new = self.new_world()
                inner[new] = world.turn(ordinal, number)
                into[bit] |= new
                last |= new if number == count - 1 else 0
                first |= new if not number else 0
        return _Expanded(inner, into, first, last, none)

    def _carried(self, old: TextValue | None, value: TextValue, note: Note) -> TextValue:
        """What a turn leaves behind that was not there before it, for the next."""
        if old is not None and old.items is not None and value.items is not None and len(old.items) == len(value.items):
            items = tuple([self._carried(x, y, note) for x, y in zip(old.items, value.items, strict=True)])
            flow = self.gate(value.flow & ~old.flow, 0, note)
            return TextValue(
                flow, value.dep, items, value.const, False, value.fields, value.open, value.sort, value.made
            )
        here = 0 if old is None or old.items is not None or value.items is not None else old.flow
        return self.mapped(value, lambda flow: self.gate(flow & ~here, 0, note))


def _union(worlds: Iterable[int]) -> int:
    made = 0
    for one in worlds:
        made |= one
    return made


def _holds(old: TextValue, value: TextValue) -> bool:
    """Whether all paths of the value are those of the old one, each in its place."""
    if old.items is None or value.items is None:
        return old.items is value.items and old.flow == value.flow
    return len(old.items) == len(value.items) and old.flow == value.flow and all(map(_holds, old.items, value.items))
