"""The ways that a kernel's parameters may take through its text to an access, each with the compiles that went that
way: where none did, nobody has seen what happens there.

Follows calls into the functions that they lead to, with what they are given. What does not vary from launch to launch
needs no compile of its own: any that got there shows it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from kernel_analysis.dataflow.text.call_effects import parameter_names
from kernel_analysis.dataflow.text.handed_texts import HandedTexts
from kernel_analysis.dataflow.text.may_summary import RAW, MaySummary
from kernel_analysis.dataflow.text.paths.decision_traces import CompileTrace, TracedFunction, World
from kernel_analysis.dataflow.text.paths.path_tests import Control, Label, Open, further
from kernel_analysis.dataflow.text.paths.unrolled_loops import Turns
from kernel_analysis.dataflow.text.summaries import TextSummaries
from kernel_analysis.dataflow.text.value import (
    BLOCK,
    CONSTANT,
    DESCRIPTOR,
    NOTHING,
    OBJECT,
    OWN,
    UNSEEN,
    Either,
    TextValue,
    TooInvolved,
    depends,
    heap,
    whole,
)
from kernel_analysis.record import record
from kernel_analysis.source.slice import AggregateRef, Slice, SliceFunction, TritonObject

__all__ = ["Open", "Paths", "Start", "parameter_sorts", "sure_pointers"]

_DEEPEST = 16
_AGAIN = 6
"""How often a function is followed within itself."""
_STEPS = 8_000
"""Statements that are followed, over all calls and turns."""
_HASHED = (bool, int, float, str, type(None), TritonObject, Either)


@record
class Start:
    """A parameter as the text is begun with. ``kind``: ``pointer``, ``number``, ``unsure`` which of them,
    ``float``, ``buffer`` (memory that the kernel allocates), or ``constant``; a tuple has ``items``, and an aggregate
    their names, too. ``made``: its class, where that is known. ``descriptor``: the pointer is a tensor descriptor,
    wherever it was compiled. ``numbers``: the compiles in which what is a pointer otherwise was a number."""

    name: str
    kind: str
    items: tuple[Start, ...] | None = None
    fields: tuple[str, ...] = ()
    made: AggregateRef | None = None
    descriptor: bool = False
    numbers: frozenset[int] = frozenset()


class Paths(Turns):
    """Of one function of a slice, whose parameters are ``starts``; ``wanted``: those whose paths are followed;
    ``tables``: those through which addresses may be loaded as they are, None: there are no pointers to pointers."""

    index: int

    def __init__(
        self, slice_: Slice, index: int, starts: Sequence[Start], wanted: Iterable[str], traces: Sequence[CompileTrace],
        summaries: TextSummaries, tables: frozenset[str] | None,
    ) -> None:  # fmt: skip
        worlds: dict[int, World] = {}
        self._compiles: dict[int, int] = {}
        for number, trace in enumerate(traces):
            for name, (function, _) in trace.functions.items():
                if function == index and (index or name == trace.entry):
                    world = self.new_world()
                    worlds[world] = World(trace, (name,))
                    self._compiles[world] = number
        self._ordinals: dict[int, dict[object, int]] = {}
        self.slice = slice_
        self.tables = tables is not None
        labels = [label for start in starts for label in _labels(start, frozenset(wanted), tables or frozenset())]
        super().__init__(slice_, index, TracedFunction(index, worlds, self._ordinals_of(index)), labels)
        self._summaries = summaries
        self._starts = starts
        self._steps = _STEPS
        self._stack = [index]
        self._helped: dict[object, TextValue] = {}
        self.given_up = ""
        """Why the text is not followed to its end."""

    def _ordinals_of(self, index: int) -> dict[object, int]:
        found = self._ordinals.get(index)
        if found is None:
            nodes = self.slice.functions[index].nodes
            found = self._ordinals[index] = dict(zip(nodes, range(len(nodes)), strict=True))
        return found

    def run(self) -> bool:
        """Follow the text; False if it is too much."""
        self.misplaced = self.slice.moved({names for start in self._starts for names in _named(start)})
        for start in self._starts:
            self.env[start.name] = self._begin(start, self.reason(f"`{start.name}`"))
        for name in parameter_names(self.function):
            if name not in self.env:
                self.env[name] = TextValue(self.anything(), self.reason(f"`{name}`"))
        try:
            self.block(self.function.node.body)
        except (TooInvolved, RecursionError) as error:
            self.given_up = str(error) if isinstance(error, TooInvolved) else ""
            return False
        self.come_back()
        return True

    def _begin(self, start: Start, dep: int) -> TextValue:
        if start.items is not None:
            items = tuple([self._begin(item, dep) for item in start.items])
            made = start.made or (self._class_of(start) if start.fields else None)
            sort = CONSTANT if not start.fields else OBJECT if made is None else OWN
            return TextValue(0, dep, items, fields=start.fields, open=not start.fields, sort=sort, made=made)
        if start.kind == "constant":
            # It may be a function, or have some in it.
            return TextValue(self.anything(), dep, sort=CONSTANT)
        flow = 0
        for number, label in enumerate(self.labels):
            if label.name == start.name:
                # What was compiled as a number shows nothing of what an address would do.
                worlds = 0 if start.kind == "unsure" else self.place.all & ~self._as_number(start)
                flow = self.path(RAW * self.width + number, worlds, ())
        const = DESCRIPTOR if start.descriptor else UNSEEN
        return TextValue(flow, dep, const=const, pointer=start.kind == "pointer", sort=BLOCK)

    def _as_number(self, start: Start) -> int:
        """The worlds in which a pointer was compiled as a number."""
        return sum(world for world, number in self._compiles.items() if number in start.numbers)

    def _class_of(self, start: Start) -> AggregateRef | None:
        """The aggregate that a helper's parameter is one of, where only one in the slice has such fields."""
        known = range(len(self.slice.aggregates))
        found = [index for index in known if self.slice.certain_members(index)[0].keys() >= set(start.fields)]
        return AggregateRef(found[0]) if len(found) == 1 else None

    # Functions within functions.

    def block(self, body: list[ast.stmt]) -> bool:
        self._steps -= len(body)
        if self._steps < 0:
            raise TooInvolved
        return super().block(body)

    @property
    def handed(self) -> HandedTexts:
        return self._summaries.handed

    def helper(self, index: int, given: dict[str, TextValue], node: ast.Call) -> TextValue:
        if len(self._stack) >= _DEEPEST or self._stack.count(index) >= _AGAIN:
            return self._summed_up(index, given, node)
        outer = self.place
        ordinal = outer.ordinals.get(node, -1)
        worlds: dict[int, World] = {}
        elsewhere = 0
        for bit, world in outer.worlds.items():
            inside = world.called(ordinal, index)
            elsewhere |= 0 if inside else bit
            worlds[bit] = inside or world
        path = (*outer.path, (outer.index, max(ordinal, 0)))
        before = control = self.control
        if elsewhere & control.worlds:
            # A compile that came here, and called another function, shows nothing of this one.
            which = self.note(node, None, None, self.reason("what is called"))
            control = self.control = Control(control.worlds & ~elsewhere, further(control.trail, which), control.dep)
        # All that what it does hangs on: what is told by it, too.
        told = self.told, len(self._counted), outer.expanded
        key = (index, path, control, tuple(worlds.items()), told, tuple([(n, _content(v)) for n, v in given.items()]))
        known = self._helped.get(key)
        if known is not None:
            self.control = before
            return known
        if self.told and self._summaries.of(index).puts:
            self.tell(self.told, node)
        state = (
            self.function, self.bindings, self.index, self.env, self.returned, self.nested, self.here, self.rebound,
            self.told,
        )  # fmt: skip
        self.function = self.slice.functions[index]
        self.bindings, self.index, self.returned, self.nested = self.function.bindings, index, None, 0
        self.rebound, self.told = None, 0
        names = parameter_names(self.function)
        self.env = {name: given.get(name, NOTHING) for name in names}
        self.place = TracedFunction(index, worlds, self._ordinals_of(index), path, expanded=outer.expanded)
        self._stack.append(index)
        try:
            self.block(self.function.node.body)
            made = NOTHING if self.returned is None else self.returned
        finally:
            self._stack.pop()
            self.place, self.control = outer, before
            (
                self.function, self.bindings, self.index, self.env, self.returned, self.nested, self.here, self.rebound,
                self.told,
            ) = state  # fmt: skip
        self._helped[key] = made
        return made

    def evaluated(self, function: SliceFunction, node: ast.expr) -> TextValue:
        ordinals, self.place.ordinals = self.place.ordinals, {}
        try:
            return super().evaluated(function, node)
        finally:
            self.place.ordinals = ordinals

    def _summed_up(self, index: int, given: dict[str, TextValue], node: ast.Call) -> TextValue:
        """A function that is not followed: all that its text may do, and nobody has seen."""
        summary: MaySummary = self._summaries.of(index)
        dep = self.reason(f"how often `{self.slice.functions[index].name}` calls itself")
        self.here = node
        self.of_numbers = True
        everywhere = TextValue(self.gate(self.kernels(), 0, self.note(node, None, None, dep)))
        if summary.foreign(summary.reads):
            self.access("read", everywhere, node)
        if summary.foreign(summary.writes):
            self.access("write", everywhere, node)
        for number, name in enumerate(summary.parameters):
            value = given.get(name)
            if value is None:
                continue
            dep |= depends(value)
            opened = self.gate(whole(value), 0, self.note(node, None, None, dep))
            address = TextValue(self.cast(opened, 0) | self.cast(self.loaded(TextValue(opened)), 0))
            if summary.touches(summary.reads, number):
                self.access("read", address, node)
            if summary.touches(summary.writes, number):
                self.access("write", address, node)
            if summary.touches(summary.stored, number):
                self.escape(address, node)
        made = heap(given.values(), dep)
        everything = self.gate(self.cast(made.flow, 0) | self.loaded(made), 0, self.note(node, None, None, dep))
        return TextValue(everything | self.anything(), dep)


def _named(start: Start) -> Iterator[tuple[str, ...]]:
    """The names of the items of each named tuple in a parameter."""
    if start.fields and start.made is None:
        yield start.fields
    for item in start.items or ():
        yield from _named(item)


def _labels(start: Start, wanted: frozenset[str], tables: frozenset[str]) -> Iterator[Label]:
    if start.items is not None:
        for item in start.items:
            yield from _labels(item, wanted, tables)
    elif start.kind not in ("constant", "float", "buffer") and start.name in wanted:
        yield Label(start.name, start.kind in ("pointer", "unsure"), start.kind == "pointer", start.name in tables)


def _content(value: TextValue) -> object:
    items = None if value.items is None else tuple(map(_content, value.items))
    const = value.const if isinstance(value.const, _HASHED) else id(value.const)
    return (
        value.flow, value.dep, items, type(const), const, value.pointer, value.fields, value.open, value.sort,
        value.made,
    )  # fmt: skip


def parameter_sorts(starts: Sequence[Start]) -> frozenset[tuple[str, int]]:
    """What each is at most."""
    return frozenset([(start.name, _sort(start)) for start in starts])


def _sort(start: Start) -> int:
    if start.items is None:
        return CONSTANT if start.kind == "constant" else BLOCK
    own = CONSTANT if not start.fields else OBJECT if start.made is None else OWN
    return max((own, *map(_sort, start.items)))


def sure_pointers(starts: Sequence[Start]) -> frozenset[str]:
    """Those that are addresses, whatever is passed."""
    return frozenset([s.name for s in starts if s.items is None and s.kind == "pointer"])
