"""The summaries of a slice's functions, each made when it is asked for, and kept with its text: an edit costs the
edited function. A function that comes round to itself is made until nothing changes.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import fields, is_dataclass
from typing import TypeAlias

from kernel_analysis.dataflow.text.call_effects import parameter_names
from kernel_analysis.dataflow.text.handed_texts import HandedTexts
from kernel_analysis.dataflow.text.may_summary import MaySummary, Summarizer
from kernel_analysis.dataflow.text.value import NOTHING, same
from kernel_analysis.source.slice import AggregateRef, FunctionRef, Slice, SliceFunction, TritonObject, Unresolved
from kernel_analysis.span import Span

_KEPT = 2048

_Key: TypeAlias = tuple[object, ...]
_kept: OrderedDict[_Key, MaySummary] = OrderedDict()

_Classes: TypeAlias = frozenset[tuple[str, AggregateRef]]
_Wanted: TypeAlias = tuple[int, frozenset[tuple[str, int]], frozenset[str], _Classes]


def forget() -> None:
    """Follow every text anew."""
    _kept.clear()


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
            parts.append(function.kind)
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

    def _meaning(self, value: object, seen: list[int]) -> str:
        """All that is known of it, but where it stands: functions and aggregates by what they are, as their numbers are
        this slice's own."""
        if isinstance(value, TritonObject):
            return f"{value.path}{'!' if value.constexpr else ''}"
        if isinstance(value, FunctionRef):
            if value.index not in seen:
                seen.append(value.index)
            return f"f{seen.index(value.index)}"
        if isinstance(value, AggregateRef):
            return f"c{value.index}{self._class(value.index, seen)}"
        kind = type(value).__name__
        if isinstance(value, Span | Unresolved):
            return kind
        if isinstance(value, dict):
            pairs: dict[object, object] = value  # pyright: ignore[reportUnknownVariableType]
            return f"{{{','.join([f'{key!r}:{self._meaning(inner, seen)}' for key, inner in pairs.items()])}}}"
        parts: tuple[object, ...]
        if isinstance(value, tuple):
            parts = value  # pyright: ignore[reportUnknownVariableType]
        elif is_dataclass(value):
            parts = tuple([getattr(value, part.name) for part in fields(value)])
        else:
            return f"{kind} {value!r}"
        inner = ",".join([self._meaning(part, seen) for part in parts])  # pyright: ignore[reportUnknownVariableType]
        return f"{kind}({inner})"

    def _class(self, index: int, seen: list[int]) -> str:
        if index in self._classes:
            return ""
        self._classes.add(index)
        made = self._slice.aggregates[index]
        parts = (made.fields, made.bases, made.methods, made.problem, made.varies)
        return "".join([self._meaning(part, seen) for part in parts])


def _same(a: MaySummary, b: MaySummary) -> bool:
    flows = (a.reads, a.writes, a.stored, a.of_loaded, a.puts) == (b.reads, b.writes, b.stored, b.of_loaded, b.puts)
    return flows and same(a.result, b.result)
