"""Runs in any Python with a Triton: compiles every block of the corpus and compares what we read of the printed modules
with what Triton's own bindings say of the same modules. Prints what it found as JSON.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "analysis")]

from corpus.pages import read_all  # noqa: E402
from kernel_analysis.dataflow.memory.operations import OPERATIONS  # noqa: E402
from kernel_analysis.ir import Block, Function, Op  # noqa: E402
from kernel_analysis.kernels.cut import NotCut, cut  # noqa: E402
from kernel_analysis.kernels.project import Project  # noqa: E402
from kernel_analysis.lowering import Compiler  # noqa: E402
from kernel_analysis.signature.infer import infer  # noqa: E402

# Printed in another order than their operands have.
REORDERED = ("tt.descriptor_store", "tt.descriptor_reduce", "tt.dot_scaled", "ttg.", "ttng.", "amdg.")
# Their operands are those of an operation inside of them, as the bindings see it.
OUTER = "ttg.warp_specialize"
INNER = "ttg.warp_specialize.partitions"


@dataclass
class Row:
    """One operation: values are whatever identifies them, types without the layouts (which are printed as names)."""

    name: str
    operands: list[Any]
    results: list[Any]
    types: list[str]


@dataclass
class Findings:
    modules: int = 0
    operations: Counter[str] = field(default_factory=Counter[str])
    differences: list[str] = field(default_factory=list[str])


def without_layouts(kind: str) -> str:
    kind = re.sub(r"#ttg\.shared_memory", "#smem", kind)
    while (shorter := re.sub(r"#ttg\.\w+<(?:[^<>]|<[^<>]*>)*>", "#layout", kind)) != kind:
        kind = shorter
    return re.sub(r", #\w+", "", kind)


def from_bindings(module: Any) -> dict[str, list[Row]]:
    """The operations of each function, inner ones first."""
    functions: dict[str, list[Row]] = {}
    rows: list[Row] = []

    def visit(operation: Any) -> None:
        nonlocal rows
        name = operation.get_name()
        if name == "tt.func":
            functions[operation.get_str_attr("sym_name")] = rows
            rows = []
        elif name not in ("builtin.module", INNER):
            results = [operation.get_result(i) for i in range(operation.get_num_results())]
            operands = [operation.get_operand(i).id() for i in range(operation.get_num_operands())]
            types = [without_layouts(str(result.get_type())) for result in results]
            rows.append(Row(name, operands, [result.id() for result in results], types))

    module.walk(visit)
    return functions


def from_text(function: Function) -> list[Row]:
    """The same, of what we read."""

    def rows(blocks: Sequence[Block]) -> Iterator[Row]:
        for block in blocks:
            for op in block.ops:
                for region in op.regions:
                    yield from rows(region)
                yield Row(op.name, list(op.operands), list(op.results), [without_layouts(t) for t in op.types])
                check_positions(op, function)

    return list(rows(function.blocks))


def check_positions(op: Op, function: Function) -> None:
    """The operand through which an operation accesses memory is an address, and nothing else that it is given is one,
    but for what it stores: so no order of operands can make the table wrong."""
    row = OPERATIONS.get(op.name)
    if row is None or not (row.reads or row.writes):
        return
    addresses = {i for i, value in enumerate(op.operands) if re.search(r"tt\.ptr|tensordesc", function.types[value])}
    named = addresses if row.reads_all else {*row.reads, *row.writes}
    # What is stored may be left out: a mask's value for the lanes that are off.
    operands = range(len(op.operands))
    stored = {operands[row.stores]} if row.stores is not None and row.stores < len(operands) else set[int]()
    if not named or not named <= addresses or addresses - named - stored:
        findings.differences.append(f"{op.name}: addresses are operands {addresses}, the table says {named}")


def compare(name: str, bound: list[Row], read: list[Row]) -> None:
    # A terminator without operands need not be printed.
    bound = [row for row in bound if row.name != "scf.yield" or row.operands]
    read = [row for row in read if row.name != "scf.yield" or row.operands]
    if [row.name for row in bound] != [row.name for row in read]:
        findings.differences.append(f"{name}: other operations")
        return
    same: dict[Any, Any] = {}
    for b, r in zip(bound, read, strict=True):
        findings.operations[b.name] += 1
        if b.types != r.types and not b.name.startswith(("ttg.", "ttng.", "amdg.")):
            findings.differences.append(f"{name}: {b.name} has the results {b.types}, read as {r.types}")
        if len(b.results) != len(r.results) or len(b.operands) != len(r.operands) and b.name != OUTER:
            findings.differences.append(f"{name}: {b.name} has another number of results or operands")
            continue
        pairs = list(zip(b.results, r.results, strict=True))
        if not b.name.startswith(REORDERED):
            pairs += zip(b.operands, r.operands, strict=True)
        for one, other in pairs:
            if same.setdefault(one, other) != other:
                findings.differences.append(f"{name}: {b.name} has another value, read as {other}")


@lru_cache
def compiler(target: str) -> Compiler:
    return Compiler(target)


findings = Findings()


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        for number, case in enumerate(read_all()):
            engine = compiler(case.target)
            if not case.holds_for(engine.triton_version):
                continue
            folder = Path(directory).resolve() / str(number)
            for name, text in {**case.files, f"{case.name or 'block'}.py": case.source}.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            project = Project([str(folder)], [], case.target)
            for function in project.module(str(folder / f"{case.name or 'block'}.py")).functions:
                try:
                    slice_ = cut(project, function)
                except NotCut:
                    continue  # its text is another when it runs: there is nothing to compile
                for signature in infer(project, function, slice_):
                    # The second time the helpers are known and only declared, and the kernel is printed alone.
                    for _ in range(2):
                        lowered = engine.lower(slice_, signature)
                        if lowered.ir is None:
                            continue
                        findings.modules += 1
                        bound = from_bindings(lowered.module)
                        for name, part in lowered.ir.functions.items():
                            if bound.get(name):
                                compare(f"{case.id}: {name}", bound[name], from_text(part))
    print(
        json.dumps(
            {
                "modules": findings.modules,
                "operations": findings.operations,
                "differences": findings.differences[:20],
            }
        )
    )


main()
