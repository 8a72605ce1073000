"""Whether computing a value a second time, of what the first time made of it, gives another: only where each step from
the one to the other is known, and one of them moves what it is given. What may bring a value to where it stays (a
comparison, rounding, a rest, the sum or the largest of all, what is computed of it twice over) proves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from kernel_analysis.dataflow.memory.control_flow import Graph
from kernel_analysis.dataflow.memory.operations import ROWS
from kernel_analysis.dataflow.memory.provenance_rules import argument_sources, region_sources
from kernel_analysis.dataflow.memory.summary import Summaries
from kernel_analysis.ir import Argument, Block, Body, Op

_Step: TypeAlias = Literal["keeps", "shifts", "moves", "settles"]
"""``shifts``: something is added, which a choice by the value itself may undo."""

_KEEPS: Final = frozenset({
    "arith.maximumf", "arith.maxnumf", "arith.minimumf", "arith.minnumf", "arith.maxsi", "arith.minsi", "arith.maxui",
    "arith.minui", "arith.truncf", "arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp",
    "math.absf", "math.absi", "tt.fp_to_fp", "tt.clampf",
})  # fmt: skip
_MOVES: Final = frozenset({
    "math.exp", "math.exp2", "math.log", "math.log2", "math.sqrt", "math.rsqrt", "math.sin", "math.cos", "math.tanh",
    "math.erf", "arith.negf", "tt.dot", "tt.dot_scaled", "tt.precise_sqrt",
})  # fmt: skip
_ADDS: Final = frozenset({"arith.addf", "arith.addi", "arith.subf", "arith.subi", "arith.xori"})
_MULTIPLIES: Final = frozenset({
    "arith.mulf", "arith.muli", "arith.divf", "tt.precise_divf", "arith.shli", "arith.shrsi", "arith.shrui",
})  # fmt: skip
_OF_TRUTHS: Final = frozenset({"arith.select", "arith.cmpf", "arith.cmpi"})
"""What may make a mask of zeros and ones."""
_CALLS: Final = 4
_SUMS: Final = frozenset({"arith.addf", "arith.addi", "tt.scan.return", "tt.return"})


@dataclass(slots=True)
class Again:
    """Of one function and those that it calls, which leave memory alone."""

    _summaries: Summaries
    _graphs: dict[str, Graph[Body]] = field(default_factory=dict[str, Graph[Body]])
    _rests: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict[tuple[int, str], frozenset[str]])

    def of(self, graph: Graph[Body], value: str, origin: str, depth: int = 0) -> str | None:
        """Whether a value is made of the origin: ``changed``, so that it is another where that is what was made
        before; ``kept``, where doing it twice may come to the same, and ``settled``, where it does if more is done."""
        found: str | None = None
        # What is settled, or chosen by the origin itself, stays so on the way.
        queue: list[tuple[str, bool, bool, bool]] = [(value, False, False, False)]
        seen = set(queue)
        while queue:
            current, moved, chosen, settled = queue.pop()
            if current == origin:
                if moved and not settled:
                    return "changed"
                found = "settled" if settled or chosen else found or "kept"
                continue
            for source, step in self._sources(graph, current, origin, depth):
                is_choice = step == "settles" and self._is_choice(graph, current)
                moves = moved or step == "moves" or step == "shifts" and not chosen
                after = (source, moves, chosen or is_choice, settled or step == "settles" and not is_choice)
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
        return found

    def _is_choice(self, graph: Graph[Body], value: str) -> bool:
        definition = graph.function.definitions[value]
        return not isinstance(definition, Argument) and definition[0].name == "arith.select"

    def _sources(self, graph: Graph[Body], value: str, origin: str, depth: int) -> list[tuple[str, _Step]]:
        """What a value is computed of, and what that step makes of each."""
        definition = graph.function.definitions[value]
        if isinstance(definition, Argument):
            sources = () if definition.owner is None else argument_sources(graph, definition)
            return [(source, "keeps") for source in sources]
        op, index = definition
        row = ROWS[op.name]
        if row is None or row.reads or row.result in ("load", "asm"):
            return []
        if row.result == "call":
            return list(self._called(graph, op, index, origin, depth))
        if op.name == "tt.scan":
            return [(operand, "moves" if self._sums(op.regions[0]) else "settles") for operand in op.operands]
        if op.name == "tt.reduce":
            return [(operand, "settles") for operand in op.operands]
        if row.result == "region":
            return [(source, "keeps") for source in region_sources(graph, op, index)]
        if op.name == "arith.select":
            by_itself = self._rests_on(graph, op.operands[0], origin)
            return [(operand, "settles" if by_itself else "keeps") for operand in op.operands[1:]]
        if op.name in ("arith.mulf", "arith.muli") and any(
            self._number(graph, operand) == 0 for operand in op.operands
        ):
            return []
        return [(operand, self._step(graph, op, place, origin)) for place, operand in enumerate(op.operands)]

    def _step(self, graph: Graph[Body], op: Op, place: int, origin: str) -> _Step:
        """What an operation without regions makes of one of its operands."""
        row = ROWS[op.name]
        if row is not None and row.result == "pass" or op.name in _KEEPS:
            return "keeps"
        if op.name in _MOVES:
            return "moves"
        if op.name not in _ADDS | _MULTIPLIES or len(op.operands) != 2:
            return "settles"
        other = op.operands[1 - place]
        if other == op.operands[place]:
            return "settles" if op.name in ("arith.subf", "arith.subi", "arith.divf", "arith.xori") else "moves"
        if self._rests_on(graph, other, origin):
            return "keeps"
        number = self._number(graph, other)
        if op.name in _ADDS:
            return "keeps" if number == 0 else "shifts" if op.name != "arith.xori" else "moves"
        if number is not None:
            return "keeps" if number == 0 or number == 1 and not op.name.startswith("arith.sh") else "moves"
        return "keeps" if self._may_be_mask(graph, other) else "moves"

    def _rests_on(self, graph: Graph[Body], value: str, origin: str) -> bool:
        return origin in self._all_of(graph, value)

    def _all_of(self, graph: Graph[Body], value: str) -> frozenset[str]:
        """All values that one is made of, in any way."""
        key = id(graph), value
        if key not in self._rests:
            found, queue = {value}, [value]
            while queue:
                new = {source for source in self._inputs(graph, queue.pop()) if source not in found}
                found |= new
                queue += new
            self._rests[key] = frozenset(found)
        return self._rests[key]

    def _inputs(self, graph: Graph[Body], value: str) -> Iterator[str]:
        definition = graph.function.definitions[value]
        if isinstance(definition, Argument):
            yield from () if definition.owner is None else argument_sources(graph, definition)
            return
        op, index = definition
        row = ROWS[op.name]
        yield from op.operands
        if row is not None and row.result == "region":
            yield from region_sources(graph, op, index)

    def _may_be_mask(self, graph: Graph[Body], value: str) -> bool:
        """Whether a factor may be a block of zeros and ones: it is loaded as one, or made of truths."""
        for source in self._all_of(graph, value):
            definition = graph.function.definitions[source]
            if isinstance(definition, Argument):
                if (
                    definition.owner is None
                    and graph.function is not self._summaries.ir.functions[self._summaries.ir.entry]
                ):
                    return True  # whatever is passed
                continue
            op, index = definition
            row = ROWS[op.name]
            block = index < len(op.types) and op.types[index].startswith("tensor<")
            if op.name in _OF_TRUTHS or block and (row is None or bool(row.reads) or row.result in ("call", "asm")):
                return True
        return False

    def _number(self, graph: Graph[Body], value: str) -> float | None:
        value = graph.function.follow(
            value, {"tt.splat", "tt.broadcast", "arith.sitofp", "arith.extf", "arith.truncf"}
        )[-1]
        definition = graph.function.definitions[value]
        if isinstance(definition, Argument) or definition[0].name != "arith.constant":
            return None
        said = definition[0].attributes
        text = said.get("value", said.get("real"))
        return float(text) if text is not None else None

    def _sums(self, blocks: Sequence[Block]) -> bool:
        """Whether what puts two elements together adds them, itself or by the one function that it calls."""
        names = [op.name for op in blocks[0].ops]
        calls = [op.attributes["callee"] for op in blocks[0].ops if op.name == "tt.call"]
        if len(calls) == 1 and set(names) == {"tt.call", "tt.scan.return"}:
            names = [op.name for op in self._summaries.ir.functions[calls[0]].blocks[0].ops]
        return set(names) <= _SUMS

    def _called(self, outer: Graph[Body], op: Op, index: int, origin: str, depth: int) -> Iterator[tuple[str, _Step]]:
        """Which arguments a result of a call is made of. Of several that rest on the origin none is known to move."""
        name = op.attributes["callee"]
        if depth == _CALLS:
            return
        graph = self._graphs.setdefault(name, Graph(self._summaries.ir.functions[name]))
        several = sum(self._rests_on(outer, operand, origin) for operand in op.operands) > 1
        for argument, operand in zip(graph.function.arguments, op.operands, strict=True):
            ways = [self.of(graph, end[index], argument, depth + 1) for end in graph.returns if index < len(end)]
            if any(way is not None for way in ways):
                settles = "settled" in ways or "changed" in ways and several
                yield operand, "settles" if settles else "moves" if "changed" in ways else "keeps"
