"""Where a kernel's own loads and stores go, as sums of products: what of an address is the program's, a block's, an
argument's. For whoever compares two of them; what is not understood is None, and equal sums are equal addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from kernel_analysis.dataflow.memory.control_flow import Graph
from kernel_analysis.dataflow.memory.operations import ROWS
from kernel_analysis.dataflow.memory.summary import Summaries
from kernel_analysis.facts import Site
from kernel_analysis.ir import Argument, Function, Ir

Terms: TypeAlias = "tuple[tuple[tuple[str, ...], int], ...]"
"""Each product, as its factors in order, with how often it is added."""

_SAME: Final = frozenset({"tt.splat", "tt.broadcast", "arith.extsi", "arith.extui", "arith.trunci", "tt.bitcast"})
_MOST: Final = 32
_DEEPEST: Final = 60
_Sum: TypeAlias = "dict[tuple[str, ...], int]"


class Address(NamedTuple):
    """One access, without the tensor that it is based on: that of ``parameter``."""

    parameter: str
    writes: bool
    site: Site
    terms: Terms | None


def addresses(ir: Ir) -> list[Address] | None:
    """All that the kernel itself accesses; None where it may access more."""
    function = ir.functions[ir.entry]
    summaries, reader = Summaries(ir), _Reader(function)
    found: list[Address] = []
    for step in Graph(function).steps:
        op, row = step.op, ROWS[step.op.name]
        if row is not None and row.result == "call" and summaries.of(op.attributes["callee"]).quiet:
            continue
        if row is None or row.result in ("call", "asm"):
            return None
        for operand in (row.reads or row.writes)[:1]:
            base, terms = reader.based(op.operands[operand])
            if base is None:
                return None
            site = Site(op.name, op.at, (), False)
            indexed = row.indexed
            if row.reads:
                found.append(Address(base, False, site, None if indexed else terms))
            if row.writes:
                found.append(Address(base, True, site, None if indexed else terms))
    return found


class _Reader:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._sums: dict[str, _Sum | None] = {}

    def based(self, value: str) -> tuple[str | None, Terms | None]:
        """The parameter that an address is based on, and what is added to it."""
        found = self._sum(value, 0)
        bases = [key for key in found or {} if any(factor.startswith("base:") for factor in key)]
        if found is None or len(bases) != 1 or len(bases[0]) != 1 or found[bases[0]] != 1:
            return None, None
        rest = {key: count for key, count in found.items() if key != bases[0] and count}
        return bases[0][0].removeprefix("base:"), tuple(sorted(rest.items()))

    def _sum(self, value: str, depth: int) -> _Sum | None:
        if value not in self._sums:
            self._sums[value] = None  # what is made of itself is not understood
            self._sums[value] = self._made(value, depth) if depth < _DEEPEST else None
        return self._sums[value]

    def _made(self, value: str, depth: int) -> _Sum | None:
        definition = self._function.definitions[value]
        if isinstance(definition, Argument):
            return self._argument(value, definition, depth)
        op, index = definition
        if op.name in _SAME:
            return self._sum(op.operands[0], depth + 1)
        if op.name == "arith.constant":
            number = op.attributes.get("value", "")
            return {(): int(number)} if number.lstrip("-").isdigit() else None
        if op.name in ("tt.addptr", "arith.addi", "arith.subi"):
            return self._added(op.operands, -1 if op.name == "arith.subi" else 1, depth)
        if op.name == "arith.muli":
            return self._product(op.operands, depth)
        if op.name == "tt.expand_dims":
            inner = self._sum(op.operands[0], depth + 1)
            axis = op.attributes.get("axis", "")
            return None if inner is None else _renamed(inner, {f: _along(f, axis) for key in inner for f in key})
        if op.name == "tt.get_program_id":
            return {(f"program:{op.attributes.get('axis', '')}",): 1}
        if op.name == "tt.make_range":
            return {(f"range:{op.attributes.get('start')}:{op.attributes.get('end')}",): 1}
        row = ROWS[op.name]
        if row is None or op.regions or row.result in ("call", "asm", "extern", "kept"):
            return None
        inside = [self._sum(operand, depth + 1) for operand in op.operands]
        if None in inside:
            return None
        spelled = ",".join(str(sorted(one.items())) for one in inside if one is not None)
        told = sorted(f"{name}={told}" for name, told in op.attributes.items())
        return {(f"{op.name}({spelled};{told};{index})",): 1}

    def _argument(self, value: str, definition: Argument, depth: int) -> _Sum | None:
        if definition.owner is None:
            place = list(self._function.arguments).index(value)
            kind = "base" if "ptr" in self._function.argument_types[place] else "arg"
            return {(f"{kind}:{self._function.parameters[place]}",): 1}
        if definition.owner.name != "scf.for":
            return None
        if definition.index == 0:
            bounds = [self._sum(operand, depth + 1) for operand in definition.owner.operands[:3]]
            if None in bounds:
                return None
            return {(f"turn:{[sorted(one.items()) for one in bounds if one is not None]}",): 1}
        # Moved on from turn to turn, nobody asks how far.
        first = self._sum(definition.owner.operands[2 + definition.index], depth + 1)
        return None if first is None else {**first, ("moved",): 1}

    def _added(self, operands: Sequence[str], sign: int, depth: int) -> _Sum | None:
        first, second = (self._sum(operand, depth + 1) for operand in operands)
        if first is None or second is None:
            return None
        found = dict(first)
        for key, count in second.items():
            found[key] = found.get(key, 0) + sign * count
        return found

    def _product(self, operands: Sequence[str], depth: int) -> _Sum | None:
        first, second = (self._sum(operand, depth + 1) for operand in operands)
        if first is None or second is None or len(first) * len(second) > _MOST:
            return None
        found: _Sum = {}
        for one, count in first.items():
            for other, times in second.items():
                key = tuple(sorted((*one, *other)))
                found[key] = found.get(key, 0) + count * times
        return found


def _along(factor: str, axis: str) -> str:
    """A block's factor, once it lies along another axis."""
    scalar = factor.startswith(("program:", "arg:", "base:", "turn:")) or factor == "moved"
    return factor if scalar else f"{factor}@{axis}"


def _renamed(found: _Sum, names: Mapping[str, str]) -> _Sum:
    return {tuple(sorted(names[factor] for factor in key)): count for key, count in found.items()}
