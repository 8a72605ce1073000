"""The rules of provenance: from which values the address in a value comes, for every operation of the table. Sets no
verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kernel_analysis.dataflow.memory.control_flow import Graph
from kernel_analysis.ir import Argument, Body, Function, Op

_SAME_ORDER: Final = ("tt.reshape", "tt.expand_dims", "ttg.convert_layout")


def split_sources(graph: Graph[Function], op: Op, index: int) -> Sequence[str]:
    """Which part of a joined block a result of ``tt.split`` is: the first or the second that was joined, where that
    is in sight: behind a change of shape and back, too, as numbers are joined and split."""
    function = graph.function
    value = op.operands[0]
    wanted = function.types[value]
    while not isinstance(definition := function.definitions[value], Argument):
        made = definition[0]
        if made.name == "tt.join" and function.types[value] == wanted:
            return [made.operands[index]]
        if made.name not in _SAME_ORDER or made.attributes.get("reordered") == "true":
            break
        value = made.operands[0]
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
