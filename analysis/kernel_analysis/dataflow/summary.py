"""What one function does to memory, in terms of its own arguments, callees included: so each function is analysed once.

Turns provenance into effects; says nothing about Python parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from kernel_analysis.dataflow import asm
from kernel_analysis.dataflow.dependence import Dependence
from kernel_analysis.dataflow.graph import Argument, Graph, Step
from kernel_analysis.dataflow.operations import operation
from kernel_analysis.dataflow.origin import NOTHING, Fields, Origin
from kernel_analysis.dataflow.provenance import Provenance
from kernel_analysis.facts import AsmFact, Site, Unknown
from kernel_analysis.ir import At, Ir, Op

Kind = Literal["read", "write"]

_SITES = 48
"""Places of one kind that a function keeps for its callers: a helper called from many places must not multiply
without end."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One access. ``origin`` is that of the address; with ``unknown`` set it is all that reaches an operation which
    may access it.

    ``depends``: what address and mask depend on (arguments and the program), None where the access is conditional."""

    kind: Kind
    origin: Origin
    op: str
    at: At
    path: tuple[At, ...] = ()
    masked: bool = False
    sure: bool = False
    depends: int | None = None
    unknown: str | None = None

    def site(self) -> Site:
        """As the facts show it."""
        return Site(self.op, self.at, self.path, self.masked)


@dataclass(frozen=True, slots=True)
class Escape:
    """An address that is put into memory, from where it may come back: ``origin`` of the value stored."""

    origin: Origin
    at: At


@dataclass(slots=True)
class Summary:
    """``calls``: the calls in the function itself."""

    graph: Graph
    effects: list[Effect] = field(default_factory=list[Effect])
    results: list[Origin] = field(default_factory=list[Origin])
    escapes: list[Escape] = field(default_factory=list[Escape])
    assembly: list[AsmFact] = field(default_factory=list[AsmFact])
    calls: list[Op] = field(default_factory=list[Op])
    uses_program: bool = False


class Summaries:
    """The summaries of an Ir's functions, each computed when it is first asked for. ``reasons`` are numbered for
    ``Fields.reason``."""

    def __init__(self, ir: Ir) -> None:
        self.ir = ir
        self.fields = Fields(max((len(f.parameters) for f in ir.functions.values()), default=1))
        self.program_bit = 1 << self.fields.width
        self.reasons: list[Unknown] = []
        self._numbers: dict[tuple[str, At], int] = {}
        self._known: dict[str, Summary] = {}
        # Only where a pointer becomes a number can an offset hide an address.
        self.offsets = "tt.ptr_to_int" in ir.names

    def of(self, name: str) -> Summary:
        """The summary of a function."""
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = Summary(Graph(self.ir.functions[name]))
            _Summarizer(self, known).run()
        return known

    def reason(self, text: str, op: Op) -> int:
        """The number of a reason why an origin is unknown."""
        key = text, op.at
        if key not in self._numbers:
            self._numbers[key] = len(self.reasons)
            self.reasons.append(Unknown(text, op.at))
        return self._numbers[key]


class _Summarizer:
    def __init__(self, summaries: Summaries, summary: Summary) -> None:
        self.summaries, self.summary, self.fields = summaries, summary, summaries.fields
        self.graph = summary.graph
        self.provenance = Provenance(
            self.graph, self.fields, self._returned, self._assembly, summaries.reason, summaries.offsets
        )
        self.dependence = Dependence(self.graph, summaries.program_bit, self._call_depends)
        self._kept: dict[tuple[object, ...], int] = {}

    def run(self) -> None:
        """Fill in the summary."""
        summary = self.summary
        summary.uses_program = "tt.get_program_id" in self.graph.names
        for step in self.graph.steps:
            op = step.op
            row = operation(op.name)
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
                if op.attributes.get("pure") != "True":
                    name = op.attributes.get("symbol", "")
                    self._unknown(
                        step,
                        op.operands,
                        f"the external function `{name}` is not declared pure, so it may access memory",
                    )
            else:
                mask = self._mask(op, row.mask_from)
                masked = mask is not None
                for operand in row.reads:
                    self._access(step, "read", op.operands[operand], masked, mask)
                for operand in row.writes:
                    self._access(step, "write", op.operands[operand], masked, mask)
                if row.stores is not None and row.stores < len(op.operands):
                    self._escape(op, op.operands[row.stores])
        summary.results = [NOTHING] * max((len(ends) for ends in self.graph.returns), default=0)
        for ends in self.graph.returns:
            for index, value in enumerate(ends):
                summary.results[index] |= self.provenance.of(value)

    def _mask(self, op: Op, position: int | None) -> int | None:
        """The mask of an access; a constant one (atomics always carry one) is none."""
        if position is None or len(op.operands) <= position:
            return None
        definition = self.graph.definitions[op.operands[position]]
        while not isinstance(definition, Argument) and definition[0].name in ("tt.splat", "tt.broadcast"):
            definition = self.graph.definitions[definition[0].operands[0]]
        constant = not isinstance(definition, Argument) and definition[0].name == "arith.constant"
        return None if constant else op.operands[position]

    def _add(self, effect: Effect) -> None:
        key = effect.kind, effect.origin, effect.unknown
        count = self._kept.get(key, 0)
        if count < _SITES:
            self._kept[key] = count + 1
            self.summary.effects.append(effect)

    def _access(self, step: Step, kind: Kind, address: int, masked: bool, mask: int | None) -> None:
        depends = None
        if kind == "write" and step.straight:
            depends = self.dependence.of(address) | (self.dependence.of(mask) if mask is not None else 0)
        origin = self.provenance.of(address)
        self._add(Effect(kind, origin, step.op.name, step.op.at, (), masked, step.sure, depends))

    def _escape(self, op: Op, value: int) -> None:
        kind = self.graph.types[value]
        if "!tt.ptr" in kind or "i64" in kind:
            origin = self.provenance.of(value)
            if self.fields.bases(origin) | self.fields.numbers(origin):
                self.summary.escapes.append(Escape(origin, op.at))

    def _unknown(
        self, step: Step, operands: list[int], reason: str, kinds: tuple[Kind, ...] = ("read", "write")
    ) -> None:
        origin = NOTHING
        for operand in operands:
            origin |= self.provenance.of(operand)
        if self.fields.anything(origin):
            for kind in kinds:
                self._add(Effect(kind, origin, step.op.name, step.op.at, unknown=reason))

    def _returned(self, op: Op, arguments: list[Origin]) -> list[Origin]:
        results = [self.fields.substitute(result, arguments) for result in self._callee(op).results]
        return results + [NOTHING] * (len(op.results) - len(results))  # a function that never returns gives none

    def _callee(self, op: Op) -> Summary:
        return self.summaries.of(op.attributes["callee"])

    def _call_depends(self, op: Op) -> bool:
        return self._callee(op).uses_program

    def _call(self, step: Step) -> None:
        op, callee = step.op, self._callee(step.op)
        self.summary.calls.append(op)
        self.summary.uses_program |= callee.uses_program
        if not callee.graph.function.blocks:
            name = op.attributes["callee"]
            self._unknown(step, op.operands, f"the function `{name}` has no body here, so it may access memory")
        if not callee.effects and not callee.escapes and not callee.assembly:
            return
        arguments = [self.provenance.of(operand) for operand in op.operands]
        library = callee.graph.function.at.function < 0
        for effect in callee.effects:
            at, path = (
                (op.at, effect.path) if library and effect.at.function < 0 else (effect.at, (op.at, *effect.path))
            )
            self._add(
                replace(
                    effect,
                    origin=self.fields.substitute(effect.origin, arguments),
                    at=at,
                    path=path,
                    sure=effect.sure and step.sure,
                    depends=self._depends(effect.depends, op) if step.straight else None,
                )
            )
        for escape in callee.escapes:
            self.summary.escapes.append(Escape(self.fields.substitute(escape.origin, arguments), op.at))
        for fact in callee.assembly:
            self.summary.assembly.append(
                replace(fact, at=op.at) if fact.at.function < 0 else replace(fact, path=(op.at, *fact.path))
            )

    def _depends(self, depends: int | None, op: Op) -> int | None:
        if depends is None:
            return None
        out = depends & self.summaries.program_bit
        for argument, operand in enumerate(op.operands):
            if depends >> argument & 1:
                out |= self.dependence.of(operand)
        return out

    def _assembly(self, op: Op) -> asm.AsmEffects:
        attributes = op.attributes
        return asm.effects(
            attributes["asm_string"],
            attributes["constraints"],
            len(op.operands),
            len(op.results),
            int(attributes.get("packed_element", "1")),
            tuple(self.graph.types[operand] for operand in op.operands),
            tuple(result.type for result in op.results),
        )

    def _inline_asm(self, step: Step) -> None:
        op, effects = step.op, self._assembly(step.op)
        pure = op.attributes.get("pure") == "True"
        unknown = effects.unknown[0].reason if effects.unknown else None
        self.summary.assembly.append(AsmFact(op.at, (), pure, None if pure else unknown, effects.stores))
        for access in effects.accesses:
            origin = self.provenance.of(op.operands[access.operand])
            if access.loaded:
                origin = self.fields.loaded(origin, pointer=True, integer=False)
            origin, _ = (
                self.fields.address_of_integer(origin)
                if "!tt." not in self.graph.types[op.operands[access.operand]]
                else (origin, 0)
            )
            accessed: tuple[tuple[Kind, bool], ...] = (("read", access.read), ("write", access.write))
            for kind, does in accessed:
                if does:
                    self._add(
                        Effect(
                            kind,
                            origin,
                            access.mnemonic,
                            op.at,
                            (),
                            access.predicated,
                            step.sure and not access.predicated,
                        )
                    )
        for operand in effects.stored:
            self._escape(op, op.operands[operand])
        if pure:
            return  # declared a computation: what the assembly may do beyond what it plainly does is the author's word
        for item in effects.unknown:
            kinds: tuple[Kind, ...] = (("read",) if item.reads else ()) + (("write",) if item.writes else ())
            self._unknown(step, [op.operands[operand] for operand in item.operands], item.reason, kinds)
            for operand in item.loaded:
                origin = self.fields.loaded(self.provenance.of(op.operands[operand]), pointer=True, integer=False)
                for kind in kinds:
                    self._add(Effect(kind, origin, op.name, op.at, unknown=item.reason))
