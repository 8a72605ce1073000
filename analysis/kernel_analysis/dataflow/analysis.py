"""Ir -> Facts: what the summaries mean for the Python parameters. May not look at operations itself."""

from __future__ import annotations

from kernel_analysis.dataflow.join import join_parameters
from kernel_analysis.dataflow.origin import bits
from kernel_analysis.dataflow.summary import Effect, Kind, Summaries, Summary
from kernel_analysis.facts import CallFact, Facts, ParameterFacts, Unknown, ValueFact, Verdict
from kernel_analysis.ir import Ir
from kernel_analysis.signature.model import ParameterType, Signature
from kernel_analysis.source.slice import Slice


def analyze(ir: Ir, slice: Slice, signature: Signature) -> Facts:
    """The facts about ``slice.functions[0]`` under one signature."""
    summaries = Summaries(ir)
    entry = summaries.of(ir.entry)
    facts = Facts(parameters=_parameters(summaries, entry, _declared(signature)))
    facts.values = [ValueFact(name, at, kind) for at, name, kind in ir.assigned if at.function >= 0]
    facts.assembly = list(entry.assembly)
    facts.reached = sorted(ir.reached, key=lambda at: (at.function, at.node))
    helpers: dict[str, list[ParameterFacts]] = {}
    for name, function in ir.functions.items():
        if name != ir.entry and function.at.function >= 0:
            types = {parameter: _python_type(ir, name, parameter) for parameter in dict.fromkeys(function.parameters)}
            helpers[name] = _parameters(summaries, summaries.of(name), types)
    by_index: dict[int, list[list[ParameterFacts]]] = {}
    for name, parameters in helpers.items():
        by_index.setdefault(ir.functions[name].at.function, []).append(parameters)
    facts.helpers = {index: join_parameters(many) for index, many in by_index.items()}
    facts.calls = _calls(summaries, helpers)
    return facts


def _declared(signature: Signature) -> dict[str, str]:
    """Every parameter (tuples by element) and its type."""
    out: dict[str, str] = {}

    def add(name: str, kind: ParameterType) -> None:
        if isinstance(kind, tuple):
            for position, inner in enumerate(kind):
                add(f"{name}[{position}]", inner)
        else:
            out[name] = kind

    for name, kind in signature.types.items():
        add(name, kind)
    return out


def _python_type(ir: Ir, function: str, parameter: str) -> str:
    head = ir.functions[function]
    position = head.parameters.index(parameter)
    return python_type(head.blocks[0].arguments[position].type)


_ELEMENTS = {"f64": "fp64", "f32": "fp32", "f16": "fp16", "bf16": "bf16", "i1": "i1"}


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
    return f"{pointer}{_ELEMENTS.get(kind, kind.removeprefix('!tt.'))}{shape}"


def _parameters(summaries: Summaries, summary: Summary, types: dict[str, str]) -> list[ParameterFacts]:
    found = {name: ParameterFacts(name, kind) for name, kind in types.items()}
    names = summary.graph.function.parameters
    order: dict[str, list[tuple[Kind, bool]]] = {name: [] for name in found}
    writes: dict[str, list[Effect]] = {name: [] for name in found}
    pointers = [name for name, kind in types.items() if kind.startswith(("*", "tensordesc"))]
    through_tables: set[Kind] = set()
    fields = summaries.fields
    for effect in summary.effects:
        origin = effect.origin
        if effect.unknown is not None:
            note = Unknown(effect.unknown, effect.at, effect.path)
            direct = fields.bases(origin) | fields.integers(origin) | fields.numbers(origin)
            _blame(found, names, direct, effect.kind, note, table=False)
            _blame(found, names, fields.tables(origin) | fields.loaded_integers(origin), effect.kind, note, table=True)
            through_tables.add(effect.kind)
            continue
        bases, tables = fields.bases(origin), fields.tables(origin)
        for index in bits(bases):
            fact = found[names[index]]
            (fact.read if effect.kind == "read" else fact.write).sites.append(effect.site())
            order[fact.name].append((effect.kind, effect.sure))
            if effect.kind == "write":
                writes[fact.name].append(effect)
        for index in bits(tables):
            fact = found[names[index]]
            (fact.table_read if effect.kind == "read" else fact.table_write).sites.append(effect.site())
        numbers = fields.numbers(origin) & ~bases
        reasons = [summaries.reasons[index] for index in bits(fields.reasons(origin))]
        if tables or reasons:
            through_tables.add(effect.kind)
        if numbers:
            reason = reasons[0].reason if reasons else "another address is computed from its address"
            _blame(found, names, numbers, effect.kind, Unknown(reason, effect.at, effect.path), table=False)
        elif reasons and not bases and not tables:
            for name in pointers:
                access = found[name].read if effect.kind == "read" else found[name].write
                access.unknowns.append(Unknown(reasons[0].reason, effect.at, effect.path))
    for escape in summary.escapes:
        for kind in through_tables:
            note = Unknown(
                f"its address is stored in memory here, and the kernel {kind}s through addresses that it read "
                "from memory",
                escape.at,
            )
            _blame(found, names, fields.bases(escape.origin) | fields.numbers(escape.origin), kind, note, table=False)
    for fact in found.values():
        fact.first = _first(order[fact.name])
        fact.masked_only = bool(writes[fact.name]) and all(effect.masked for effect in writes[fact.name])
        fact.uniform_write = any(
            effect.depends is not None and not effect.depends & summaries.program_bit for effect in writes[fact.name]
        )
    return list(found.values())


def _blame(
    found: dict[str, ParameterFacts], names: list[str], mask: int, kind: Kind, note: Unknown, table: bool
) -> None:
    for index in bits(mask):
        fact = found[names[index]]
        read, write = (fact.table_read, fact.table_write) if table else (fact.read, fact.write)
        access = read if kind == "read" else write
        if note not in access.unknowns:
            access.unknowns.append(note)


def _first(order: list[tuple[Kind, bool]]) -> Kind | None:
    """What is certainly done first: the kind of all accesses up to the first that surely happens, if they agree."""
    kinds: set[Kind] = set()
    for kind, sure in order:
        kinds.add(kind)
        if len(kinds) > 1:
            return None
        if sure:
            break
    return kinds.pop() if kinds else None


def _calls(summaries: Summaries, helpers: dict[str, list[ParameterFacts]]) -> list[CallFact]:
    out: dict[tuple[object, int], CallFact] = {}
    for name in (summaries.ir.entry, *helpers):
        for op in summaries.of(name).calls:
            callee = op.attributes["callee"]
            if callee not in helpers or op.at.function < 0:
                continue
            index = summaries.ir.functions[callee].at.function
            verdicts: tuple[tuple[str, Verdict, Verdict], ...] = tuple(
                (fact.name, fact.read.verdict, fact.write.verdict) for fact in helpers[callee]
            )
            out.setdefault((op.at, index), CallFact(op.at, index, verdicts))
    return list(out.values())
