"""Whether a value depends on ``program_id``: needed to tell a write that every program makes at the same address.
Knows nothing of memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kernel_analysis.dataflow.graph import Graph
from kernel_analysis.dataflow.operations import OPERATIONS
from kernel_analysis.dataflow.sources import argument_sources, region_sources
from kernel_analysis.ir import Argument, Op

_DIFFERS = re.compile(r"%(?:ctaid|clusterid|cluster_cta|smid|warpid|globaltimer|clock)")

# What a program finds in memory that others change depends on which came before.
_PROGRAM = {
    "tt.get_program_id", "ttg.warp_id", "ttng.clc_get_program_id", "tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_load",
    "tt.atomic_poll", "amdg.buffer_atomic_rmw", "amdg.buffer_atomic_cas",
}  # fmt: skip
_ASKED = {"tt.call", "tt.elementwise_inline_asm", "ttg.inline_asm"}
_REGIONS = {name for name, row in OPERATIONS.items() if row.result == "region"}


class Dependence:
    """``program_bit`` is set where ``tt.get_program_id`` goes in; the bits below are the function's arguments, which
    nobody asks about for a kernel (``called`` is False): nobody calls it."""

    def __init__(self, graph: Graph, program_bit: int, calls_depend: Callable[[Op], bool], called: bool) -> None:
        self._nowhere = not called and graph.function.names.isdisjoint(_PROGRAM | _ASKED)
        self._graph, self._program, self._calls_depend = graph, program_bit, calls_depend
        self._known: dict[str, int] = {}

    def of(self, value: str) -> int:
        """What the value depends on. Once it is known to depend on the program, the rest of it is not looked at."""
        known = 0 if self._nowhere else self._known.get(value)
        if known is not None:
            return known
        definitions, inputs = self._graph.function.definitions, self._graph.function.inputs
        mask, seen, queue = 0, {value}, [value]
        while queue and not mask & self._program:
            current = queue.pop()
            known = self._known.get(current)
            if known is not None:
                mask |= known
                continue
            simple = inputs(current)
            if simple is not None and simple[0] not in _PROGRAM and simple[0] not in _ASKED:
                for source in simple[1]:
                    if source not in seen:
                        seen.add(source)
                        queue.append(source)
                continue
            definition = definitions[current]
            if isinstance(definition, Argument):
                made, sources = self._of_argument(definition)
            elif (op := definition[0]).name in _PROGRAM or op.name in _ASKED and self._differs(op):
                made, sources = self._program, ()
            else:
                made, sources = 0, op.operands
                if op.name in _REGIONS:
                    sources = [*sources, *region_sources(self._graph, op, definition[1])]
            mask |= made
            for source in sources:
                if source not in seen:
                    seen.add(source)
                    queue.append(source)
        self._known[value] = mask
        return mask

    def _of_argument(self, argument: Argument) -> tuple[int, Sequence[str]]:
        op = argument.owner
        if op is None and argument.block == 0:
            return 1 << argument.index, ()
        return 0, [*argument_sources(self._graph, argument), *([] if op is None else op.operands)]

    def _differs(self, op: Op) -> bool:
        if op.name == "tt.call":
            return self._calls_depend(op)
        return _DIFFERS.search(op.attributes["asm_string"]) is not None
