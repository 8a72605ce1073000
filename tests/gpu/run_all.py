"""Runs kernels on this machine's GPU as ``triton-ls run`` does, several processes at a time: the examples, the
corpus's, the benchmark's, and those of liger-kernel where its folder is given. Prints a report in Markdown, each part
of it as soon as it is known; when the time is over (--seconds), the kernels that are left are listed as not run.

    python tests/gpu/run_all.py --liger .cache/liger-kernel-0.8.5 > docs/runs-gpu.md

Needs torch, Triton and a GPU, no more. Exit status: 1 where a claim was contradicted or a failure was not survived.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "server"), str(ROOT / "tests")]

from corpus.pages import read_all
from kernel_analysis.run_wire import RunResult
from triton_ls.runs import run_report
from triton_ls.runs.supervisor import RunFailed, RunQuestion, run

KERNELS = ROOT / "tests" / "gpu" / "run_kernels.py"
AT_ONCE = 12
PAGES = ("block-pointers", "descriptors", "effects", "gluon", "inline-assembly", "loops", "reductions", "values")
SECONDS = 30.0  # for one kernel
SPINNING = 10.0  # for the one that never ends
BUDGET = 420.0  # for everything
COMPARED = ("matmul_kernel", "softmax_kernel", "layer_norm_kernel", "attention_kernel")
SURVIVED = {
    "far_kernel": ("illegal-address",),
    "near_kernel": ("out-of-bounds",),
    "spin_kernel": ("timeout",),
    "huge_kernel": ("memory",),
}


@dataclass(slots=True)
class Outcome:
    """What came of one kernel: a result, or a failure."""

    group: str
    file: Path
    kernel: str
    result: RunResult | None = None
    failure: RunFailed | None = None
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.file.stem}:{self.kernel}"


@dataclass(slots=True)
class Group:
    """Files whose kernels are run, and the folder that their imports start from."""

    name: str
    root: Path
    files: list[Path] = field(default_factory=list[Path])


def _names(files: list[tuple[Path, Path]]) -> dict[Path, list[str]]:
    """The kernels of files, by file; found by the analysis, in a process of its own for all of them."""
    code = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "from kernel_analysis.kernels.project import Project\n"
        "from kernel_analysis.agent.file.function_jobs import jobs_of\n"
        "out = {}\n"
        "for file, root in json.load(sys.stdin):\n"
        "    project = Project([root], [], 'cuda:90')\n"
        "    out[file] = [j.function.qualname for j in jobs_of(project, project.module(file)) if j.role == 'kernel']\n"
        "print(json.dumps(out))"
    )
    given = json.dumps([[str(file), str(root)] for file, root in files])
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "analysis")], input=given, capture_output=True, text=True, check=True
    )
    return {Path(file): kernels for file, kernels in json.loads(done.stdout).items()}


def _groups(liger: Path | None, folder: Path) -> Iterator[Group]:
    yield Group("examples", ROOT / "examples", sorted((ROOT / "examples").glob("*.py")))
    yield Group("benchmark", ROOT / "tests" / "bench" / "kernels", sorted((ROOT / "tests/bench/kernels").glob("*.py")))
    if liger is not None:
        files = [f for f in sorted((liger / "liger_kernel" / "ops").rglob("*.py")) if "backends" not in f.parts]
        yield Group("liger-kernel", liger, [f for f in files if "jit" in f.read_text(encoding="utf-8")])
    corpus = Group("corpus", folder)
    for case in read_all():
        if case.page not in PAGES or not case.holds_for(version("triton")) or not case.target.startswith("cuda:9"):
            continue
        where = folder / case.id.replace(":", "-")
        for name, text in {**case.files, f"{case.name}.py": case.source}.items():
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).write_text(text, encoding="utf-8")
        corpus.files.append(where / f"{case.name}.py")
    yield corpus


async def _one(
    outcome: Outcome, root: Path, limit: asyncio.Semaphore, until: float, seconds: float = SECONDS
) -> Outcome:
    """Runs a kernel, unless the time is over: ``until``."""
    async with limit:
        started = time.monotonic()
        seconds = min(seconds, until - started)
        if seconds <= 1:
            outcome.failure = RunFailed("not run", "the time for all kernels was over")
            return outcome
        roots = (str(outcome.file.parent if outcome.group == "corpus" else root),)
        question = RunQuestion(str(outcome.file), outcome.kernel, sys.executable, roots, timeout=seconds)
        try:
            outcome.result = await run(question, lambda text: None)
        except RunFailed as failed:
            outcome.failure = failed
        outcome.seconds = time.monotonic() - started
        state = "ok" if outcome.result is not None else f"{outcome.failure}"
        print(f"{outcome.seconds:6.1f} s  {outcome.group}/{outcome.name}: {state[:150]}", file=sys.stderr, flush=True)
        return outcome


def _reference(found: dict[str, Outcome]) -> dict[str, float]:
    shapes = {
        name: [
            a.get("shape") or [a.get("elements", 0)]
            for a in outcome.result["arguments"]
            if a["kind"] == "tensor" and a.get("fill") != "poison"
        ]
        for name, outcome in found.items()
        if outcome.result is not None
    }
    script = str(Path(__file__).with_name("run_reference.py"))
    done = subprocess.run(
        [sys.executable, script, json.dumps(shapes)], capture_output=True, text=True, check=False, timeout=60
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return {}
    return json.loads(done.stdout.splitlines()[-1])


async def _compared(until: float) -> dict[str, Outcome]:
    limit = asyncio.Semaphore(1)
    return {name: await _one(Outcome("compared", KERNELS, name), KERNELS.parent, limit, until) for name in COMPARED}


async def _survived(until: float) -> list[tuple[str, Outcome, Outcome]]:
    """Each failure, and a kernel that runs after it."""
    limit = asyncio.Semaphore(1)
    out: list[tuple[str, Outcome, Outcome]] = []
    for name in SURVIVED:
        seconds = SPINNING if "spin" in name else SECONDS
        failed = await _one(Outcome("failing", KERNELS, name), KERNELS.parent, limit, until, seconds)
        after = Outcome("after it", ROOT / "examples" / "vector_add.py", "add_kernel")
        out.append((name, failed, await _one(after, ROOT / "examples", limit, until)))
    return out


def _print_compared(found: dict[str, Outcome], times: dict[str, float]) -> None:
    print("\n## Beside torch's own operators\n")
    print("| kernel | inputs | time | rate | torch | of torch's speed |\n| --- | --- | --- | --- | --- | --- |")
    for name, outcome in found.items():
        result = outcome.result
        if result is None or result["time_ms"] is None:
            print(f"| `{name}` | | {outcome.failure or 'no time taken'} | | | |")
            continue
        shapes = ", ".join("x".join(map(str, shape)) for a in result["arguments"] if (shape := a.get("shape")))
        rate = f"{gbps:.0f} GB/s" if (gbps := result.get("gbps")) is not None else ""
        rate = f"{result['tflops']:.0f} TFLOP/s" if "tflops" in result else rate
        share = f"{times[name] / result['time_ms']['median']:.0%}" if name in times else ""
        torch_ms = run_report.milliseconds(times[name]) if name in times else "failed"
        median = run_report.milliseconds(result["time_ms"]["median"])
        print(f"| `{name}` | {shapes} | {median} | {rate} | {torch_ms} | {share} |")
    whole = found["matmul_kernel"].result
    if whole is not None:
        print(f"\n### What is shown for the matmul\n\n{run_report.markdown(whole).replace('# ', '#### ', 1)}")


def _print_survived(survived: list[tuple[str, Outcome, Outcome]]) -> bool:
    """Whether each was a failure of the kind that it must be, and the next run worked."""
    print("\n## Failures that were survived\n")
    print("| kernel | kind | what was said | after | the next run |\n| --- | --- | --- | --- | --- |")
    good = True
    for name, failed, after in survived:
        kind = failed.failure.kind if failed.failure is not None else "none"
        works = after.result is not None
        good = good and kind in SURVIVED[name] and works
        said = str(failed.failure).replace("|", "\\|").replace("\n", " ")[:200]
        print(f"| `{name}` | {kind} | {said} | {failed.seconds:.1f} s | {'works' if works else str(after.failure)} |")
    return good


def _print_table(group: str, outcomes: list[Outcome]) -> None:
    print(f"\n## Every kernel: {group}\n")
    print("| kernel | grid | time | of copy bandwidth | claims |\n| --- | --- | --- | --- | --- |")
    for outcome in outcomes:
        result = outcome.result
        if result is None:
            kind = outcome.failure.kind if outcome.failure else ""
            text = str(outcome.failure).replace("|", "\\|").replace("\n", " ")[:160]
            print(f"| {outcome.group}/{outcome.name} | | | | {kind}: {text} |")
            continue
        verdicts = Counter(check["verdict"] for check in result["checks"])
        claims = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        grid = "x".join(map(str, result["grid"]))
        if result["time_ms"] is None:
            print(f"| {outcome.group}/{outcome.name} | {grid} | not taken | | {claims} |")
            continue
        median = run_report.milliseconds(result["time_ms"]["median"])
        share = "" if (percent := result.get("percent_of_copy")) is None else f"{percent:.0f}%"
        print(f"| {outcome.group}/{outcome.name} | {grid} | {median} | {share} | {claims} |")


def _print_summary(outcomes: list[Outcome]) -> list[str]:
    wrong = [
        f"{o.group}/{o.name}: {check['name']} claimed {check['claimed']}, observed {check['observed']}"
        for o in outcomes
        if o.result is not None
        for check in o.result["checks"]
        if check["verdict"] == "contradiction"
    ]
    print("\n## Summary\n\n| group | kernels | ran | refused | failed | not run |")
    print("| --- | --- | --- | --- | --- | --- |")
    for group in dict.fromkeys(o.group for o in outcomes):
        mine = [o for o in outcomes if o.group == group]
        refused = sum(o.failure is not None and o.failure.kind == "refused" for o in mine)
        ran = sum(o.result is not None for o in mine)
        late = sum(o.failure is not None and o.failure.kind == "not run" for o in mine)
        print(f"| {group} | {len(mine)} | {ran} | {refused} | {len(mine) - ran - refused - late} | {late} |")
    checks = Counter(c["verdict"] for o in outcomes if o.result is not None for c in o.result["checks"])
    print(f"\nBuffers: {', '.join(f'{count} {verdict}' for verdict, count in checks.items())}.")
    print(
        "\n".join(["", "Contradictions:" if wrong else "No claim was contradicted.", *(f"- {line}" for line in wrong)])
    )
    return wrong


async def _alone(until: float) -> bool:
    """The kernels that run one after the other, and what is said of them; whether all is as it must be."""
    compared = await _compared(until)
    first = next((o.result for o in compared.values() if o.result is not None), None)
    print("# Kernels run on a GPU\n")
    print("No kernel ran." if first is None else run_report.headline(first))
    _print_compared(compared, await asyncio.to_thread(_reference, compared))
    sys.stdout.flush()
    good = _print_survived(await _survived(until))
    sys.stdout.flush()
    return good and first is not None


async def main() -> int:
    """Everything, and the report part by part."""
    started = time.monotonic()
    parser = argparse.ArgumentParser()
    parser.add_argument("--liger", type=Path, help="the folder that holds liger_kernel")
    parser.add_argument("--only", nargs="*", help="groups: examples, benchmark, liger-kernel, corpus")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="how many kernels are run at the same time")
    parser.add_argument("--seconds", type=float, default=BUDGET, help="the time for everything")
    options = parser.parse_args()
    until = started + options.seconds
    liger = options.liger.resolve() if options.liger is not None else None
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder:
        groups = list(_groups(liger, Path(folder).resolve()))
        groups = [group for group in groups if options.only is None or group.name in options.only]
        files = [(file, file.parent if g.name == "corpus" else g.root) for g in groups for file in g.files]
        looked_for = asyncio.create_task(asyncio.to_thread(_names, files))
        good = await _alone(until)
        names = await looked_for
        limit = asyncio.Semaphore(options.at_once)
        jobs = {
            g.name: [
                asyncio.create_task(_one(Outcome(g.name, file, kernel), g.root, limit, until))
                for file in g.files
                for kernel in names[file]
            ]
            for g in groups
        }
        for name, mine in jobs.items():  # in the order in which they were started
            done = list(await asyncio.gather(*mine))
            _print_table(name, done)
            sys.stdout.flush()
            outcomes += done
    wrong = _print_summary(outcomes)
    print(f"\n{len(outcomes)} kernels in {time.monotonic() - started:.0f} s, each in processes of its own.")
    return int(bool(wrong) or not good)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
