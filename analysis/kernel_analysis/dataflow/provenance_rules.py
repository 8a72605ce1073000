"""The rules of provenance: from which values the address in a value comes, for every operation of the table. Sets no
verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from kernel_analysis.dataflow.control_flow import Graph
from kernel_analysis.ir import Argument, Body, Op


def split_sources(graph: Graph[Body], op: Op, index: int) -> Sequence[str]:
    """Which part of a joined block a result of ``tt.split`` is: the first or the second that was joined, where that
    is in sight."""
    definition = graph.function.definitions[op.operands[0]]
    if not isinstance(definition, Argument) and definition[0].name == "tt.join":
        return [definition[0].operands[index]]
    return op.operands


def region_sources(graph: Graph[Body], op: Op, index: int) -> Sequence[str]:
    """What result ``index`` of an operation with regions may be."""
    name = op.name
    if name == "scf.for":
        return [op.operands[3 + index], *_ends(graph, op, 0, index)]
    if name == "scf.while":
        return _ends(graph, op, 0, index + 1)  # scf.condition(flag, values...)
    if name in ("tt.reduce", "tt.scan"):
        return [op.operands[index], *_ends(graph, op, 0, index)]
    if name == "tt.map_elementwise":
        ends = _ends_all(graph, op, 0)
        each = max(len(ends[0]) // max(len(op.results), 1), 1) if ends else 1
        return [value for end in ends for value in end[index * each : (index + 1) * each]]
    if name == "ttg.warp_specialize":
        return _ends(graph, op, 0, index)
    return [value for region in range(len(op.regions)) for value in _ends(graph, op, region, index)]


def argument_sources(graph: Graph[Body], argument: Argument) -> Sequence[str]:
    """What a block argument may be (none for an argument of the function itself)."""
    op = argument.owner
    if argument.block or op is None:
        incoming = graph.incoming.get((id(op), argument.region, argument.block), [])
        return [passed[argument.index] for passed in incoming if argument.index < len(passed)]
    name, index = op.name, argument.index
    if name == "scf.for":
        if index == 0:  # what ends the loop decides how often, as a condition does
            return op.operands[0], op.operands[2]
        return [op.operands[2 + index], *_ends(graph, op, 0, index - 1)]
    if name == "scf.while":
        if argument.region == 0:
            return [op.operands[index], *_ends(graph, op, 1, index)]
        return _ends(graph, op, 0, index + 1)
    if name in ("tt.reduce", "tt.scan"):
        position = index % max(len(op.operands), 1)
        return [op.operands[position], *_ends(graph, op, 0, position)]
    if name == "tt.map_elementwise":
        block = op.regions[argument.region][argument.block]
        each = max(len(block.arguments) // max(len(op.operands), 1), 1)
        return [op.operands[index // each]]
    if name == "ttg.warp_specialize":
        return [op.operands[index]]
    return op.operands


def _ends_all(graph: Graph[Body], op: Op, region: int) -> list[Sequence[str]]:
    return graph.terminators.get((id(op), region), [])


def _ends(graph: Graph[Body], op: Op, region: int, index: int) -> list[str]:
    return [end[index] for end in _ends_all(graph, op, region) if index < len(end)]
