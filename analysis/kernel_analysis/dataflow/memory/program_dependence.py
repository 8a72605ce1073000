"""Whether a value depends on ``program_id``: needed to tell a write that every program makes at the same address.
Knows nothing of memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kernel_analysis.dataflow.memory.control_flow import Graph
from kernel_analysis.dataflow.memory.operations import OPERATIONS
from kernel_analysis.dataflow.memory.provenance_rules import argument_sources, region_sources
from kernel_analysis.ir import Argument, Function, Op

_DIFFERS = re.compile(r"%(?:ctaid|clusterid|cluster_cta|smid|warpid|globaltimer|clock)")

# What a program finds in memory that others change depends on which came before.
_PROGRAM = {name for name, row in OPERATIONS.items() if row.differs}
_ASKED = {name for name, row in OPERATIONS.items() if row.result in ("call", "asm")}
_DEPENDS = _PROGRAM | _ASKED
_REGIONS = {name for name, row in OPERATIONS.items() if row.result == "region"}


class Dependence:
    """``program_bit`` is set where ``tt.get_program_id`` goes in; the bits below are the function's arguments, which
    nobody asks about for a kernel (``called`` is False): nobody calls it."""

    def __init__(
        self, graph: Graph[Function], program_bit: int, calls_depend: Callable[[Op], bool], called: bool
    ) -> None:
        self._graph, self._program, self._calls_depend = graph, program_bit, calls_depend
        self._nowhere = not called and graph.function.names.isdisjoint(_DEPENDS)
        arguments = graph.function.arguments
        self._known = {argument: 1 << index if called else 0 for index, argument in enumerate(arguments)}

    def of(self, value: str) -> int:
        """What the value depends on. Once it is known to depend on the program, the rest of it is not looked at."""
        if self._nowhere:
            return 0
        known, program, inputs = self._known, self._program, self._graph.function.inputs
        if value in known:
            return known[value]
        mask, queue = 0, [value]
        reached_from = {value: value}
        while queue:
            current = queue.pop()
            if current in known:
                made, sources = known[current], ()
            else:
                simple = inputs(current)
                if simple is None or simple[0] in _ASKED:
                    made, sources = self._defined(current)
                elif simple[0] in _PROGRAM:
                    made, sources = program, ()
                else:
                    made, sources = 0, simple[1]
            mask |= made
            if made & program:
                # So does all on the way here, which the next address most likely has in common with this one.
                while current != value:
                    known[current] = program
                    current = reached_from[current]
                break
            # Backwards, so that the base of an address comes before its offsets: that is where programs mostly differ.
            for source in reversed(sources):
                if source not in reached_from:
                    reached_from[source] = current
                    queue.append(source)
        known[value] = mask
        return mask

    def _defined(self, value: str) -> tuple[int, Sequence[str]]:
        """What the definition of a value depends on by itself, and the values that it is made of."""
        definition = self._graph.function.definitions[value]
        if isinstance(definition, Argument):
            return self._of_argument(definition)
        op, index = definition
        if op.name in _PROGRAM or op.name in _ASKED and self._differs(op):
            return self._program, ()
        if op.name in _REGIONS:
            return 0, [*op.operands, *region_sources(self._graph, op, index)]
        return 0, op.operands

    def _of_argument(self, argument: Argument) -> tuple[int, Sequence[str]]:
        op = argument.owner
        return 0, [*argument_sources(self._graph, argument), *([] if op is None else op.operands)]

    def _differs(self, op: Op) -> bool:
        if op.name == "tt.call":
            return self._calls_depend(op)
        return _DIFFERS.search(op.attributes["asm_string"]) is not None
