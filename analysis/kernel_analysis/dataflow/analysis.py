"""Ir -> Facts: what the summaries mean for the Python parameters. May not look at operations itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from kernel_analysis import paths
from kernel_analysis.dataflow.join import join_parameters
from kernel_analysis.dataflow.memory.effects import Effect, Kind, Summary
from kernel_analysis.dataflow.memory.origin import bits
from kernel_analysis.dataflow.memory.summary import Summaries
from kernel_analysis.dataflow.twice.idempotence import again
from kernel_analysis.facts import Access, CallFact, Facts, ParameterFacts, Site, UnknownVerdict, Verdict
from kernel_analysis.ir import Function, Ir
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import Slice


def analyze(ir: Ir, slice: Slice, signature: Signature) -> Facts:
    """The facts about ``slice.functions[0]`` under one signature."""
    summaries = Summaries.complete(ir)
    entry = summaries.of(ir.entry)
    helpers: dict[str, list[ParameterFacts]] = {}
    by_index: dict[int, list[list[ParameterFacts]]] = {}
    for name, function in ir.functions.items():
        if function.index >= 0 and name != ir.entry:
            parameters = helpers[name] = _of_helper(summaries, function)
            by_index.setdefault(function.index, []).append(parameters)
    parameters = _parameters(summaries, entry, _declared(signature))
    if slice.autotuned and any(fact.read.sites and fact.write.sites for fact in parameters):
        found = again(summaries)
        for fact in parameters:
            fact.again = found.get(fact.name)
    return Facts(
        parameters=parameters,
        values=ir.assigned,
        calls=_calls(summaries, helpers) if helpers else [],
        assembly=list(entry.assembly),
        recursion=None,
        problems=[],
        helpers={index: join_parameters(many) for index, many in by_index.items()},
        reached={index: sorted(ir.reached[index]) for index in sorted(ir.reached)},
    )


def _of_helper(summaries: Summaries, function: Function) -> list[ParameterFacts]:
    key = summaries.numbering, "facts"
    known = function.memory.get(key)
    if known is None:
        types: dict[str, str] = {}
        for parameter, kind in zip(function.parameters, function.argument_types, strict=True):
            types.setdefault(parameter, python_type(kind))  # of a descriptor's arguments the first tells what it is
        known = function.memory[key] = _parameters(summaries, summaries.of(function.name), types)
    return known


def _declared(signature: Signature) -> dict[str, str]:
    """Every parameter (tuples by element) and its type."""
    declared: dict[str, str] = {}
    for name, kind in signature.types.items():
        if isinstance(kind, str):
            declared[name] = kind
        else:
            declared.update(paths.leaves(name, kind, signature.names))
    return declared


_ELEMENTS = {"f64": "fp64", "f32": "fp32", "f16": "fp16", "bf16": "bf16", "i1": "i1"}


@lru_cache(maxsize=4096)
def python_type(kind: str) -> str:
    """MLIR's type as signatures write it: ``tensor<128x!tt.ptr<f32>>`` -> ``*fp32[128]``."""
    shape = ""
    if kind.startswith("tensor<"):
        *sizes, kind = kind[7:-1].split("x", kind.count("x") if "!" not in kind else kind.split("!")[0].count("x"))
        shape = f"[{', '.join(sizes)}]"
    pointer = ""
    while kind.startswith("!tt.ptr<"):
        pointer += "*"
        kind = kind[8:-1].split(",")[0]
    return f"{pointer}{_ELEMENTS.get(kind, kind.removeprefix('!tt.').removeprefix('!ttng.'))}{shape}"


Slot = Literal["read", "write", "table_read", "table_write"]


class _Found:
    """What is found out about the parameters of a function: by name and field of ``ParameterFacts``."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.sites: dict[tuple[str, Slot], list[Site]] = {}
        self.unknowns: dict[tuple[str, Slot], dict[UnknownVerdict, None]] = {}

    def site(self, mask: int, slot: Slot, site: Site) -> None:
        """An access to each of these arguments."""
        for index in bits(mask):
            self.sites.setdefault((self._names[index], slot), []).append(site)

    def blame(self, mask: int, slot: Slot, note: UnknownVerdict) -> None:
        """A reason why something is unknown of each of these arguments."""
        for index in bits(mask):
            self.doubt(self._names[index], slot, note)

    def doubt(self, name: str, slot: Slot, note: UnknownVerdict) -> None:
        """The same, of one parameter."""
        self.unknowns.setdefault((name, slot), {})[note] = None


_TABLE: dict[Kind, Slot] = {"read": "table_read", "write": "table_write"}


def _parameters(summaries: Summaries, summary: Summary, types: dict[str, str]) -> list[ParameterFacts]:
    facts = {name: ParameterFacts(name, kind) for name, kind in types.items()}
    foreign = [asm for asm in summary.assembly if asm.foreign is not None]
    if not summary.effects and not foreign:
        return list(facts.values())
    names = summary.function.parameters
    found = _Found(names)
    order: dict[str, list[Effect]] = {}
    # Which accesses there are through addresses that came back from memory.
    through_tables: set[Kind] = set()
    through_kept: set[Kind] = set()
    fields = summaries.numbering.fields
    for effect in summary.effects:
        origin, kind = effect.origin, effect.kind
        reasons = fields.reasons(origin)
        if reasons:
            through_kept.add(kind)
        if effect.unknown is not None:
            note = UnknownVerdict(effect.unknown, effect.at, effect.path)
            found.blame(fields.bases(origin) | fields.unclear(origin), kind, note)
            found.blame(fields.tables(origin) | fields.unclear_tables(origin), _TABLE[kind], note)
            through_tables.add(kind)
            continue
        bases, site = fields.bases(origin), effect.site()
        for index in bits(bases):
            name = names[index]
            found.sites.setdefault((name, kind), []).append(site)
            order.setdefault(name, []).append(effect)
        if origin == bases:
            continue
        tables = fields.tables(origin)
        found.site(tables, _TABLE[kind], site)
        unclear, pieces = fields.unclear(origin) & ~bases, fields.unclear_tables(origin) & ~tables
        if tables or pieces or reasons:
            through_tables.add(kind)
        if reasons:
            why = summaries.numbering.reasons[bits(reasons)[0]].reason
        elif bases | tables:
            why = "another address is computed from its address"
        else:
            why = "the address is computed from integers in a way that does not tell its base from an offset"
        found.blame(unclear, kind, UnknownVerdict(why, effect.at, effect.path))
        found.blame(pieces, _TABLE[kind], UnknownVerdict(why, effect.at, effect.path))
    for escape in summary.escapes:
        origin = escape.origin
        for kind in through_kept if escape.kept else through_tables:
            where = "kept in shared memory" if escape.kept else "stored in memory"
            note = UnknownVerdict(
                f"its address is {where} here, and the kernel {kind}s through addresses that it read from memory",
                escape.at,
            )
            if escape.kept:
                found.blame(fields.bases(origin) | fields.unclear(origin), kind, note)
                found.blame(fields.tables(origin) | fields.unclear_tables(origin), _TABLE[kind], note)
            else:
                found.blame(fields.escaping(origin), kind, note)
    for asm in foreign[:1]:
        note = UnknownVerdict(f"in assembly, {asm.foreign}", asm.at, asm.path)
        for name, kind in types.items():
            for slot in _slots(kind):
                found.doubt(name, slot, note)
    for name, slot in dict.fromkeys((*found.sites, *found.unknowns)):
        sites = found.sites.get((name, slot), ())
        if len(sites) > 1:
            sites = dict.fromkeys(sites)  # an unrolled loop has one as often as it goes round
        access = Access(tuple(sites), tuple(found.unknowns.get((name, slot), ())))
        setattr(facts[name], slot, access)
    for name, effects in order.items():
        _order(facts[name], effects, summaries.numbering.program_bit)
    return list(facts.values())


def _slots(kind: str) -> tuple[Slot, ...]:
    """What may be done through a parameter of that type."""
    if kind.startswith(("**", "*i64", "*u64")):
        return "read", "write", "table_read", "table_write"
    return ("read", "write") if kind.startswith(("*", "tensordesc")) else ()


def _order(fact: ParameterFacts, effects: list[Effect], program_bit: int) -> None:
    """What is known of all accesses to one parameter together."""
    written, masked, uniform = False, True, False
    # What is certainly done first: the kind of all accesses up to the first that surely happens, if they agree.
    first: Kind | None = effects[0].kind
    settled = False
    for effect in effects:
        if not settled:
            if effect.kind != first:
                first = None
            settled = effect.sure or first is None
        if effect.kind == "write":
            written = True
            masked = masked and effect.masked
            uniform = uniform or effect.depends is not None and not effect.depends & program_bit
    fact.first, fact.masked_only, fact.uniform_write = first, written and masked, uniform


def _calls(summaries: Summaries, helpers: dict[str, list[ParameterFacts]]) -> list[CallFact]:
    verdicts: dict[str, tuple[tuple[str, Verdict, Verdict], ...]] = {
        name: tuple([(fact.name, fact.read.verdict, fact.write.verdict) for fact in facts])
        for name, facts in helpers.items()
    }
    out: dict[CallFact, None] = {}  # the turns of a loop may do different things
    for name in (summaries.ir.entry, *helpers):
        for op in summaries.of(name).calls:
            callee = op.attributes["callee"]
            if callee in helpers and op.at.function >= 0:
                index = summaries.ir.functions[callee].index
                out[CallFact(op.at, index, verdicts[callee])] = None
    return list(out)
