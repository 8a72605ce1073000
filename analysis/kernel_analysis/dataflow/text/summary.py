"""What each function of a slice may do to memory with its own parameters, whatever they are: all branches taken, all
loops gone round. Linear in the text, and kept with it: an edit costs the edited function.

A bit of a flow says how a parameter got there: its own value, a number that became a pointer, what was loaded through
it, what was loaded and became a pointer; behind these four fields, functions.
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from kernel_analysis.dataflow.text.calls import Access, parameter_names
from kernel_analysis.dataflow.text.names import Callee
from kernel_analysis.dataflow.text.statements import Statements, TooMuch
from kernel_analysis.dataflow.text.value import NOTHING, Value, same, whole
from kernel_analysis.record import record
from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    FunctionRef,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    Slice,
    SliceFunction,
    TritonObject,
)

RAW, CAST, LOADED, TABLE = range(4)
_KEPT = 2048


@record(eq=False)
class MaySummary:
    """``reads``, ``writes``: the flows of all addresses that may be accessed; ``stored``: of what may be put into
    memory; ``result``: of what it gives back. Bits as in the module's head, ``width`` a field; its last parameter is
    memory itself."""

    parameters: tuple[str, ...]
    reads: int
    writes: int
    stored: int
    result: Value
    width: int

    def may(self, kind: Access, parameter: str, number: bool, table: bool, tables: bool) -> bool:
        """Whether a parameter may be accessed; ``number``: it is no pointer, so that it must have become one.
        ``table``: through addresses that were loaded through it. ``tables``: there are pointers to pointers, so that
        what is loaded may be an address as it is."""
        accessed = self.reads if kind == "read" else self.writes
        if parameter not in self.parameters:
            return False
        index = self.parameters.index(parameter)
        through = accessed >> TABLE * self.width
        if tables:
            through |= accessed >> LOADED * self.width
        through &= (1 << self.width) - 1
        if table:
            return bool(through >> index & 1)
        found = accessed >> CAST * self.width >> index & 1
        if not number:
            found |= accessed >> index & 1
        return bool(found) or bool(through) and self.may_be_stored(parameter)

    def touches(self, accessed: int, number: int) -> bool:
        """Whether a parameter is among these flows in any way."""
        return any(accessed >> plane * self.width >> number & 1 for plane in range(4))

    def may_be_stored(self, parameter: str) -> bool:
        """Whether a parameter's own value may be put into memory, from where it may come back."""
        index = self.parameters.index(parameter)
        return bool((self.stored | self.stored >> CAST * self.width) >> index & 1)


class _Summarizer(Statements):
    def __init__(
        self,
        slice_: Slice,
        index: int,
        bare: frozenset[str],
        pointers: frozenset[str],
        classes: frozenset[tuple[str, AggregateRef]],
        known: Summaries,
    ) -> None:
        super().__init__(slice_, index)
        self._known = known
        self.parameters = tuple(parameter_names(self.function))
        self.width = len(self.parameters) + 1
        self.field = (1 << self.width) - 1
        self._unknown_bit = 1 << 4 * self.width
        self._functions: dict[Callee, int] = {}
        self._by_bit: list[Callee] = []
        self.reads = self.writes = self.stored = 0
        kinds = dict(classes)
        for number, name in enumerate(self.parameters):
            made = kinds.get(name)
            self.env[name] = Value(1 << number, pointer=name in pointers, bare=name in bare, made=made)

    def summary(self) -> MaySummary:
        try:
            self.block(self.function.node.body)
        except (TooMuch, RecursionError):
            return _everything(self.parameters)
        addresses = (1 << 4 * self.width) - 1
        result = NOTHING if self.returned is None else self._own(self.returned)
        return MaySummary(
            self.parameters,
            self.reads & addresses,
            self.writes & addresses,
            self.stored & addresses,
            result,
            self.width,
        )

    def _own(self, value: Value) -> Value:
        """A result in the caller's terms: functions in it are no longer known."""
        addresses = (1 << 4 * self.width) - 1
        flow = value.flow & addresses | (self._unknown_bit if value.flow & ~addresses else 0)
        items = None if value.items is None else tuple([self._own(item) for item in value.items])
        return Value(flow, 0, items, pointer=value.pointer, fields=value.fields, bare=value.bare, made=value.made)

    # Nothing is told apart by launches here.

    def callable(self, callee: Callee) -> int:
        bit = self._functions.get(callee)
        if bit is None:
            bit = self._functions[callee] = 1 << 4 * self.width + 1 + len(self._by_bit)
            self._by_bit.append(callee)
        return bit

    def anything(self) -> int:
        return self._unknown_bit

    def varies(self, name: str) -> int:
        return 1 if name in self.function.varies else 0

    def option(self, what: str) -> int:
        return 1

    def gated(self, value: Value, gate: Any) -> Value:
        return value

    def uncertain(self, value: Value, dep: int) -> Value:
        return value

    def ways(self, node: ast.AST, test: Value) -> tuple[Any, Any] | None:
        return None

    def chosen(self, node: ast.AST, index: Value, count: int) -> list[Any] | None:
        return None

    def under(self, gate: Any, work: Any) -> Value:
        return work()

    def sometimes(self, dep: int, work: Any) -> Value:
        return work()

    def enter(self, gate: Any) -> Any:
        return None

    def leave(self, before: Any) -> Any:
        return None

    def through(self, value: Value, end: Any) -> Value:
        return value

    def reunite(self, ends: Sequence[Any]) -> None:
        pass

    def returns(self, value: Value) -> Value:
        return value

    def unrolled(self, node: ast.For, arguments: list[Value], dep: int, either: bool) -> bool:
        self.going_round(node.body, node.target)
        return True

    def may_be_pointer(self, value: Value) -> bool:
        return bool(whole(value) & ~(self.field << LOADED * self.width))

    # What reaches memory.

    def access(self, kind: Access, value: Value, node: ast.AST) -> None:
        if kind == "read":
            self.reads |= whole(value)
        else:
            self.writes |= whole(value)

    def escape(self, value: Value, node: ast.AST) -> None:
        self.stored |= whole(value)

    def _any_plane(self, flow: int) -> int:
        width = self.width
        return (flow | flow >> width | flow >> 2 * width | flow >> 3 * width) & self.field

    def loaded(self, value: Value) -> int:
        memory = 1 << self.width - 1
        return (self._any_plane(whole(value)) | memory) << LOADED * self.width

    def cast(self, flow: int, dep: int) -> int:
        return flow | (flow & (self.field | self.field << LOADED * self.width)) << self.width

    def functions(self, value: Value) -> Iterable[tuple[Callee | None, Any]]:
        flow = whole(value)
        known = flow >> 4 * self.width + 1
        number = 0
        while known:
            if known & 1:
                yield self._by_bit[number], None
            known >>= 1
            number += 1
        if flow & (1 << 4 * self.width + 1) - 1:
            yield None, None

    def helper(self, index: int, given: dict[str, Value], node: ast.Call) -> Value:
        bare = frozenset([name for name, value in given.items() if value.bare or value.items is not None])
        pointers = frozenset([name for name, value in given.items() if value.pointer])
        classes = frozenset([(name, value.made) for name, value in given.items() if value.made is not None])
        summary = self._known.of(index, bare, pointers, classes)
        flows = [whole(given[name]) if name in given else 0 for name in summary.parameters]
        flows.append(0)
        self.reads |= self._applied(summary.reads, summary.width, flows)
        self.writes |= self._applied(summary.writes, summary.width, flows)
        self.stored |= self._applied(summary.stored, summary.width, flows)
        return self._result(summary.result, summary.width, flows, [*map(given.get, summary.parameters), None])

    def _applied(self, flow: int, width: int, flows: list[int]) -> int:
        """A callee's flow in terms of this function."""
        if not flow:
            return 0
        made = self._unknown_bit if flow >> 4 * width & 1 else 0
        memory = 1 << width - 1
        field = (1 << width) - 1
        for plane in range(4):
            bits = flow >> plane * width & field
            if bits & memory:
                made |= 1 << plane * self.width + self.width - 1
                bits &= ~memory
            while bits:
                low = bits & -bits
                bits ^= low
                given = flows[low.bit_length() - 1]
                if plane >= LOADED:
                    given = self._any_plane(given) << LOADED * self.width
                made |= self.cast(given, 0) if plane in (CAST, TABLE) else given
        return made

    def _result(self, value: Value, width: int, flows: list[int], given: Sequence[Value | None]) -> Value:
        if value.items is not None:
            items = tuple([self._result(item, width, flows, given) for item in value.items])
            made = self._applied(value.flow, width, flows)
            return Value(made, 0, items, fields=value.fields, bare=value.bare, made=value.made)
        flow = value.flow
        if flow and flow < 1 << width - 1 and not flow & flow - 1:
            known = given[flow.bit_length() - 1]
            if known is not None and known.items is not None:
                return known  # a tuple that is given back as it is
        made = self._applied(flow, width, flows)
        if not made and value.made is None:
            return NOTHING
        return Value(made, pointer=value.pointer, bare=value.bare, made=value.made)


def _everything(parameters: tuple[str, ...]) -> MaySummary:
    width = len(parameters) + 1
    flow = (1 << 4 * width) - 1
    return MaySummary(parameters, flow, flow, flow, Value(flow | 1 << 4 * width), width)


_Key: TypeAlias = tuple[object, ...]
_kept: OrderedDict[_Key, MaySummary] = OrderedDict()

_Classes: TypeAlias = frozenset[tuple[str, AggregateRef]]
_Wanted: TypeAlias = tuple[int, frozenset[str], frozenset[str], _Classes]


class Summaries:
    """The summaries of one slice's functions, each made when it is asked for."""

    def __init__(self, slice_: Slice) -> None:
        self._slice = slice_
        self._made: dict[_Wanted, MaySummary] = {}
        self._under_way: set[_Wanted] = set()
        self._classes: set[int] = set()
        self._early: set[_Wanted] = set()
        """Functions that were asked for before they were known, as they come round to themselves."""

    def of(
        self,
        index: int,
        bare: frozenset[str] | None = None,
        pointers: frozenset[str] = frozenset(),
        classes: _Classes = frozenset(),
    ) -> MaySummary:
        """The summary of a function; ``bare``: the parameters that may be given tuples, or objects with parts, if not
        all; ``pointers``: those that are addresses for certain; ``classes``: those that are aggregates, and which."""
        function = self._slice.functions[index]
        wanted = index, frozenset(parameter_names(function)) if bare is None else bare, pointers, classes
        found = self._made.get(wanted)
        if wanted in self._under_way:
            self._early.add(wanted)
        elif found is None:
            return self._make(wanted, function)
        if found is None:
            names = tuple(parameter_names(function))
            found = MaySummary(names, 0, 0, 0, NOTHING, len(names) + 1)
        return found

    def _make(self, wanted: _Wanted, function: SliceFunction) -> MaySummary:
        key = (function.digest, *wanted[1:], self._closure(wanted[0]))
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
            self._made[wanted] = found
            return found
        self._under_way.add(wanted)
        while True:
            self._early.discard(wanted)
            made = _Summarizer(self._slice, *wanted, self).summary()
            before = self._made.get(wanted)
            self._made[wanted] = made
            if wanted not in self._early or before is not None and _same(before, made):
                break
            for other in list(self._made):
                if other not in self._under_way:
                    del self._made[other]  # made while this one was not known
        self._under_way.discard(wanted)
        self._early.discard(wanted)
        if not self._under_way or not self._early:
            _kept[key] = made
            if len(_kept) > _KEPT:
                _kept.popitem(last=False)
        return made

    def _closure(self, index: int) -> str:
        """What the names of a function mean, and those of all that it leads to."""
        parts: list[str] = []
        self._classes.clear()
        # A method may be called of what is given, whose class no name says.
        seen = [index]
        parts += [self._meaning(AggregateRef(number), seen) for number in range(len(self._slice.aggregates))]
        for number in seen:
            function = self._slice.functions[number]
            if number != index:
                parts.append(function.digest)
            for name, binding in function.bindings.items():
                parts.append(f"{name}={self._meaning(binding, seen)}")
            if function.varies:
                parts.append(",".join(function.varies))
                for name, others in function.others.items():
                    parts.append(f"{name}={','.join([self._meaning(other, seen) for other in others])}")
        return ";".join(parts)

    def _meaning(self, binding: Binding | object, seen: list[int]) -> str:
        if isinstance(binding, TritonObject):
            return binding.path
        if isinstance(binding, FunctionRef):
            if binding.index not in seen:
                seen.append(binding.index)
            return f"f{seen.index(binding.index)}"
        if isinstance(binding, AggregateRef):
            return f"c{binding.index}{self._class(binding.index, seen)}"
        if isinstance(binding, Namespace):
            return "{" + ",".join([f"{n}:{self._meaning(b, seen)}" for n, b in binding.members.items()]) + "}"
        if isinstance(binding, Constant):
            return self._meaning(binding.value, seen)
        if isinstance(binding, tuple):
            inner: tuple[object, ...] = binding  # pyright: ignore[reportUnknownVariableType]
            return "(" + ",".join([self._meaning(item, seen) for item in inner]) + ")"
        if isinstance(binding, NamedTupleValue):
            return f"{binding.fields}{self._meaning(binding.values, seen)}"
        if isinstance(binding, NamedTupleClass):
            return f"{binding.fields}{self._meaning(binding.defaults, seen)}"
        return repr(binding) if isinstance(binding, (int, float, str, bool, type(None))) else "?"

    def _class(self, index: int, seen: list[int]) -> str:
        """What an aggregate is, whose number is its own in this slice alone."""
        if index in self._classes:
            return ""
        self._classes.add(index)
        fields, methods = self._slice.members(index)
        parts = [f"{name}:{self._kinds(field.kinds, seen)}" for name, field in fields.items()]
        parts += [f"{name}={self._meaning(method, seen)}" for name, method in methods.items()]
        return f"({','.join(parts)})"

    def _kinds(self, kinds: tuple[TritonObject | AggregateRef, ...] | None, seen: list[int]) -> str:
        return "?" if kinds is None else "|".join([self._meaning(kind, seen) for kind in kinds])


def _same(a: MaySummary, b: MaySummary) -> bool:
    return (a.reads, a.writes, a.stored) == (b.reads, b.writes, b.stored) and same(a.result, b.result)
