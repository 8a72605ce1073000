"""How much code a kernel is, before a compiler sees it. Pure; may not know launches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from kernel_analysis.ir import Block, Function, Ir
from kernel_analysis.launch.bounds import printed_types

DEPTH = 40
"""Calls within each other that are followed."""


def elements(block: Block, types: Mapping[str, str]) -> float:
    """How many numbers the operations of a block make, without those of inner blocks; a tile product counts as what
    tensor cores take for it."""
    total = 0.0
    for op in block.ops:
        kind = op.types[0] if op.types else types.get(op.operands[0], "") if op.operands else ""
        size = elements_of(kind)
        if op.name == "tt.dot":
            size *= max(1, (printed_types.shape(types.get(op.operands[0], "")) or [1])[-1] / 64)
        total += size
    return total


def code(ir: Ir) -> float:
    """How many numbers the kernel's code makes, loops once and each call anew: what compiling it depends on."""
    known: dict[str, float] = {}

    def of(function: Function, depth: int) -> float:
        if function.name not in known:
            known[function.name] = sum(within(block, function, depth) for block in function.blocks)
        return known[function.name]

    def within(block: Block, function: Function, depth: int) -> float:
        total = elements(block, function.types)
        for op in block.ops:
            total += sum(within(inner, function, depth) for region in op.regions for inner in region)
            callee = ir.functions.get(op.attributes.get("callee", "")) if op.name == "tt.call" else None
            if callee is not None and depth < DEPTH:
                total += of(callee, depth + 1)
        return total

    return of(ir.functions[ir.entry], 0)


def largest(ir: Ir) -> int:
    """The elements of the largest block in the kernel."""

    def within(block: Block) -> int:
        inner = (within(one) for op in block.ops for region in op.regions for one in region)
        return max([1, *(elements_of(kind) for op in block.ops for kind in op.types), *inner])

    return max((within(block) for function in ir.functions.values() for block in function.blocks), default=1)


@lru_cache(maxsize=4096)
def elements_of(kind: str) -> int:
    return math.prod(printed_types.shape(kind))
