"""An edit, from the moment it is sent to the diagnostics for it, against the bare compiler; and a hover meanwhile."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import generated
from edits import EditedFile
from processes import HERE, REPOSITORY, SECONDS, Agent, Bare, Server
from tables import goal, table

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
FACTOR, BESIDE = 1.2, 8.0  # what an edit may take: so many times `make_ir`, and so many milliseconds
ROUNDS = 11
QUIET = 1.5  # seconds without a publication after which the diagnostics of a text count as complete


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
    agent: list[float] = field(default_factory=list[float])
    edit: list[float] = field(default_factory=list[float])
    comment: list[float] = field(default_factory=list[float])
    comment_compiles: int = 0

    @property
    def ratio(self) -> float:
        return median(edit / alone for edit, alone in zip(self.edit, self.bare, strict=True))

    @property
    def share(self) -> float:
        return median(100 * ours / alone for ours, alone in zip(self.analysis, self.bare, strict=True))

    def excess(self, bare: list[float]) -> float:
        return median(edit - FACTOR * alone for edit, alone in zip(self.edit, bare, strict=True))


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

        sent = time.perf_counter()
        compiles, reports = agent.analyze(file, text)
        measured.agent.append((time.perf_counter() - sent) * 1e3)
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
    print("\n## Edit to diagnostics\n")
    print(
        f"Medians of {ROUNDS} edits, ms; what compares two of them is the median over the rounds, which measure both. "
        "`make_ir` is the bare compiler, over all signatures that the analysis compiles (`first`: one of them); "
        "`watched` the same inside of the agent, `agent` all that the agent does. "
        "`best` is the fastest round, which says more when the machine is busy.\n"
    )
    head = ["kernel", "ops", "signatures", "first", "make_ir", "watched", "analysis", "share %", "agent", "edit"]
    head += [f"over {FACTOR}x", "ratio", "best make_ir", "best analysis", "best edit"]
    rows: list[list[object]] = []
    for m in measured:
        lists = [m.bare_first, m.bare, m.compile, m.analysis]
        times = [*map(median, lists), m.share, median(m.agent), median(m.edit), m.excess(m.bare), m.ratio]
        rows.append([m.name, m.operations, m.signatures, *times, min(m.bare), min(m.analysis), min(m.edit)])
    print(table(head, rows) + "\n")
    excess, strict = median([m.excess(m.bare) for m in measured]), median([m.excess(m.bare_first) for m in measured])
    inside = sum(m.excess(m.bare) <= BESIDE for m in measured)
    what = f"an edit takes at most {FACTOR}x + {BESIDE:.0f} ms"
    print(goal(f"{what}: {FACTOR}x {excess:+.1f} ms; {inside} of {len(measured)}", excess <= BESIDE))
    print(f"- against the first signature alone: {FACTOR}x {strict:+.1f} ms")
    share, worst = median([m.share for m in measured]), max(m.share for m in measured)
    print(goal(f"the analysis takes at most 20% of make_ir at the median: {share:.1f}%", share <= 20))
    print(goal(f"the analysis takes at most 35% of make_ir at worst: {worst:.1f}%", worst <= 35))
    best = median([min(m.edit) - FACTOR * min(m.bare) for m in measured])
    shares = [100 * min(m.analysis) / min(m.bare) for m in measured]
    of_rounds = f"{median(shares):.1f}% at the median, {max(shares):.1f}% at worst"
    print(f"- best rounds: {FACTOR}x {best:+.1f} ms; analysis {of_rounds}")

    print("\n## Comment edit\n")
    head = ["kernel", "compiles", "ms to diagnostics"]
    print(table(head, [[m.name, m.comment_compiles, median(m.comment)] for m in measured]))
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
    server.open(large, generated.LONG.format(n=1000, tag=0))

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
    middle, slow = median(milliseconds), statistics.quantiles(milliseconds, n=20)[-1]
    head = ["compiling for, s", "hovers", "median ms", "p95 ms", "max ms"]
    print(table(head, [[busy, len(milliseconds), middle, slow, max(milliseconds)]]))
    print("\n" + goal(f"a hover takes under 5 ms: {middle:.1f} ms at the median, {slow:.1f} at p95", slow < 5))
