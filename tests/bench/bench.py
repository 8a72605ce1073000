"""What an edit costs against the bare compiler, what the analysis costs, and how it grows. By hand: ``make bench``.

Everything is measured in one run, in turns, through the agent's and the server's real pipes. Prints Markdown.
"""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import generated
from edits import EditedFile
from processes import HERE, REPOSITORY, SECONDS, Agent, Bare, Server
from tables import goal, table
from triton_ls.settings import Settings

EXAMPLES = REPOSITORY / "examples"
OURS = HERE / "kernels"
KERNELS = [
    (OURS / "fill.py", "fill_kernel"),
    (EXAMPLES / "vector_add.py", "add_kernel"),
    (EXAMPLES / "inline_asm.py", "timed_copy_kernel"),
    (EXAMPLES / "histogram.py", "histogram_kernel"),
    (EXAMPLES / "softmax.py", "softmax_kernel"),
    (EXAMPLES / "layer_norm.py", "layer_norm_kernel"),
    (OURS / "rotary.py", "rotary_kernel"),
    (EXAMPLES / "matmul.py", "matmul_kernel"),
    (OURS / "layer_norm_backward.py", "layer_norm_backward_kernel"),
    (OURS / "cross_entropy.py", "cross_entropy_kernel"),
    (EXAMPLES / "flash_attention.py", "attention_kernel"),
    (OURS / "attention_backward.py", "attention_backward_kernel"),
]
ROUNDS = 11
QUIET = 1.5  # seconds without a publication after which the diagnostics of a text count as complete
DEPTHS = [8, 32, 128, 512, 2048, 4096]
LONG = 560  # about 20,000 operations


@dataclass(slots=True)
class Measured:
    """Milliseconds of one kernel, an entry a round; all but ``bare_first`` are summed over its signatures."""

    name: str
    operations: int = 0
    signatures: int = 0
    bare: list[float] = field(default_factory=list[float])
    bare_first: list[float] = field(default_factory=list[float])
    compile: list[float] = field(default_factory=list[float])
    analysis: list[float] = field(default_factory=list[float])
    edit: list[float] = field(default_factory=list[float])
    comment: list[float] = field(default_factory=list[float])
    comment_compiles: int = 0

    @property
    def ratio(self) -> float:
        return statistics.median(edit / alone for edit, alone in zip(self.edit, self.bare, strict=True))

    @property
    def share(self) -> float:
        return statistics.median(100 * ours / alone for ours, alone in zip(self.analysis, self.bare, strict=True))

    def excess(self, bare: list[float]) -> float:
        return statistics.median(edit - 1.5 * alone for edit, alone in zip(self.edit, bare, strict=True))


def known(diagnostics: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Diagnostics without their places, which move with the text."""
    return sorted((str(diagnostic.get("code")), diagnostic["message"]) for diagnostic in diagnostics)


def settled(server: Server, file: Path, version: int) -> list[tuple[str, str]]:
    """The last diagnostics for this version, once no others follow."""
    latest = server.diagnostics(file, version, SECONDS)
    if latest is None:
        raise RuntimeError(f"the server published nothing for {file.name}")
    while (following := server.diagnostics(file, version, QUIET)) is not None:
        latest = following
    return known(latest[1])


def until(server: Server, file: Path, version: int, expected: list[tuple[str, str]]) -> float:
    """The moment at which the expected diagnostics of this version arrived."""
    last: list[tuple[str, str]] = []
    while (publication := server.diagnostics(file, version, SECONDS)) is not None:
        last = known(publication[1])
        if last == expected:
            return publication[0]
    raise RuntimeError(f"{file.name}: diagnostics never became {expected}, but {last}")


def measure(bare: Bare, agent: Agent, server: Server, root: Path, source: Path, kernel: str) -> Measured:
    """Edits one kernel again and again, under the three processes in turn."""
    edited = EditedFile.read(source, kernel)
    file, scratch = root / source.name, root.parent / source.name
    file.write_text(edited.text(edited.edit(0)), encoding="utf-8")
    measured = Measured(kernel)

    server.open(file, edited.text(edited.edit(0)))
    expected = {0: settled(server, file, 0)}
    server.change_line(file, 1, edited.line, edited.edit(1))
    expected[1] = settled(server, file, 1)
    if expected[0] == expected[1]:
        raise RuntimeError(
            f"{kernel}: the server does not report the unknown instruction in {edited.edit(1).strip()!r}"
        )
    _, reports = agent.analyze(file, edited.text(edited.edit(1)))
    signatures = reports[kernel]["signatures"]
    measured.signatures = len(signatures)

    for version in range(2, 2 + ROUNDS):
        line = edited.edit(version)
        text = edited.text(line)
        scratch.write_text(text, encoding="utf-8")
        alone = bare.compile(scratch, kernel, signatures)
        measured.operations = int(max(alone["operations"]))
        measured.bare.append(sum(alone["ms"]))
        measured.bare_first.append(alone["ms"][0])

        sent = server.change_line(file, version, edited.line, line)
        measured.edit.append((until(server, file, version, expected[version % 2]) - sent) * 1e3)

        compiles, reports = agent.analyze(file, text)
        if compiles == 0:
            raise RuntimeError(f"{kernel}: an edit that was never seen before compiled nothing")
        measured.compile.append(sum(s["compile_ms"] for s in reports[kernel]["signatures"]))
        measured.analysis.append(sum(s["analysis_ms"] for s in reports[kernel]["signatures"]))

    last = ROUNDS + 1
    for version in range(last + 1, last + 4):
        line = f"{edited.edit(last)}  # comment {version}"
        measured.comment_compiles += agent.analyze(file, edited.text(line))[0]
        sent = server.change_line(file, version, edited.line, line)
        measured.comment.append((until(server, file, version, expected[last % 2]) - sent) * 1e3)
    server.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
    return measured


def edits(bare: Bare, agent: Agent, root: Path) -> None:
    server = Server(root)
    measured = [measure(bare, agent, server, root, source, kernel) for source, kernel in KERNELS]
    server.close()
    median = statistics.median
    print("\n## Edit to diagnostics\n")
    print(
        f"Medians of {ROUNDS} edits, ms; what compares two of them is the median over the rounds, which measure both. "
        f"Debounce is 0 (its default of {Settings().debounce} ms does not count). `make_ir` is the bare compiler, over "
        "all signatures that the analysis compiles (`first`: one of them); `watched` the same inside of the agent.\n"
    )
    head = [
        "kernel",
        "ops",
        "signatures",
        "first",
        "make_ir",
        "watched",
        "analysis",
        "share %",
        "edit",
        "over 1.5x",
        "ratio",
    ]
    rows: list[list[object]] = []
    for m in measured:
        times = [median(m.bare_first), median(m.bare), median(m.compile), median(m.analysis)]
        rows.append([m.name, m.operations, m.signatures, *times, m.share, median(m.edit), m.excess(m.bare), m.ratio])
    print(table(head, rows))
    excess = median([m.excess(m.bare) for m in measured])
    strict = median([m.excess(m.bare_first) for m in measured])
    inside = sum(m.excess(m.bare) <= 10 for m in measured)
    share, worst = median([m.share for m in measured]), max(m.share for m in measured)
    print()
    print(goal(f"an edit takes at most 1.5x + 10 ms: 1.5x {excess:+.1f} ms; {inside} of {len(measured)}", excess <= 10))
    print(f"- against the first signature alone: 1.5x {strict:+.1f} ms")
    print(goal(f"the analysis takes at most 15% of make_ir at the median: {share:.1f}%", share <= 15))
    print(goal(f"the analysis takes at most 30% of make_ir at worst: {worst:.1f}%", worst <= 30))

    print("\n## Comment edit\n")
    print(
        table(
            ["kernel", "compiles", "ms to diagnostics"],
            [[m.name, m.comment_compiles, median(m.comment)] for m in measured],
        )
    )
    compiles = sum(m.comment_compiles for m in measured)
    print("\n" + goal(f"a comment edit compiles nothing: {compiles} compiles", compiles == 0))


def hover(root: Path) -> None:
    """Asks for a hover in one file while the compiler is busy with another."""
    small, large = root / "vector_add.py", root / "large.py"
    text = (EXAMPLES / small.name).read_text(encoding="utf-8")
    lines = text.splitlines()
    line = next(i for i, content in enumerate(lines) if content.startswith("def add_kernel"))
    position = {"line": line, "character": lines[line].index("out_ptr")}
    server = Server(root)
    server.open(small, text)
    settled(server, small, 0)
    server.open(large, generated.LONG.format(n=1000))

    milliseconds: list[float] = []
    busy = 0.0
    start = time.perf_counter()
    while (publication := server.diagnostics(large, 0, 0.01)) is None or not publication[1]:
        question = {"textDocument": {"uri": small.as_uri()}, "position": position}
        elapsed, answer = server.request("textDocument/hover", question)
        if answer is None:
            raise RuntimeError("the hover on a kernel that was analysed shows nothing")
        milliseconds.append(elapsed)
        busy = time.perf_counter() - start
        if busy > SECONDS:
            raise RuntimeError("the large kernel was never finished")
    server.close()
    print("\n## Hover while a large kernel compiles\n")
    median, slow = statistics.median(milliseconds), statistics.quantiles(milliseconds, n=20)[-1]
    head = ["compiling for, s", "hovers", "median ms", "p95 ms", "max ms"]
    print(table(head, [[busy, len(milliseconds), median, slow, max(milliseconds)]]))
    print("\n" + goal(f"a hover takes under 5 ms: {median:.1f} ms at the median, {slow:.1f} at p95", slow < 5))


def growth(bare: Bare, agent: Agent, root: Path) -> None:
    """Analysis time per operation as kernels grow; it stays the same if the analysis is linear."""
    print("\n## Growth\n")
    rows: list[list[object]] = []
    flat: list[tuple[str, float]] = []
    sizes = [
        ("offsets", generated.OFFSETS, DEPTHS),
        ("pointers", generated.POINTERS, DEPTHS),
        ("long", generated.LONG, [60, LONG]),
    ]
    for shape, source, numbers in sizes:
        costs: list[float] = []
        for number in numbers:
            file = root / f"{shape}_{number}.py"
            file.write_text(source.format(n=number), encoding="utf-8")
            _, reports = agent.analyze(file, source.format(n=number))
            (signature,) = reports["generated_kernel"]["signatures"]
            alone = bare.compile(file, "generated_kernel", [signature])
            operations, compile_ms, analysis_ms = alone["operations"][0], alone["ms"][0], signature["analysis_ms"]
            costs.append(1e3 * analysis_ms / operations)
            share = 100 * analysis_ms / compile_ms
            rows.append([f"{shape}, {number}", operations, compile_ms, analysis_ms, costs[-1], share])
        # The smallest kernels show what a call costs at all; from some hundred operations on it is the operations.
        flat.append((shape, costs[-1] / costs[-3 if len(costs) > 2 else 0]))
    print(table(["kernel", "ops", "make_ir ms", "analysis ms", "analysis us per op", "% of make_ir"], rows))
    print()
    for shape, factor in flat:
        print(
            goal(
                f"{shape}: the largest costs {factor:.2f}x as much per operation as a smaller one (at most 1.5x)",
                factor <= 1.5,
            )
        )


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve() / "workspace"
        root.mkdir()
        # The same settings for everybody: nothing waits, nothing is remembered from an earlier run.
        (root / "pyproject.toml").write_text("[tool.triton-ls]\ndebounce = 0\ncache = false\n", encoding="utf-8")
        bare, agent = Bare(), Agent(root)
        machine = f"{platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start"
        print(f"# Benchmark\n\n{time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, {machine}.")
        edits(bare, agent, root)
        hover(root)
        growth(bare, agent, root)
        bare.close()
        agent.close()


if __name__ == "__main__":
    main()
