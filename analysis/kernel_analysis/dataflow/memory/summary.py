"""What one function does to memory, in terms of its own arguments, callees included: so each function is analysed once.

Turns provenance into effects; says nothing about Python parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from kernel_analysis.dataflow.memory.asm_origins import Registers, effects_of, given_by_nobody
from kernel_analysis.dataflow.memory.control_flow import Graph, OrderedOp
from kernel_analysis.dataflow.memory.effects import Effect, Escape, Kind, Numbering, Summary
from kernel_analysis.dataflow.memory.operations import ROWS, STEPS
from kernel_analysis.dataflow.memory.origin import NOTHING, Origin, bits
from kernel_analysis.dataflow.memory.program_dependence import Dependence
from kernel_analysis.dataflow.memory.provenance import Provenance
from kernel_analysis.facts import AsmFact
from kernel_analysis.ir import Function, Ir, Op, is_address

_SITES = 48
"""Places of one kind that a function keeps for its callers: a helper called from many places must not multiply
without end."""
_WIDENED = {"tt.splat", "tt.broadcast"}
_COMPUTING = ("__nv_", "__ocml_")
"""How the functions of the libraries begin that Triton brings along."""

_WIDTH = 64
"""Arguments that most functions have at most."""
_MOST_REASONS = 256
"""With more of them a new numbering is begun: each makes every origin a bit longer."""
_numberings: dict[tuple[int, bool, bool], Numbering] = {}


class Summaries:
    """The summaries of an Ir's functions, each computed when it is first asked for and remembered with its function."""

    def __init__(self, ir: Ir, numbering: Numbering | None = None) -> None:
        self.ir = ir
        self.numbering = numbering or _numbering(ir, False)

    @classmethod
    def complete(cls, ir: Ir) -> Summaries:
        """Those of a whole kernel. Where some of an address is put into memory as a number, what is done as a number
        says that comes from there tells of it, too."""
        summaries = cls(ir)
        if summaries.numbering.offsets:
            escapes = [escape for name in ir.functions for escape in summaries.of(name).escapes]
            # (Of what is told by what a function is given, its callers know.)
            if summaries.of(ir.entry).escapes or any(summaries.numbering.fields.escaping(e.origin) for e in escapes):
                return cls(ir, _numbering(ir, True))
        return summaries

    def of(self, name: str) -> Summary:
        """The summary of a function."""
        function = self.ir.functions[name]
        known = function.memory.get(self.numbering)
        if known is None:
            needed = self._below(name) if function.index < 0 else self
            known = function.memory[self.numbering] = _Summarizer(needed, function).run()
        return known

    def _below(self, name: str) -> Summaries:
        """Of what a function calls alone: Triton's own outlive the Ir, and its kernel should not live as long."""
        names = [name]
        for called in names:
            names += [callee for callee in self.ir.functions[called].callees if callee not in names]
        functions = {called: self.ir.functions[called] for called in names}
        return Summaries(Ir(self.ir.entry, functions, self.ir.addresses_as_numbers), self.numbering)


def _numbering(ir: Ir, of_memory: bool) -> Numbering:
    width = _WIDTH
    for function in ir.functions.values():
        while len(function.parameters) > width:
            width *= 2
    # Only where a pointer becomes a number can an offset hide an address.
    key = width, ir.addresses_as_numbers, of_memory
    numbering = _numberings.get(key)
    if numbering is None or len(numbering.reasons) > _MOST_REASONS:
        numbering = _numberings[key] = Numbering(*key)
    return numbering


class _Arguments(dict[int, Origin]):
    """The origins of what a call passes, each computed when it is asked for."""

    def __init__(self, provenance: Provenance, operands: Sequence[str]) -> None:
        self._provenance, self._operands = provenance, operands

    def __missing__(self, index: int) -> Origin:
        made = self[index] = self._provenance.of(self._operands[index])
        return made


class _Summarizer:
    """``graph``: how control goes through the function. ``provenance``: where its addresses come from. ``dependence``:
    what its values depend on. They are made when they are first asked for: most of Triton's own functions only
    compute."""

    graph: Graph[Function]
    provenance: Provenance
    dependence: Dependence

    def __init__(self, summaries: Summaries, function: Function) -> None:
        self.summaries, self.function, self.numbering = summaries, function, summaries.numbering
        self.fields = self.numbering.fields
        self.is_called = function.name != summaries.ir.entry
        self.summary = Summary(function, self._result)
        self._results: dict[int, Origin] = {}
        self._kept: dict[tuple[object, ...], int] = {}
        self._told: set[tuple[Origin, bool]] = set()

    def __getattr__(self, name: str) -> Any:
        made: Graph[Function] | Provenance | Dependence
        if name == "graph":
            made = Graph(self.function)
        elif name == "provenance":
            reason, offsets = self.numbering.reason, self.numbering.offsets
            made = Provenance(self.graph, self.fields, self._returned, self._assembled, reason, offsets, self.is_called)
        elif name == "dependence":
            made = Dependence(self.graph, self.numbering.program_bit, self._call_depends, self.is_called)
        else:
            raise AttributeError(name)
        setattr(self, name, made)
        return made

    def run(self) -> Summary:
        """The summary."""
        names = self.function.names
        self.summary.uses_program = "tt.get_program_id" in names
        steps = [name for name in names if STEPS[name]]
        if steps == ["tt.call"] and self.function.index < 0:
            # Where Triton's own function only calls what does nothing to memory, it does nothing either.
            callees = [self.summaries.of(name) for name in self.function.callees]
            if all(callee.quiet for callee in callees):
                self.summary.uses_program |= any(callee.uses_program for callee in callees)
                return self.summary
        if steps:
            self._steps()
        return self.summary

    def _steps(self) -> None:
        for step in self.graph.steps:
            op = step.op
            row = ROWS[op.name]
            if self.numbering.offsets:
                self._tells(step)
            if op.name == "tt.call":
                self._call(step)
            elif row is None:
                self._unknown(
                    step,
                    op.operands,
                    f"the operation `{op.name}` is not known to triton-ls, so what it does to memory is not either",
                )
            elif row.result == "asm":
                self._inline_asm(step)
            elif row.result == "extern":
                self._extern(step)
            else:
                mask = self._mask(op, row.mask_from)
                masked = mask is not None
                for operand in self._descriptors(op) if row.reads_all else row.reads:
                    self._access(step, "read", operand, masked)
                for operand in row.writes:
                    self._access(step, "write", operand, masked)
                if row.keeps and self.numbering.offsets:
                    for operand in row.reads:
                        read = self.fields.loaded(self._address(op, operand), pointer=False, integer=True)
                        self._escaped(op, read, kept=True)
                if row.stores is not None and not row.reads and not row.writes:
                    for operand in op.operands:  # wherever a version has it among them
                        self._escape(op, operand, kept=True)
                elif row.stores is not None and -len(op.operands) <= row.stores < len(op.operands):
                    self._escape(op, op.operands[row.stores], kept=not row.writes)

    def _extern(self, step: OrderedOp) -> None:
        """An external function: what is declared pure is a computation where Triton's own library has it, or where no
        address reaches it."""
        op = step.op
        name, pure = op.attributes.get("symbol", ""), op.attributes.get("pure") == "True"
        if not pure:
            reason = f"the external function `{name}` is not declared pure, so it may access memory"
            self._unknown(step, op.operands, reason)
        elif not name.startswith(_COMPUTING):
            given = [operand for operand in op.operands if self.function.may_hold_address(operand)]
            self._unknown(step, given, f"the external function `{name}` is given an address, so it may access memory")

    def _result(self, index: int) -> Origin:
        known = self._results.get(index)
        if known is None:
            known = NOTHING
            for ends in self.graph.returns:
                if index < len(ends):  # a function that never returns gives none
                    known |= self.provenance.of(ends[index])
            if self.numbering.offsets and len(self.graph.returns) > 1:
                for value in self.graph.branches[id(None), 0]:
                    known = self.provenance.told(known, self.provenance.of(value))
            self._results[index] = known
        return known

    def _descriptors(self, op: Op) -> list[int]:
        types = self.function.types
        return [position for position, operand in enumerate(op.operands) if "tensordesc" in types[operand]]

    def _mask(self, op: Op, position: int | None) -> str | None:
        """The mask of an access; a constant one (atomics always carry one) is none."""
        if position is None or len(op.operands) <= position:
            return None
        mask = op.operands[position]
        made = self.function.inputs(self.function.follow(mask, _WIDENED)[-1])
        return None if made is not None and made[0] == "arith.constant" else mask

    def _add(self, effect: Effect) -> None:
        key = effect.kind, effect.origin, effect.unknown
        count = self._kept.get(key, 0)
        if count < _SITES:
            self._kept[key] = count + 1
            self.summary.effects.append(effect)

    def _access(self, step: OrderedOp, kind: Kind, position: int, masked: bool) -> None:
        depends = self._place_depends(step.op, position) if kind == "write" and step.straight else None
        origin = self._address(step.op, position)
        self._add(Effect(kind, origin, step.op.name, step.op.at, (), masked, step.sure, depends))

    def _place_depends(self, op: Op, position: int) -> int:
        """What it depends on where an operation writes and whether: its address and all else that it is given (a mask,
        coordinates in what a descriptor describes), but for what it writes: a value, a buffer of shared memory."""
        row, types = ROWS[op.name], self.function.types
        stored = None if row is None or row.stores is None else row.stores % len(op.operands)
        depends = self.dependence.of(op.operands[position])
        for other, operand in enumerate(op.operands):
            if depends & self.numbering.program_bit:
                break  # the rest is not looked at
            if other not in (position, stored) and "memdesc" not in types[operand]:
                depends |= self.dependence.of(operand)
        return depends

    def _address(self, op: Op, position: int) -> Origin:
        """The address that an operation accesses: with its indices, where the operand may point nowhere."""
        origin, row = self.provenance.of(op.operands[position]), ROWS[op.name]
        if not self.numbering.offsets or row is None or not row.indexed or self.fields.is_proven(origin):
            return origin
        stored = None if row.stores is None else row.stores % len(op.operands)
        for other, operand in enumerate(op.operands):
            if other not in (position, stored):
                origin = self.fields.advanced(origin, self.provenance.of(operand))
        return origin

    def _escape(self, op: Op, value: str, kept: bool) -> None:
        # Where no pointer becomes a number, none is stored in pieces, and none comes out of shared memory.
        if self.numbering.offsets or not kept and self.function.may_hold_address(value):
            self._escaped(op, self.provenance.of(value), kept)

    def _escaped(self, op: Op, origin: Origin, kept: bool, told: bool = False) -> None:
        # (What is told in a function that is called may be a digit, whatever it is there.)
        holds = not self.fields.is_empty(origin) if kept or told else self.fields.escaping(origin)
        if holds and not (told and (origin, kept) in self._told):  # (One place is enough to say so.)
            self.summary.escapes.append(Escape(origin, op.at, kept, told))
            if told:
                self._told.add((origin, kept))

    def _tells(self, step: OrderedOp) -> None:
        """What of addresses may be told by whether something is put into memory, how often, and at which place."""
        op, row, values = step.op, ROWS[step.op.name], list(step.deciders)
        if row is not None and (row.writes or row.keeps or row.changes or row.stores is not None):
            stored = (row.stores, None if row.stores is None else row.stores + len(op.operands))
            values += [operand for position, operand in enumerate(op.operands) if position not in stored]
        elif row is not None and row.result not in ("call", "asm", "extern"):
            return
        told = NOTHING
        for value in values:
            kind = self.function.types[value]
            if "memdesc" not in kind:
                told |= self.fields.digits(self.provenance.of(value), is_address(kind), self.is_called)
        for kept in (True, False):
            self._escaped(op, told, kept, told=True)

    def _unknown(self, step: OrderedOp, operands: Iterable[str], reason: str) -> None:
        """What an operation may do, of which nobody knows what it does: it may keep what it is given, too."""
        origin = NOTHING
        for operand in operands:
            origin |= self.provenance.of(operand)
        if self._blame(step, origin, reason, ("read", "write")):
            self._escaped(step.op, origin, kept=False)

    def _blame(self, step: OrderedOp, origin: Origin, reason: str, kinds: tuple[Kind, ...]) -> bool:
        """Whether any address reaches what may access it."""
        if not self.numbering.offsets:
            origin = self.fields.addresses(origin)
        if self.fields.is_empty(origin):
            return False
        for kind in kinds:
            self._add(Effect(kind, origin, step.op.name, step.op.at, unknown=reason))
        return True

    def _returned(self, op: Op, index: int) -> Origin:
        return self._callee(op).result(index)

    def _callee(self, op: Op) -> Summary:
        return self.summaries.of(op.attributes["callee"])

    def _call_depends(self, op: Op) -> bool:
        return self._callee(op).uses_program

    def _call(self, step: OrderedOp) -> None:
        op, callee = step.op, self._callee(step.op)
        self.summary.calls.append(op)
        self.summary.uses_program |= callee.uses_program
        if callee.quiet:
            return
        if not callee.function.names:
            name = op.attributes["callee"]
            self._unknown(step, op.operands, f"the function `{name}` has no body here, so it may access memory")
        arguments = _Arguments(self.provenance, op.operands)
        library = callee.function.index < 0
        for effect in callee.effects:
            at, path = (
                (op.at, effect.path) if library and effect.at.function < 0 else (effect.at, (op.at, *effect.path))
            )
            self._add(
                Effect(
                    effect.kind,
                    self.fields.substitute(effect.origin, arguments),
                    effect.op,
                    at,
                    path,
                    effect.masked,
                    effect.sure and step.sure,
                    self._depends(effect.depends, op) if step.straight else None,
                    effect.unknown,
                )
            )
        for escape in callee.escapes:
            origin = self.fields.substitute(escape.origin, arguments)
            if escape.told:
                origin = self.fields.digits(origin, False, self.is_called)
            self._escaped(op, origin, escape.kept, escape.told)
        for fact in callee.assembly:
            self.summary.assembly.append(
                replace(fact, at=op.at) if fact.at.function < 0 else replace(fact, path=(op.at, *fact.path))
            )

    def _depends(self, depends: int | None, op: Op) -> int | None:
        if depends is None:
            return None
        program = self.numbering.program_bit
        out = depends & program
        for argument in bits(depends & ~program):
            if out & program:
                break  # the rest is not looked at
            out |= self.dependence.of(op.operands[argument])
        return out

    def _registers(self, op: Op, operand: Callable[[int], Origin]) -> Registers:
        return Registers(
            self.fields, operand, lambda why: self.fields.reason(self.numbering.reason(f"the address {why}", op))
        )

    def _assembled(self, op: Op, index: int, origins: Sequence[Origin]) -> Origin:
        made = self._registers(op, origins.__getitem__).of(effects_of(self.function.types, op).results[index])
        return self.fields.address_of_integer(made) if is_address(op.types[index]) else made

    def _inline_asm(self, step: OrderedOp) -> None:
        op, effects = step.op, effects_of(self.function.types, step.op)
        pure = op.attributes.get("pure") == "True"
        registers = self._registers(op, lambda operand: self.provenance.of(op.operands[operand]))
        for access in effects.accesses:
            origin = registers.address(access.address)
            accessed: tuple[tuple[Kind, bool], ...] = (("read", access.read), ("write", access.write))
            for kind, does in accessed:
                if does and not self.fields.is_empty(origin):
                    sure = step.sure and not access.predicated
                    self._add(Effect(kind, origin, access.mnemonic, op.at, (), access.predicated, sure))
        for one in effects.stored:
            self._escaped(op, registers.of(frozenset({one})), kept=False)
            self._escaped(op, registers.of(frozenset({one})), kept=True)
        unknown: str | None = None
        for item in effects.unknown:
            kinds: tuple[Kind, ...] = (("read",) if item.reads else ()) + (("write",) if item.writes else ())
            found = self._blame(step, registers.of(item.reaching), item.reason, kinds)
            if unknown is None and (found or not pure):
                unknown = item.reason
        # Declared a computation: where no address reaches it, what else the assembly may do is the author's word.
        foreign = effects.foreign or given_by_nobody(self.function, op, effects, self.numbering.offsets)
        self.summary.assembly.append(AsmFact(op.at, (), pure, unknown, effects.stores, foreign))
