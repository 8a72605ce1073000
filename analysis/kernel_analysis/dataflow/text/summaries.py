"""The summaries of a slice's functions, each made when it is asked for, and kept with its text: an edit costs the
edited function. A function that comes round to itself is made until nothing changes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from kernel_analysis.dataflow.text.call_effects import parameter_names
from kernel_analysis.dataflow.text.handed_texts import HandedTexts
from kernel_analysis.dataflow.text.may_summary import MaySummary, Summarizer
from kernel_analysis.dataflow.text.value import NOTHING, same
from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    FunctionRef,
    MadeOfTriton,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    Slice,
    SliceFunction,
    TritonObject,
)

_KEPT = 2048

_Key: TypeAlias = tuple[object, ...]
_kept: OrderedDict[_Key, MaySummary] = OrderedDict()

_Classes: TypeAlias = frozenset[tuple[str, AggregateRef]]
_Wanted: TypeAlias = tuple[int, frozenset[tuple[str, int]], frozenset[str], _Classes]


class TextSummaries:
    """The summaries of one slice's functions, each made when it is asked for."""

    def __init__(self, slice_: Slice) -> None:
        self._slice = slice_
        self.handed = HandedTexts(slice_)
        self._made: dict[_Wanted, MaySummary] = {}
        self._under_way: set[_Wanted] = set()
        self._classes: set[int] = set()
        self._closures: dict[int, str] = {}
        self._early: set[_Wanted] = set()
        """Functions that were asked for before they were known, as they come round to themselves."""

    def of(
        self,
        index: int,
        sorts: frozenset[tuple[str, int]] | None = None,
        pointers: frozenset[str] = frozenset(),
        classes: _Classes = frozenset(),
    ) -> MaySummary:
        """The summary of a function; ``sorts``: what its parameters are at most; ``pointers``: those that are
        addresses for certain; ``classes``: those that are aggregates, and which."""
        function = self._slice.functions[index]
        wanted = index, sorts or frozenset[tuple[str, int]](), pointers, classes
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
        closure = self._closures.get(wanted[0])
        if closure is None:
            closure = self._closures[wanted[0]] = self._closure(wanted[0])
        key = (function.digest, *wanted[1:], closure)
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
            self._made[wanted] = found
            return found
        self._under_way.add(wanted)
        while True:
            self._early.discard(wanted)
            made = Summarizer(self._slice, *wanted, self).summary()
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
            seen += [other for other in self._slice.alike(number) if other not in seen]
            for name, binding in function.bindings.items():
                parts.append(f"{name}={self._meaning(binding, seen)}")
            if function.varies:
                parts.append(",".join(function.varies))
                for name, others in function.others.items():
                    parts.append(f"{name}={','.join([self._meaning(other, seen) for other in others])}")
        slice_ = self._slice
        confused = [*map(str, sorted(slice_.confused)), *sorted(slice_.moved()), *sorted(slice_.mistaken)]
        return ";".join([*parts, str(slice_.other_operators), *confused, self.handed.told()])

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
            members = ",".join([f"{n}:{self._meaning(b, seen)}" for n, b in binding.members.items()])
            return f"{binding.fields}{self._meaning(binding.defaults, seen)}{{{members}}}"
        written = isinstance(binding, (int, float, str, bool, type(None), MadeOfTriton))
        return repr(binding) if written else type(binding).__name__

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
    flows = (a.reads, a.writes, a.stored, a.of_loaded) == (b.reads, b.writes, b.stored, b.of_loaded)
    return flows and same(a.result, b.result)
