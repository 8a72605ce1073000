"""The analysis as kernels grow: its time per operation stays the same if it is linear."""

from __future__ import annotations

from pathlib import Path

import generated
from processes import Agent, Bare
from tables import goal, table

DEPTHS = [8, 32, 128, 512, 2048, 4096]
LONG = 560  # about 20,000 operations
ARMS = [10, 75, 150, 300]
NESTED = [1, 2, 4, 8, 12]
ROUNDS = 3


def best_of(bare: Bare, agent: Agent, file: Path, source: str, number: int) -> tuple[int, float, float]:
    """Number of operations, and the best of some rounds of ``make_ir`` and of the analysis, ms."""
    compiles: list[float] = []
    analyses: list[float] = []
    operations = 0
    for tag in range(ROUNDS):  # the tag makes it a kernel that was never seen before
        text = source.format(n=number, tag=tag)
        file.write_text(text, encoding="utf-8")
        (signature,) = agent.analyze(file, text)[1]["generated_kernel"]["signatures"]
        alone = bare.compile(file, "generated_kernel", [signature])
        operations = int(alone["operations"][0])
        compiles.append(alone["ms"][0])
        analyses.append(signature["analysis_ms"])
    return operations, min(compiles), min(analyses)


def texts(agent: Agent, root: Path) -> None:
    """What the proof costs as the text grows and what is compiled does not: of all its time, for each line."""
    rows: list[list[object]] = []
    factors: list[tuple[str, float]] = []
    for shape, source, numbers in (("arms", generated.arms, ARMS), ("nested loops", generated.nested, NESTED)):
        costs: list[float] = []
        for number in numbers:
            file = root / f"{shape.replace(' ', '_')}_{number}.py"
            times: list[float] = []
            compiles = lines = 0
            for tag in range(ROUNDS):
                text = source(number, tag)
                lines = text.count("\n")
                file.write_text(text, encoding="utf-8")
                signatures = agent.analyze(file, text)[1]["generated_kernel"]["signatures"]
                times.append(sum(signature["analysis_ms"] for signature in signatures))
                compiles = len(signatures)
            costs.append(1e3 * min(times) / lines)
            rows.append([f"{shape}, {number}", lines, compiles, min(times), costs[-1]])
        factors.append((shape, costs[-1] / costs[-2]))
    print("\n## Growth of the text\n")
    print(table(["kernel", "lines", "compiles", "analysis ms", "analysis us per line"], rows) + "\n")
    for shape, factor in factors:
        text = f"{shape}: the largest costs {factor:.2f}x as much per line as half of it (at most 1.5x)"
        print(goal(text, factor <= 1.5))


def growth(bare: Bare, agent: Agent, root: Path) -> None:
    shapes = [
        ("offsets", generated.OFFSETS, DEPTHS),
        ("pointers", generated.POINTERS, DEPTHS),
        ("long", generated.LONG, [60, LONG]),
    ]
    rows: list[list[object]] = []
    factors: list[tuple[str, float]] = []
    for shape, source, numbers in shapes:
        costs: list[float] = []
        for number in numbers:
            file = root / f"{shape}_{number}.py"
            operations, compile_ms, analysis_ms = best_of(bare, agent, file, source, number)
            costs.append(1e3 * analysis_ms / operations)
            share = 100 * analysis_ms / compile_ms
            rows.append([f"{shape}, {number}", operations, compile_ms, analysis_ms, costs[-1], share])
        # The smallest kernels show what a call costs at all; from some hundred operations on it is the operations.
        factors.append((shape, costs[-1] / costs[-3 if len(costs) > 2 else 0]))
    print(f"\n## Growth\n\nThe best of {ROUNDS} rounds.\n")
    print(table(["kernel", "ops", "make_ir ms", "analysis ms", "analysis us per op", "% of make_ir"], rows) + "\n")
    for shape, factor in factors:
        text = f"{shape}: the largest costs {factor:.2f}x as much per operation as a smaller one (at most 1.5x)"
        print(goal(text, factor <= 1.5))
