"""Runs many kernels on Triton's interpreter and holds the claims against what was observed. Prints a table.

    python tests/analysis/launch/many.py [--liger .cache/liger-kernel-0.8.5] [PAGE ...] > docs/runs-interpreter.md

Planning happens in this process, as in the planning process of a run; executing in forks of one that has torch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests")]

from corpus.pages import read_all
from kernel_analysis.agent.file.function_jobs import jobs_of
from kernel_analysis.kernels.project import Project
from kernel_analysis.kernels.run_comment import place
from kernel_analysis.launch.launch_model import Device, ExecutableLaunch, LaunchRefused
from kernel_analysis.launch.plan import Planner
from kernel_analysis.lowering import Compiler
from kernel_analysis.source.kernel import JitFunction

# What an author would write above kernels that can't be launched without, by file and name.
PINS = {
    "cursor:cursor": "grid = (1,), n = 3, idx_ptr = ones(3, i32), out_ptr = empty(8, fp32)",
    "claim_place:claim_place": "grid = (3,), count_ptr = zeros(1, i32), out_ptr = empty(4, i32)",
    "by_loop:by_loop": "grid = (2,), n = 4, own_ptr = empty(16, fp32), same_ptr = empty(1, fp32)",
    "loop_calls:loop_calls": "grid = (1,), n = 4, a_ptr = empty(4), b_ptr = empty(4), c_ptr = randn(4)",
    "mm_int8int2:matmul_kernel": "grid = (1,), M = 16, N = 32, K = 512, a_ptr = randint(-8, 8, 16, 512, i8), "
    "b_ptr = randint(0, 85, 128, 32, i8), c_ptr = empty(16, 32, i32), stride_am = 512, stride_ak = 1, "
    "stride_bk = 32, stride_bn = 1, stride_cm = 32, stride_cn = 1",
}
DEVICE = Device("interpreter", "Triton's interpreter on the CPU", "cuda:90", 0)
SECONDS = 12


@dataclass(slots=True)
class Ran:
    """One kernel: ``refused``, or ``failed``, or ``checks`` of its buffers. ``pinned``: with a pragma."""

    group: str
    name: str
    pinned: bool = False
    refused: str = ""
    failed: str = ""
    grid: tuple[int, ...] = ()
    checks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def verdicts(self, verdict: str) -> list[str]:
        return [check["name"] for check in self.checks if check["verdict"] == verdict]


def corpus(folder: Path, pages: list[str]) -> Iterator[tuple[str, Path, Path]]:
    """Group, file and import root of every block of the pages (all, where none is named)."""
    for case in read_all():
        chosen = not pages or case.page in pages
        if chosen and case.holds_for(version("triton")) and case.target.startswith("cuda:9"):
            where = folder / case.id.replace(":", "-")
            for name, text in {**case.files, f"{case.name}.py": case.source}.items():
                (where / name).parent.mkdir(parents=True, exist_ok=True)
                (where / name).write_text(text, encoding="utf-8")
            yield f"corpus/{case.page}", where / f"{case.name}.py", where


def own() -> Iterator[tuple[str, Path, Path]]:
    """The same of the examples and of the benchmark's kernels."""
    for group, folder in (("examples", ROOT / "examples"), ("benchmark", ROOT / "tests" / "bench" / "kernels")):
        for file in sorted(folder.glob("*.py")):
            yield group, file, folder


def liger(root: Path) -> Iterator[tuple[str, Path, Path]]:
    """The same of liger-kernel, without the backends for other hardware."""
    for file in sorted((root / "liger_kernel" / "ops").rglob("*.py")):
        if "backends" not in file.parts and "jit" in file.read_text(encoding="utf-8"):
            yield "liger-kernel", file, root


def run(files: list[tuple[str, Path, Path]], folder: Path) -> list[Ran]:
    """Every kernel of the files."""
    compiler = Compiler(DEVICE.target)
    outcomes: list[Ran] = []
    planned: list[tuple[Ran, ExecutableLaunch]] = []
    for group, file, root in files:
        project = Project([str(root)], [entry for entry in sys.path if entry], DEVICE.target, patient=True)
        for job in jobs_of(project, project.module(str(file))):
            if job.role != "kernel":
                continue
            ran = Ran(group, f"{file.stem}:{job.function.qualname}")
            outcomes.append(ran)
            try:
                if job.function.gluon:
                    raise LaunchRefused("It is a Gluon kernel, which the interpreter can't run.")
                launch = _planned(project, job.function, compiler)
            except LaunchRefused as refused:
                ran.refused = str(refused)
            else:
                ran.grid, ran.pinned = launch.grid, any(text.startswith("pinned") for text in launch.assumed)
                planned.append((ran, launch))
    orders = folder / "launches.jsonl"
    orders.write_text("".join(json.dumps(launch.to_json()) + "\n" for _, launch in planned))
    command = [sys.executable, str(Path(__file__).with_name("fork_worker.py")), str(orders), str(SECONDS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(planned):
        raise RuntimeError(done.stderr[-3000:])
    for (ran, _), answer in zip(planned, answers, strict=True):
        ran.failed, ran.checks = answer.get("error", ""), answer.get("checks", [])
    return outcomes


def _planned(project: Project, function: JitFunction, compiler: Compiler) -> ExecutableLaunch:
    """Without a comment that pins it; with one where that is refused and there is one."""
    try:
        return Planner(project, function, compiler, DEVICE, 4).plan()
    except LaunchRefused:
        pin = PINS.get(f"{Path(function.file).stem}:{function.qualname}")
        if pin is None:
            raise
    line, _ = place(project.module(function.file), function) or (1, "")
    lines = project.text(function.file).splitlines(keepends=True)
    project.set_text(function.file, "".join([*lines[: line - 1], f"# triton-run: {pin}\n", *lines[line - 1 :]]))
    again = next(f for f in project.module(function.file).functions if f.qualname == function.qualname)
    return Planner(project, again, compiler, DEVICE, 4).plan()


def table(outcomes: list[Ran]) -> str:
    """A report in Markdown."""
    rows = ["| group | kernels | launched | of them pinned | refused | failed |", "|---|---|---|---|---|---|"]
    for group in dict.fromkeys(ran.group.partition("/")[0] for ran in outcomes):
        mine = [ran for ran in outcomes if ran.group.partition("/")[0] == group]
        launched = [ran for ran in mine if not ran.refused and not ran.failed]
        counts = [len(mine), len(launched), sum(r.pinned for r in launched)]
        counts += [sum(bool(r.refused) for r in mine), sum(bool(r.failed) for r in mine)]
        rows.append(f"| {group} | {' | '.join(map(str, counts))} |")
    verdicts = Counter(check["verdict"] for ran in outcomes for check in ran.checks)
    rows += ["", "Buffers: " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()) + ".", ""]
    rows += ["| kernel | grid | claims against what was observed |", "|---|---|---|"]
    for ran in outcomes:
        if ran.refused or ran.failed:
            said = f"{'refused' if ran.refused else 'failed'}: {ran.refused or ran.failed}"
        else:
            parts = [f"{len(ran.verdicts('agree'))} agree"]
            parts += [
                f"{verdict}: {', '.join(ran.verdicts(verdict))}"
                for verdict in ("contradiction", "not seen", "unknown")
                if ran.verdicts(verdict)
            ]
            said = "pinned: " * ran.pinned + "; ".join(parts)
        said = said.replace("|", "\\|").replace("\n", " ")[:220]
        rows.append(f"| {ran.group}/{ran.name} | {'x'.join(map(str, ran.grid))} | {said} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    """Everything that is asked for; 1 where a claim was contradicted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--liger", type=Path)
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        files = [*own(), *(liger(options.liger.resolve()) if options.liger else ()), *corpus(folder, options.pages)]
        outcomes = run(files, folder)
    print(f"# Kernels run on Triton's interpreter\n\nTriton {version('triton')}, {len(outcomes)} kernels.\n")
    print(table(outcomes))
    return int(any(ran.verdicts("contradiction") for ran in outcomes))


if __name__ == "__main__":
    sys.exit(main())
