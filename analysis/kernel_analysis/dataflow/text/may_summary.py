"""What each function of a slice may do to memory with its own parameters, whatever they are: all branches taken, all
loops gone round. Linear in the text.

A bit of a flow says how a parameter got there: its own value, a number that became a pointer, what was loaded through
it, what was loaded and became a pointer, what was added to a pointer; behind these five fields, functions. The last
parameter is memory itself; where it *became a pointer*, some number did, which may be 0; where it was *added to one*,
what nobody knows may access all that is in memory; its *own value* is every address that the kernel was given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from kernel_analysis.dataflow.text.call_effects import parameter_names
from kernel_analysis.dataflow.text.handed_texts import HandedTexts
from kernel_analysis.dataflow.text.language_calls import Access
from kernel_analysis.dataflow.text.name_flow import Callee
from kernel_analysis.dataflow.text.statements import Statements
from kernel_analysis.dataflow.text.value import (
    BLOCK,
    GIVEN_BACK,
    NOTHING,
    OBJECT,
    UNSEEN,
    TextValue,
    TooInvolved,
    sort_of,
    whole,
)
from kernel_analysis.record import record
from kernel_analysis.source.slice import AggregateRef, Slice

if TYPE_CHECKING:
    from kernel_analysis.dataflow.text.summaries import TextSummaries

RAW, CAST, LOADED, TABLE, ASIDE = range(5)
_PLANES = 5


@record(eq=False)
class MaySummary:
    """``reads``, ``writes``: the flows of all addresses that may be accessed; ``stored``: of what may be put into
    memory; ``result``: of what it gives back. Bits as in the module's head, ``width`` a field; its last parameter is
    memory itself. ``of_loaded``: something that was loaded becomes an address. ``puts``: something is put into memory,
    into shared memory, too, whatever it is."""

    parameters: tuple[str, ...]
    reads: int
    writes: int
    stored: int
    result: TextValue
    width: int
    of_loaded: bool = False
    puts: bool = False
    places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.places = {name: number for number, name in enumerate(self.parameters)}  # pyright: ignore

    def may(self, kind: Access, parameter: str, sort: str, table: bool, tables: bool) -> bool:
        """Whether a parameter may be accessed; ``sort``: it is a ``pointer``, or a ``number``, so that it must have
        become one, or ``unsure`` which of them. ``table``: through addresses that were loaded through it. ``tables``:
        what is loaded through it may be an address as it is."""
        accessed = self.reads if kind == "read" else self.writes
        index = self.places.get(parameter)
        if index is None:
            return False
        if sort != "number" and self.foreign(accessed):
            return True
        through = accessed >> TABLE * self.width
        if tables:
            through |= accessed >> LOADED * self.width
        through &= (1 << self.width) - 1
        if table:
            kept = accessed >> TABLE * self.width + self.width - 1 & self.stored >> TABLE * self.width + index
            return bool((through >> index | kept) & 1)
        found = accessed >> CAST * self.width >> index & 1
        if sort != "number":
            found |= accessed >> index & 1
        if sort == "pointer" or sort == "unsure" and through:
            found |= accessed >> ASIDE * self.width + index & 1
        through |= sort == "pointer" and accessed >> ASIDE * self.width + self.width - 1 & 1
        return bool(found) or bool(through) and self.may_be_stored(parameter, sort)

    @property
    def made(self) -> bool:
        """Whether an address that is accessed may have been made of numbers."""
        return self.of_loaded or bool((self.reads | self.writes) >> CAST * self.width + self.width - 1 & 1)

    def keeps(self, pointers: Iterable[str]) -> bool:
        """Whether some of an address may be put into memory, as it is or as a number; ``pointers``: what is one."""
        wanted = 1 << self.width - 1
        for name in pointers:
            wanted |= 1 << self.places.get(name, self.width - 1)
        return any(self.stored >> plane * self.width & wanted for plane in (RAW, CAST, ASIDE))

    def foreign(self, accessed: int) -> bool:
        """Whether everything that the kernel was given is among these flows."""
        return bool(accessed >> self.width - 1 & 1)

    def touches(self, accessed: int, number: int) -> bool:
        """Whether a parameter is among these flows in any way."""
        return any(accessed >> plane * self.width >> number & 1 for plane in range(_PLANES))

    def may_be_stored(self, parameter: str, sort: str) -> bool:
        """Whether a parameter's own value may be put into memory, from where it may come back."""
        index = self.places[parameter]
        stored = self.stored | self.stored >> CAST * self.width
        if sort == "pointer":
            stored |= self.stored >> ASIDE * self.width
        return bool(stored >> index & 1)


class Summarizer(Statements):
    def __init__(
        self,
        slice_: Slice,
        index: int,
        sorts: frozenset[tuple[str, int]],
        pointers: frozenset[str],
        classes: frozenset[tuple[str, AggregateRef]],
        known: TextSummaries,
    ) -> None:
        super().__init__(slice_, index)
        self._known = known
        self.parameters = tuple(parameter_names(self.function))
        self.width = len(self.parameters) + 1
        self.field = (1 << self.width) - 1
        self._unknown_bit = 1 << _PLANES * self.width
        self._made_bit = 1 << CAST * self.width + self.width - 1
        self._functions: dict[Callee, int] = {}
        self._by_bit: list[Callee] = []
        self.reads = self.writes = self.stored = 0
        self._of_loaded = False
        kinds, known_sorts = dict(classes), dict(sorts)
        for number, name in enumerate(self.parameters):
            made = kinds.get(name)
            sort = known_sorts.get(name, OBJECT)
            self.env[name] = TextValue(1 << number, pointer=name in pointers, sort=sort, made=made)
        self._given = tuple(self.env.values())
        self._of_objects = sum(value.flow for value in self._given if value.made is not None)

    def summary(self) -> MaySummary:
        try:
            self.block(self.function.node.body)
        except (TooInvolved, RecursionError):
            return _everything(self.parameters)
        addresses = (1 << _PLANES * self.width) - 1
        result = NOTHING if self.returned is None else self._own(self.returned)
        return MaySummary(
            self.parameters,
            self.reads & addresses,
            self.writes & addresses,
            self.stored & addresses,
            result,
            self.width,
            self._of_loaded,
            self.puts,
        )

    def _own(self, value: TextValue) -> TextValue:
        """A result in the caller's terms: functions in it are no longer known."""
        addresses = (1 << _PLANES * self.width) - 1
        flow = value.flow & addresses | (self._unknown_bit if value.flow & ~addresses else 0)
        items = None if value.items is None else tuple([self._own(item) for item in value.items])
        const = GIVEN_BACK if any(value is given for given in self._given) else UNSEEN
        return TextValue(flow, 0, items, const, value.pointer, value.fields, sort=value.sort, made=value.made)

    def of_constants(self, flow: int) -> int:
        # No address gets into a function in a constant: it is the caller's.
        return flow & ~self._of_objects

    # Nothing is told apart by launches here.

    def callable(self, callee: Callee) -> int:
        bit = self._functions.get(callee)
        if bit is None:
            bit = self._functions[callee] = 1 << _PLANES * self.width + 1 + len(self._by_bit)
            self._by_bit.append(callee)
        return bit

    def anything(self) -> int:
        return self._unknown_bit

    def varies(self, name: str) -> int:
        return 1 if name in self.function.varies else 0

    def option(self, what: str) -> int:
        return 1

    def gated(self, value: TextValue, gate: Any) -> TextValue:
        return value

    def uncertain(self, value: TextValue, dep: int) -> TextValue:
        return value

    def ways(self, node: ast.AST, test: TextValue) -> tuple[Any, Any] | None:
        return None

    def both_ways(self, node: ast.AST, dep: int) -> Any:
        return None

    def chosen(self, node: ast.AST, index: TextValue, count: int) -> list[Any] | None:
        return None

    def under(self, gate: Any, work: Any) -> TextValue:
        return work()

    def sometimes(self, dep: int, work: Any) -> TextValue:
        return work()

    def enter(self, gate: Any) -> Any:
        return None

    def leave(self, before: Any) -> Any:
        return None

    def through(self, value: TextValue, end: Any) -> TextValue:
        return value

    def reunite(self, ends: Sequence[Any]) -> None:
        pass

    def returns(self, value: TextValue) -> TextValue:
        return value

    def unrolled(self, node: ast.For, arguments: list[TextValue], dep: int, either: bool) -> bool:
        self.going_round(node.body, node.target)
        return True

    def may_be_pointer(self, value: TextValue) -> bool:
        return bool(whole(value) & ~(self.field << LOADED * self.width))

    # What reaches memory.

    def access(self, kind: Access, value: TextValue, node: ast.AST) -> None:
        flow = self._as_address(whole(value))
        if kind == "read":
            self.reads |= flow
        else:
            self.writes |= flow

    def escape(self, value: TextValue, node: ast.AST) -> None:
        self.stored |= whole(value)

    def _any_plane(self, flow: int) -> int:
        width = self.width
        every = flow | flow >> width | flow >> 2 * width | flow >> 3 * width
        return every & self.field >> 1 | flow >> LOADED * width & 1 << width - 1

    def loaded(self, value: TextValue) -> int:
        memory = 1 << self.width - 1
        return (self._any_plane(whole(value)) | memory) << LOADED * self.width

    def cast(self, flow: int, dep: int) -> int:
        aside = flow >> ASIDE * self.width & self.field
        return flow | (flow & (self.field | self.field << LOADED * self.width)) << self.width | aside << self.width

    def made(self) -> int:
        return self._made_bit

    def behind(self, value: TextValue) -> int:
        through = self._any_plane(whole(value)) & ~(1 << self.width - 1)
        return (through << TABLE * self.width | self.anywhere()) if through else 0

    def anywhere(self) -> int:
        return 1 << ASIDE * self.width + self.width - 1

    def kernels(self) -> int:
        return 1 << self.width - 1

    def of_loaded(self) -> None:
        self._of_loaded = True

    def is_made(self, flow: int) -> bool:
        return bool(flow & self._made_bit)

    def aside(self, flow: int) -> int:
        numbers = flow | flow >> CAST * self.width | flow >> ASIDE * self.width
        return (numbers & self.field >> 1) << ASIDE * self.width

    def offsets(self, flow: int) -> int:
        return flow >> ASIDE * self.width & self.field

    def of_memory(self, flow: int) -> int:
        return flow & (self.field << LOADED * self.width | self.field << TABLE * self.width)

    def telling(self, flow: int) -> int:
        return flow

    def numbers(self, flow: int) -> int:
        return flow & (1 << _PLANES * self.width) - 1

    def _as_address(self, flow: int) -> int:
        """What is accessed through an address: where it may have been made of a number, all that was added, too."""
        return self.cast(flow, 0) if flow & self._made_bit else flow

    def functions(self, value: TextValue) -> Iterable[tuple[Callee | None, Any]]:
        flow = whole(value)
        known = flow >> _PLANES * self.width + 1
        number = 0
        while known:
            if known & 1:
                yield self._by_bit[number], None
            known >>= 1
            number += 1
        if flow & (1 << _PLANES * self.width + 1) - 1:
            yield None, None

    @property
    def handed(self) -> HandedTexts:
        return self._known.handed

    def helper(self, index: int, given: dict[str, TextValue], node: ast.Call) -> TextValue:
        sorts = frozenset([(name, sort_of(value)) for name, value in given.items()])
        pointers = frozenset([name for name, value in given.items() if value.pointer])
        classes = frozenset([(name, value.made) for name, value in given.items() if value.made is not None])
        summary = self._known.of(index, sorts, pointers, classes)
        flows = [whole(given[name]) if name in given else 0 for name in summary.parameters]
        flows.append(0)
        self.reads |= self._as_address(self._applied(summary.reads, summary.width, flows))
        self.writes |= self._as_address(self._applied(summary.writes, summary.width, flows))
        self.stored |= self._applied(summary.stored, summary.width, flows)
        self._of_loaded |= summary.of_loaded
        if summary.puts:
            self.puts = True
            self.stored |= self.told
            for flow in flows:
                self.stored |= self.offsets(flow)
        return self._result(summary.result, summary.width, flows, [*map(given.get, summary.parameters), None])

    def _applied(self, flow: int, width: int, flows: list[int]) -> int:
        """A callee's flow in terms of this function."""
        if not flow:
            return 0
        made = self._unknown_bit if flow >> _PLANES * width & 1 else 0
        memory = 1 << width - 1
        field = (1 << width) - 1
        for plane in range(_PLANES):
            bits = flow >> plane * width & field
            if bits & memory:
                made |= 1 << plane * self.width + self.width - 1
                bits &= ~memory
            while bits:
                low = bits & -bits
                bits ^= low
                given = flows[low.bit_length() - 1]
                if plane == ASIDE:
                    given = self.aside(given)
                elif plane >= LOADED:
                    given = self._any_plane(given) << LOADED * self.width | self.offsets(given)  # (which place it was)
                made |= self.cast(given, 0) if plane in (CAST, TABLE) else given
        return made

    def _result(self, value: TextValue, width: int, flows: list[int], given: Sequence[TextValue | None]) -> TextValue:
        if value.items is not None:
            items = tuple([self._result(item, width, flows, given) for item in value.items])
            made = self._applied(value.flow, width, flows)
            return TextValue(made, 0, items, fields=value.fields, sort=value.sort, made=value.made)
        flow = value.flow
        if value.const is GIVEN_BACK:
            known = given[flow.bit_length() - 1]
            if known is not None and known.items is not None:
                return known
        made = self._applied(flow, width, flows)
        if not made and value.made is None and value.sort == BLOCK:
            return NOTHING
        return TextValue(made, pointer=value.pointer, sort=value.sort, made=value.made)


def _everything(parameters: tuple[str, ...]) -> MaySummary:
    width = len(parameters) + 1
    flow = (1 << _PLANES * width) - 1
    return MaySummary(parameters, flow, flow, flow, TextValue(flow | 1 << _PLANES * width), width, puts=True)
