"""What inline assembly makes of its operands, as origins: its sums and parts, now that it is known what these are.

Reads the effects that ``asm`` found in the text; decides nothing about instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernel_analysis.dataflow import asm
from kernel_analysis.dataflow.memory.origin import NOTHING, Fields, Origin
from kernel_analysis.ir import Block, Function, Op


def effects_of(types: Mapping[str, str], op: Op) -> asm.AsmEffects:
    """What an operation with assembly does. ``types``: those of its function's values."""
    attributes = op.attributes
    return asm.effects(
        attributes["asm_string"],
        attributes["constraints"],
        len(op.operands),
        len(op.results),
        int(attributes.get("packed_element", "1")),
        tuple([types[operand] for operand in op.operands]),
        tuple(op.types),
    )


def given_by_nobody(function: Function, op: Op, effects: asm.AsmEffects, numbers: bool) -> str | None:
    """Why a result that something takes may be any address of the kernel's: nothing sets its register. Most assembly
    with such a result has it because Triton wants one, and nobody looks at it. ``numbers``: addresses are made of
    numbers there, so that a register that is not always set may become one."""
    given = enumerate(effects.results)
    unset = {op.results[n] for n, v in given if (asm.never_set(v) if numbers else v == asm.NEVER_SET)}
    if not unset or not any(_takes(block, unset) for block in function.blocks):
        return None
    return "nothing sets what it gives back: that may be any address that the kernel has"


def _takes(block: Block, values: set[str]) -> bool:
    for op in block.ops:
        if not values.isdisjoint(op.operands) or any(not values.isdisjoint(given) for _, given in op.successors):
            return True
        if any(_takes(inner, values) for region in op.regions for inner in region):
            return True
    return False


class Registers:
    """``operand``: the origin of an operand. ``opened``: that of what may be any address, for a reason."""

    def __init__(self, fields: Fields, operand: Callable[[int], Origin], opened: Callable[[str], Origin]) -> None:
        self._fields, self._operand, self._opened = fields, operand, opened

    def of(self, value: asm.Value) -> Origin:
        """The origin of what a register holds."""
        made = NOTHING
        for one in value:
            made |= self._sum(one)
        return made or self._fields.loose

    def address(self, value: asm.Value) -> Origin:
        """The origin of an address; what is added to an address in shared memory is no address unless it is a
        pointer."""
        made = NOTHING
        for one in value:
            origin = self._fields.address_of_integer(self._sum(one))
            own = any(term.kind == "own" and term.how == "whole" for term in one)
            if not own or self._fields.of_pointers(origin):
                made |= origin
        return made

    def _sum(self, one: frozenset[asm.Term]) -> Origin:
        fields = self._fields
        whole: list[Origin] = []
        parts, less = NOTHING, NOTHING
        for term in one:
            if term.kind in ("open", "lost"):
                parts |= self._opened(term.why) | fields.loose
            elif term.kind in ("own", "mixed"):
                parts |= fields.loose
            else:
                origin = self._operand(term.operand) if term.kind == "operand" else self._loaded(term)
                if term.how == "part":
                    parts |= fields.as_number(origin)
                elif term.how == "minus":
                    less |= origin
                else:
                    whole.append(fields.loosened(origin) if term.how == "bits" else origin)
        # Pointers first: the others may be offsets to one.
        whole.sort(key=fields.is_pointer, reverse=True)
        made = NOTHING
        for origin in whole:
            made = fields.total(made, origin) if made else origin
        if parts:
            made = fields.total(made, parts) if made else parts
        if less:
            made = fields.total(made or fields.loose, less, subtract=True)
        return made or fields.loose

    def _loaded(self, term: asm.Term) -> Origin:
        address = self._fields.address_of_integer(self._sum(term.address))
        return self._fields.loaded(address, pointer=False, integer=True)
