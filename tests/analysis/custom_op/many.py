"""Writes custom ops around many kernels and checks each: prints a table.

python tests/analysis/custom_op/many.py [--liger .cache/liger-kernel-0.8.5] [--only rope] [--show]
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests")]

from kernel_analysis.agent.file.function_jobs import jobs_of
from kernel_analysis.agent.on_demand import BadRequest, custom_op
from kernel_analysis.kernels.project import Project
from kernel_analysis.launch.launch_model import Device, ExecutableLaunch, LaunchArgument, LaunchRefused
from kernel_analysis.launch.plan import Planner
from kernel_analysis.lowering import Compiler
from kernel_analysis.source.dtypes import TORCH

DEVICE = Device("interpreter", "Triton's interpreter on the CPU", "cuda:90", 0)
WORKER = Path(__file__).with_name("worker.py")
SECONDS = 60
AT_ONCE = 8
HAS_GPU = "import sys, torch; sys.exit(not torch.cuda.is_available())"


@dataclass(slots=True)
class Made:
    """One kernel: ``refused``, or an op with ``text``; ``skipped`` and ``failed`` are of its check."""

    file: Path
    kernel: str
    text: str = ""
    refused: str = ""
    skipped: str = ""
    failed: str = ""
    launch: ExecutableLaunch | None = None
    whole: str = ""
    tuned: list[str] = field(default_factory=list[str])

    @property
    def outcome(self) -> str:
        for name in ("refused", "failed", "skipped"):
            if getattr(self, name):
                return name
        return "checked"

    @property
    def plain(self) -> bool:
        """No launch could be said again: the op takes all that the kernel takes, and the grid."""
        return "grid: list[int]" in self.text


def make(files: Iterable[tuple[Path, Path]], only: str = "") -> list[Made]:
    """The ops of the kernels in the files; with each file the root of its imports."""
    compiler = Compiler(DEVICE.target)
    projects: dict[Path, Project] = {}
    out: list[Made] = []
    for file, root in files:
        if root not in projects:
            projects[root] = Project([str(root)], [str(root), *sys.path], DEVICE.target, patient=True)
        project = projects[root]
        module = project.module(str(file))
        for job in jobs_of(project, module):
            if job.role == "kernel" and only in f"{file}:{job.function.qualname}":
                out.append(_made(project, compiler, file, job.function))
    return out


def _made(project: Project, compiler: Compiler, file: Path, function: Any) -> Made:
    made = Made(file, function.qualname, tuned=[name for config in function.configs for name in config])
    try:
        insertions = custom_op(project, compiler, str(file), function.qualname).insertions
    except BadRequest as refused:
        made.refused = str(refused)
        return made
    made.text = insertions[-1].text
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for one in reversed(insertions):
        lines.insert(one.line - 1, one.text)
    made.whole = "".join(lines)
    try:
        made.launch = Planner(project, function, compiler, DEVICE, 4).plan(smaller=1)
    except LaunchRefused as refused:
        made.skipped = f"no launch: {refused}"
    return made


def check(ops: list[Made], folder: Path) -> None:
    """Fills in ``failed`` and ``skipped``."""
    chosen = [one for one in ops if one.outcome == "checked"]
    orders = [json.dumps(_order(one, folder / f"op{number}.py")) for number, one in enumerate(chosen)]
    gpu = subprocess.run([sys.executable, "-c", HAS_GPU], check=False).returncode == 0
    if gpu:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = [answer for (answer,) in pool.map(_answers, [[order] for order in orders])]
    else:
        answers = _answers(orders)
    for one, answer in zip(chosen, answers, strict=True):
        for name, value in answer.items():
            setattr(one, name, value)


def _answers(orders: list[str]) -> list[dict[str, Any]]:
    """Of one worker."""
    done = subprocess.run(
        [sys.executable, str(WORKER)], input="\n".join(orders), capture_output=True, text=True, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode == -signal.SIGALRM and len(orders) == 1:
        return [{"skipped": "it takes too long here"}]
    if len(answers) != len(orders):
        raise RuntimeError(f"the worker ended early: {done.stderr[-4000:]}")
    return answers


def _order(made: Made, path: Path) -> dict[str, Any]:
    launch = made.launch
    assert launch is not None
    # In its package, so that relative imports work; what its folder has stays as it is.
    path.write_text(made.whole, encoding="utf-8")
    parts = made.file.parts
    package = ".".join(parts[parts.index("liger_kernel") : -1]) if "liger_kernel" in parts else ""
    entry = made.file.parents[len(package.split("."))] if package else made.file.parent
    return {
        "path": str(path),
        "module": f"{package}.{made.file.stem}_checked" if package else f"{made.file.stem}_checked",
        "path_entries": [str(entry)],
        "kernel": made.kernel,
        "ops": [line.split("def ")[1].split("(")[0] for line in made.text.splitlines() if line.startswith("def ")][:2],
        "arguments": [_argument(one, launch) for one in launch.arguments],
        "grid": launch.grid,
        "options": launch.options,
        "tuned": made.tuned,
        "flat": [a.name for a in launch.arguments if a.kind == "tensor" and not a.shape],
        "seconds": SECONDS,
    }


def _argument(argument: LaunchArgument, launch: ExecutableLaunch) -> dict[str, Any]:
    value = argument.value
    return {
        "name": argument.name,
        "kind": argument.kind,
        "value": launch.configs[0]["constants"].get(argument.name, value),
        "size": argument.size,
        "shape": argument.shape,
        "dtype": TORCH.get(argument.type, "float32"),
        "fill": argument.fill,
        "low": argument.low,
        "high": argument.high,
    }


def examples() -> list[tuple[Path, Path]]:
    return [(file, file.parent) for file in sorted((ROOT / "examples").glob("*.py"))]


def liger(root: Path) -> list[tuple[Path, Path]]:
    """Without the backends for other hardware."""
    files = sorted((root / "liger_kernel" / "ops").rglob("*.py"))
    return [(f, root) for f in files if "backends" not in f.parts and "jit" in f.read_text(encoding="utf-8")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--liger", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    files = examples() + (liger(arguments.liger.resolve()) if arguments.liger else [])
    ops = make(files, arguments.only)
    with tempfile.TemporaryDirectory() as folder:
        check(ops, Path(folder))
    for one in ops:
        print(f"{one.file.stem}.{one.kernel}: {one.outcome}{' (plain)' if one.plain else ''}", end="")
        print(f": {one.refused or one.failed or one.skipped}" if one.outcome != "checked" else "")
        if arguments.show:
            print(one.text)
    print(Counter(one.outcome for one in ops))


if __name__ == "__main__":
    main()
