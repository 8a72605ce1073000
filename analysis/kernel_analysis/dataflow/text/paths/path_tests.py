"""Paths as bits, and what they go through: tests, indices, returns. A path knows the compiles that went it so far.

What is followed, and how far, ``access_paths`` and ``unrolled_loops`` say.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from kernel_analysis.dataflow.text.language_calls import Access
from kernel_analysis.dataflow.text.may_summary import CAST
from kernel_analysis.dataflow.text.name_flow import Callee
from kernel_analysis.dataflow.text.paths.decision_traces import TracedFunction
from kernel_analysis.dataflow.text.statements import Statements
from kernel_analysis.dataflow.text.value import TextValue, TooInvolved, depends, whole, with_dep
from kernel_analysis.ir import At
from kernel_analysis.record import record
from kernel_analysis.source.slice import Slice

_PATHS = 20_000
_TRAILS = 12
_LONGEST = 24
TURNS_VARY = "how often a loop is unrolled"
_PLACES = (ast.Call, ast.Subscript, ast.IfExp, ast.BoolOp, ast.ListComp, ast.BinOp)


@record(eq=False)
class Note:
    """One thing that a path depends on: ``test`` going the way ``way`` (an index: that number); None: in a way that
    nothing records. ``dep``: why it varies. Each is made once, so that it is told by its identity."""

    at: At
    calls: tuple[At, ...]
    test: ast.AST | None
    way: object
    dep: int


Trail = tuple[Note, ...]
"""The last notes of a path: they say what it depends on most closely, and what a long way costs stays the same."""


@record
class Gate:
    """What a path goes through: the worlds in which it was open."""

    worlds: int
    note: Note


@record
class Control:
    """How one gets to a place."""

    worlds: int
    trail: Trail
    dep: int


@record
class Open:
    """A path that no compile went: what it depends on, and where it ends."""

    trail: Trail
    at: At
    calls: tuple[At, ...]


@record
class Label:
    """A parameter of the kernel, or an element of one, whose paths are followed. ``pointer``: it may be an address as
    it is, and is one if it is ``sure``; ``table``: what is loaded through it may be one as it is."""

    name: str
    pointer: bool
    sure: bool = False
    table: bool = False


class Gates(Statements):
    """``open``: by the name of a label and what is done to it, the paths that no compile went; ``labels``: whose paths
    are followed;"""

    place: TracedFunction
    control: Control
    here: ast.AST

    def __init__(self, slice_: Slice, index: int, place: TracedFunction, labels: list[Label]) -> None:
        super().__init__(slice_, index)
        self._made = 0
        self._sorted: dict[tuple[int, int], int] = {}
        self._counted = set[int]()
        self.open: dict[tuple[str, Access, bool], list[Open]] = {}
        self.reasons: list[str] = []
        self.place = place
        self.control = Control(place.all, (), 0)
        self.labels = labels
        self.width = len(labels) + 1
        self.here: ast.AST = ast.Pass()
        self._reason_bits: dict[str, int] = {}
        self._callables: list[Callee] = []
        self._callable_codes: dict[Callee, int] = {}
        self._notes: dict[object, Note] = {}
        self._paths: list[tuple[int, int, Trail]] = []
        self._bits: dict[tuple[int, int, Trail], int] = {}
        self._counts: dict[tuple[int, int], int] = {}
        self._gatings: dict[tuple[int, int, Note], int] = {}
        self._told: dict[object, ast.expr] = {}
        self._escapes: dict[tuple[int, bool, int], Open] = {}
        self._through: dict[Access, dict[int, Open]] = {"read": {}, "write": {}}
        self._anywhere: dict[Access, dict[int, Open]] = {"read": {}, "write": {}}

    # Reasons.

    def reason(self, text: str) -> int:
        """The bit of a reason why something varies."""
        bit = self._reason_bits.get(text)
        if bit is None:
            bit = self._reason_bits[text] = 1 << len(self.reasons)
            self.reasons.append(text)
        return bit

    def option(self, what: str) -> int:
        return self.reason(what)

    def varies(self, name: str) -> int:
        reason = self.function.varies.get(name)
        return 0 if reason is None else self.reason(f"`{name}` ({reason})")

    # Paths as bits.

    def path(self, code: int, worlds: int, trail: Trail) -> int:
        key = code, worlds, trail
        bit = self._bits.get(key)
        if bit is None:
            if len(self._paths) >= _PATHS:
                raise TooInvolved
            count = self._counts[code, worlds] = self._counts.get((code, worlds), 0) + 1
            if count > _TRAILS and trail:
                # Of so many that end alike, what each depends on is no longer told apart.
                bit = self._bits[key] = self.path(code, worlds, ())
                return bit
            bit = self._bits[key] = 1 << len(self._paths)
            if code == CAST * self.width + self.width - 1:
                self._made |= bit
            self._paths.append((code, worlds, trail))
        return bit

    def ways_of(self, flow: int) -> Iterator[tuple[int, int, Trail]]:
        while flow:
            low = flow & -flow
            flow ^= low
            yield self._paths[low.bit_length() - 1]

    def gate(self, flow: int, worlds: int, note: Note) -> int:
        """The paths behind a gate."""
        if not flow:
            return 0
        key = flow, worlds, note
        found = self._gatings.get(key)
        if found is None:
            found = 0
            for code, mask, trail in self.ways_of(flow):
                left = mask & worlds
                found |= self.path(code, left, trail if left == mask and mask else further(trail, note))
            self._gatings[key] = found
        return found

    def mapped(self, value: TextValue, change: Callable[[int], int]) -> TextValue:
        if value.items is None:
            if not value.flow:
                return value
            flow = change(value.flow)
            if flow == value.flow:
                return value
            return TextValue(
                flow, value.dep, None, value.const, value.pointer, value.fields, value.open, value.sort, value.made
            )
        items = tuple([self.mapped(item, change) for item in value.items])
        flow = change(value.flow)
        return TextValue(
            flow, value.dep, items, value.const, value.pointer, value.fields, value.open, value.sort, value.made
        )

    # What gates mean.

    def note(self, node: ast.AST, test: ast.AST | None, way: object, dep: int) -> Note:
        place = self.place
        ordinal = place.ordinals.get(node, 0)
        key = place.path, place.index, ordinal, test, type(way), way, dep
        made = self._notes.get(key)
        if made is None:
            made = self._notes[key] = Note(At(place.index, ordinal), self.calls(), test, way, dep)
        return made

    def calls(self) -> tuple[At, ...]:
        return tuple([At(*place) for place in self.place.path])

    def gated(self, value: TextValue, gate: Any) -> TextValue:
        if gate is None:
            return value
        return self.mapped(value, lambda flow: self.gate(flow, gate.worlds, gate.note))

    def uncertain(self, value: TextValue, dep: int) -> TextValue:
        if not dep or not whole(value):
            return value
        gate = Gate(0, self.note(self.here, None, None, dep))
        return self.gated(value, gate)

    def ways(self, node: ast.AST, test: TextValue) -> tuple[Any, Any] | None:
        dep = depends(test)
        if not dep:
            return None
        self.here = node
        ordinal = self.place.ordinals.get(node, -1)
        inner = self._in_this_turn(getattr(node, "test", None))
        return (
            Gate(self.place.went(ordinal, True), self.note(node, inner, True, dep)),
            Gate(self.place.went(ordinal, False), self.note(node, inner, False, dep)),
        )

    def both_ways(self, node: ast.AST, dep: int) -> Any:
        if not dep:
            return None
        ordinal = self.place.ordinals.get(node, -1)
        worlds = self.place.went(ordinal, True) & self.place.went(ordinal, False)
        return Gate(worlds, self.note(node, None, None, dep))

    def _in_this_turn(self, test: ast.expr | None) -> ast.expr | None:
        """The test with what is known of the turn of a loop in place of its names."""
        if test is None or not any(world.turns for world in self.place.worlds.values()):
            return test
        known = {
            inner.id: self.env[inner.id].const
            for inner in ast.walk(test)
            if isinstance(inner, ast.Name) and inner.id in self.env and type(self.env[inner.id].const) in (int, bool)
        }
        if not known:
            return test
        key = id(test), tuple(known.items())
        if key not in self._told:
            self._told[key] = _Told(known).visit(copy.deepcopy(test))
        return self._told[key]

    def chosen(self, node: ast.AST, index: TextValue, count: int) -> list[Any] | None:
        dep = depends(index)
        if not dep:
            return None
        ordinal = self.place.ordinals.get(node, -1)
        inner = self._in_this_turn(getattr(node, "slice", None))
        return [
            Gate(self.place.went(ordinal, k) | self.place.went(ordinal, k - count), self.note(node, inner, k, dep))
            for k in range(count)
        ]

    def under(self, gate: Any, work: Callable[[], TextValue]) -> TextValue:
        if gate is None:
            return work()
        before = self.enter(gate)
        try:
            return work()
        finally:
            self.control = before

    def sometimes(self, dep: int, work: Callable[[], TextValue]) -> TextValue:
        if not dep:
            return work()
        return self.under(Gate(0, self.note(self.here, None, None, dep)), work)

    def enter(self, gate: Any) -> Any:
        before = self.control
        if gate is not None:
            worlds = before.worlds & gate.worlds
            trail = before.trail if worlds == before.worlds and worlds else further(before.trail, gate.note)
            self.control = Control(worlds, trail, before.dep | gate.note.dep)
        return before

    def leave(self, before: Any) -> Any:
        end, self.control = self.control, before
        return end

    def reunite(self, ends: Sequence[Any]) -> None:
        if not ends:
            return
        before = self.control
        worlds = dep = 0
        for end in ends:
            worlds |= end.worlds
            dep |= end.dep
        if worlds == before.worlds and len(ends) > 1:
            return
        # What all have in common is what it surely depends on.
        self.control = Control(worlds, ends[0].trail if len(ends) == 1 else before.trail, dep)

    def through(self, value: TextValue, end: Any) -> TextValue:
        worlds, added = end.worlds, end.trail

        def gate(flow: int) -> int:
            made = 0
            for code, mask, trail in self.ways_of(flow):
                left = mask & worlds
                made |= self.path(code, left, trail if left == mask and left else together(added, trail))
            return made

        return self.mapped(value, gate)

    def returns(self, value: TextValue) -> TextValue:
        if self.place.expanded:
            # Of a loop that is unrolled any number of times: later turns are compiled all the same.
            value = self.uncertain(value, self.control.dep | self.reason(TURNS_VARY))
        return with_dep(self.through(value, self.control), self.control.dep)

    # What is said of values.

    def callable(self, callee: Callee) -> int:
        code = self._callable_codes.get(callee)
        if code is None:
            code = self._callable_codes[callee] = len(self._callables)
            self._callables.append(callee)
        return self.path(-2 - code, -1, ())

    def anything(self) -> int:
        return self.path(-1, -1, ())

    def functions(self, value: TextValue) -> Iterable[tuple[Callee | None, Any]]:
        known = unknown = 0
        for code, worlds, trail in list(self.ways_of(whole(value))):
            if code <= -2:
                known += 1
                yield self._callables[-2 - code], None if worlds == -1 else Gate(worlds, self._last(trail, value))
            else:
                unknown += 1
        if unknown or not known:
            yield None, Gate(0, self.note(self.here, None, None, depends(value) or self.reason("what is called")))

    def may_be_called(self, value: TextValue) -> bool:
        # A parameter that may be a function, or have some in it, is one that nobody knows.
        objects = bool(self.slice.aggregates) or any(code < 0 for code, _, _ in self.ways_of(whole(value)))
        return objects and not self.is_block(value)

    def _last(self, trail: Trail, value: TextValue) -> Note:
        return trail[-1] if trail else self.note(self.here, None, None, depends(value) or self.reason("what is called"))

    def moved(self, value: TextValue, change: Callable[[int], int]) -> TextValue:
        """The value with the worlds of its paths changed."""

        def moved(flow: int) -> int:
            made = 0
            for code, worlds, trail in self.ways_of(flow):
                made |= self.path(code, change(worlds), trail)
            return made

        return self.mapped(value, moved)

    def place_of(self, body: list[ast.stmt]) -> object:
        return id(body), self.place.path, tuple(self.place.worlds.items())

    def expr(self, node: ast.expr) -> TextValue:
        if node.__class__ in _PLACES:
            self.here = node
        return super().expr(node)


class _Told(ast.NodeTransformer):
    def __init__(self, known: dict[str, object]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self._known[node.id]) if node.id in self._known else node  # pyright: ignore


def further(trail: Trail, note: Note) -> Trail:
    """The trail with one more note."""
    return trail if note in trail else (*trail[1 - _LONGEST :], note)


def together(one: Trail, other: Trail) -> Trail:
    if not one or not other:
        return one or other
    return (*one, *[note for note in other if note not in one])[-_LONGEST:]
