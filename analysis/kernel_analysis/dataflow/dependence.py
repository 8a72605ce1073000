"""Whether a value depends on ``program_id``: needed to tell a write that every program makes at the same address.
Knows nothing of memory."""

from __future__ import annotations

import re
from collections.abc import Callable

from kernel_analysis.dataflow.graph import Argument, Graph
from kernel_analysis.dataflow.sources import argument_sources, region_sources
from kernel_analysis.ir import Op

_DIFFERS = re.compile(r"%(?:ctaid|clusterid|cluster_cta|smid|warpid|globaltimer|clock)")


class Dependence:
    """``program_bit`` is set where ``tt.get_program_id`` goes in; the bits below are the function's arguments."""

    def __init__(self, graph: Graph, program_bit: int, calls_depend: Callable[[Op], bool]) -> None:
        self._graph, self._program, self._calls_depend = graph, program_bit, calls_depend
        self._known: dict[int, int] = {}

    def of(self, value: int) -> int:
        """What the value depends on. Once it is known to depend on the program, the rest of it is not looked at."""
        known = self._known.get(value)
        if known is not None:
            return known
        mask, seen, queue = 0, {value}, [value]
        while queue and not mask & self._program:
            current = queue.pop()
            known = self._known.get(current)
            if known is not None:
                mask |= known
                continue
            made, sources = self._step(current)
            mask |= made
            for source in sources:
                if source not in seen:
                    seen.add(source)
                    queue.append(source)
        self._known[value] = mask
        return mask

    def _step(self, value: int) -> tuple[int, list[int]]:
        definition = self._graph.definitions[value]
        if isinstance(definition, Argument):
            op = definition.owner
            if op is None and definition.block == 0:
                return 1 << definition.index, []
            return 0, argument_sources(self._graph, definition) + ([] if op is None else op.operands)
        op, index = definition
        if op.name in ("tt.get_program_id", "ttg.warp_id", "ttng.clc_get_program_id"):
            return self._program, []
        if op.name == "tt.call" and self._calls_depend(op) or _DIFFERS.search(op.attributes.get("asm_string", "")):
            return self._program, []
        if op.name.startswith("tt.atomic"):
            return self._program, []  # what a program finds there depends on which came before
        return 0, op.operands + region_sources(self._graph, op, index) if op.regions else op.operands
